"""Each command: what it asks of the memory, what it prints, how it exits."""

import io
import json
import sys
from datetime import UTC, datetime

import pytest

from retrograph.errors import (
    Conflict,
    EncoderMismatch,
    EngineUnavailable,
    InvalidInput,
    Refused,
    SettingsError,
)
from retrograph.models import (
    EntityInput,
    EntityType,
    Experience,
    MemoryType,
    Outcome,
    RelationInput,
    Scope,
    SearchFilter,
    Source,
)

ID = "01980f3e-8a4b-7c39-9f1e-2d5b6a7c8d9e"
COMMANDS = (
    "demo write ingest search get explain stats forget link history update undo restore review entity candidates merge "
    "jobs consolidate runs serve migrate doctor config version"
).split() + [f"engine {name}" for name in "install start stop status logs browser".split()]


class Piped(io.StringIO):
    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.buffer = io.BytesIO(content)


def test_write_hands_over_every_option(shell):
    code = shell(
        *("write", "Ada 喜欢茶", "--force", "--type", "preference", "--summary", "tea", "--domain", "kitchen"),
        *("--tag", "a", "--tag", "b", "--importance", "0.4", "--confidence", "0.7", "--source", "tool"),
        *("--scope", "team", "--speaker", "Ben", "--occurred-at", "2026-03-01", "--valid-until", "2027-01-01"),
        *("--expires-at", "2026-12-01T00:00Z", "--half-life-days", "3", "--pinned", "--entity", "Ada:person"),
        *("--relation", "Ada|likes|tea", "--experience", '{"problem": "p", "verified": true}'),
        *("--metadata", '{"k": 1}', "--set", "timezone=Asia/Shanghai", "--json"),
    )
    assert code == 0
    given = shell.given
    assert given["content"] == "Ada 喜欢茶"
    assert given["type"] is MemoryType.PREFERENCE
    assert (given["summary"], given["domain"], given["tags"]) == ("tea", "kitchen", ["a", "b"])
    assert (given["importance"], given["confidence"], given["half_life_days"]) == (0.4, 0.7, 3)
    assert (given["source"], given["scope"], given["speaker"]) == (Source.TOOL, Scope.TEAM, "Ben")
    assert given["occurred_at"] == datetime(2026, 2, 28, 16, tzinfo=UTC)
    assert given["expires_at"] == datetime(2026, 12, 1, tzinfo=UTC)
    assert given["valid_until"] == datetime(2026, 12, 31, 16, tzinfo=UTC)
    assert given["pinned"] and given["force"]
    assert given["entities"] == [EntityInput("Ada", EntityType.PERSON)]
    assert given["relations"] == [RelationInput("Ada", "likes", "tea")]
    assert given["experience"] == Experience("p", verified=True)
    assert given["metadata"] == {"k": 1}
    assert shell.memories[-1].closed
    assert shell.json["outcome"] == "stored"
    assert shell.json["scores"]["salience"] == 0.35


def test_write_reads_stdin_for_a_dash(shell, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Piped("\ufeff两行\nof text\n\n".encode()))
    assert shell("write", "-") == 0
    assert shell.given["content"] == "两行\nof text"


def test_write_refuses_stdin_that_is_not_utf8(shell, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Piped("茶".encode("gb18030")))
    assert shell("write", "-") == 2
    assert "not UTF-8" in shell.err


def test_write_of_text_that_begins_with_a_dash_needs_two_dashes(shell):
    assert shell("write", "--", "-5 degrees in the cold store --json") == 0
    assert shell.given["content"] == "-5 degrees in the cold store --json"
    assert not shell.out.startswith("{")


@pytest.mark.parametrize(
    ("outcome", "strict_code"),
    [
        (Outcome.STORED, 0),
        (Outcome.MERGED, 0),
        (Outcome.UNCHANGED, 0),
        (Outcome.BORDERLINE, 1),
        (Outcome.REFUSED, 1),
        (Outcome.QUARANTINED, 1),
    ],
)
def test_a_write_that_was_not_stored_fails_only_when_strict(shell, outcome, strict_code):
    shell.prepared = {"outcome": outcome}
    assert shell("write", "x") == 0
    assert shell.out.startswith(outcome.value)
    assert shell("write", "x", "--strict", "--json") == strict_code
    assert shell.json["outcome"] == outcome.value


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--occurred-at", "sometime", "--occurred-at is no time: 'sometime'"),
        ("--entity", "Ada:persn", "Ada:person"),
        ("--entity", ":person", "no name"),
        ("--relation", "Ada|likes", "three parts"),
        ("--metadata", "{", "no JSON"),
        ("--metadata", "[1]", "object"),
        ("--metadata", '{"a": NaN}', "NaN is not JSON"),
        ("--experience", '{"solution": "s"}', "problem (needed)"),
        ("--experience", '{"problem": "p", "verified": "yes"}', "true or false"),
        ("--set", "recall.hops", "NAME=VALUE"),
        ("--set", "recall.hopps=2", "recall.hops"),
        ("--set", "recall.hops=9", "recall.hops cannot be '9' (argument)"),
        ("--type", "opinion", "opinion"),
        ("--importance", "high", "--importance"),
    ],
)
def test_an_option_that_cannot_work_is_wrong_usage(shell, option, value, said):
    assert shell("write", "x", option, value) == 2
    assert shell.err.startswith("error: ")
    assert said in shell.err
    assert not any(memory.calls for memory in shell.memories)
    assert shell("write", "x", option, value, "--json") == 2
    assert said in shell.json["error"]["message"] + shell.json["error"]["cure"]
    assert shell.err == ""


def test_search_asks_only_for_what_was_given(shell):
    assert shell("search", "where?") == 0
    assert shell.given == {"query": "where?"}


def test_search_hands_over_every_option(shell):
    code = shell(
        *("search", "何处", "--limit", "9", "--deep", "--as-of", "2026-01-01", "--explain", "--type", "fact"),
        *("--type", "event", "--tag", "t", "--domain", "d", "--since", "2025-01-01", "--until", "2026-06-01"),
        *("--min-score", "0.2", "--max-tokens", "500", "--hops", "2", "--preset", "p", "--text"),
        *("--in-session", "s1", "--source", "user", "--metadata", '{"k": 1}', "--half-life-days", "9", "--json"),
    )
    assert code == 0
    assert shell.given == {
        "query": "何处",
        "limit": 9,
        "deep": True,
        "as_of": datetime(2026, 1, 1, tzinfo=UTC),
        "types": [MemoryType.FACT, MemoryType.EVENT],
        "tags": ["t"],
        "domain": "d",
        "since": datetime(2025, 1, 1, tzinfo=UTC),
        "until": datetime(2026, 6, 1, tzinfo=UTC),
        "min_score": 0.2,
        "max_tokens": 500,
        "hops": 2,
        "preset": "p",
        "text": True,
        "session": "s1",
        "source": Source.USER,
        "metadata": {"k": 1},
        "half_life_days": 9,
    }
    assert shell.json["text"] == "I remember …"


def test_search_in_json_has_the_promised_fields(shell):
    shell("search", "where?", "--json")
    [result] = shell.json["results"]
    assert {"id", "content", "type", "relevance", "path", "score", "seeds"} <= result.keys()
    assert (result["id"], result["type"], result["relevance"]) == (ID, "fact", 0.83)
    assert [step["name"] for step in result["path"]][:2] == ["Ada leads Heron", "Ada"]
    assert result["occurred_at"] == "2026-03-01T23:30:00Z"
    assert result["metadata"] == {"k": [1, "二"]}
    assert "terms" not in result
    assert shell.json["omitted"] == 2
    shell("search", "where?", "--json", "--explain")
    assert shell.json["results"][0]["terms"][0]["contribution"] == 0.48


def test_search_prints_hits_with_their_path_in_the_readers_time(shell):
    shell("search", "where?", "--set", "timezone=Asia/Shanghai", "--explain")
    assert "Ben: Ada 住在 Lisbon\\x1b[31m." in shell.out
    assert "\x1b" not in shell.out
    assert "“Ada leads Heron” ─MENTIONS→ [Ada] ─MENTIONS→ “Ada 住在" in shell.out
    assert "2026-03-02 07:30 CST" in shell.out
    assert "semantic" in shell.out
    assert "2 more left out" in shell.out


def test_search_says_so_where_nothing_bears_on_it(shell):
    shell.prepared = {"hits": ()}
    assert shell("search", "where?") == 0
    assert "nothing bears on this" in shell.out
    shell("search", "where?", "--json")
    assert shell.json["results"] == []


def test_search_text_prints_the_block_alone(shell):
    assert shell("search", "where?", "--text") == 0
    assert shell.out == "I remember …\n"


def test_get_shows_a_memory_with_its_links(shell):
    assert shell("get", ID) == 0
    for part in ("fact (semantic)", "pinned", "Ada (person)", "Ada not lives_in Lisbon", "← causes m2"):
        assert part in shell.out
    shell("get", ID, "--json")
    assert shell.json["id"] == ID
    assert shell.json["links"] == [{"id": "m2", "type": "causes", "direction": "in", "strength": 0.5}]


def test_get_of_an_unknown_memory_fails_with_a_cure(shell):
    assert shell("get", "nope") == 1
    assert shell.err == "error: there is no memory 'nope'\n  Search for it.\n"
    assert shell.out == ""


def test_explain_shows_verdict_terms_path_and_query(shell):
    assert shell("explain", "where?", ID, "--limit", "3") == 0
    assert shell.given == {"query": "where?", "memory_id": ID, "limit": 3}
    for part in ("recalled, rank 1", "It is near.", "seed: vector", "semantic", "─MENTIONS→", "MATCH (m)"):
        assert part in shell.out
    shell("explain", "where?", ID, "--json")
    assert shell.json["verdict"] == "It is near."
    assert shell.json["hit"]["id"] == ID


def test_stats_counts_the_bank_that_was_named(shell):
    assert shell("stats", "--bank", "银行", "--json") == 0
    assert (shell.json["bank"], shell.json["by_type"]) == ("银行", {"fact": 3})
    assert shell("stats", "--bank", "银行") == 0
    assert "银行" in shell.out


def test_who_is_asking_comes_from_options_over_environment(shell, monkeypatch):
    monkeypatch.setenv("RETROGRAPH_BANK", "environment")
    monkeypatch.setenv("RETROGRAPH_USER", "environment")
    shell("stats", "--bank", "b", "--agent", "a", "--team", "t", "--session", "s")
    identity = shell.memories[-1].settings.identity
    assert (identity.bank, identity.agent, identity.user) == ("b", "a", "environment")
    assert (identity.team, identity.session) == ("t", "s")


def test_forget_by_id_archives_at_once(shell):
    assert shell("forget", ID, "x") == 0
    assert shell.given == {"memory_ids": [ID, "x"], "where": None, "hard": False, "dry_run": False}
    assert shell.out.startswith("archived: 3 memories, and 1 entities")


@pytest.mark.parametrize("arguments", [(ID, "--hard"), ("--domain", "d"), ("--until", "2026-01-01", "--hard")])
def test_forget_holds_back_what_is_wide_or_final_until_yes(shell, arguments):
    assert shell("forget", *arguments) == 0
    assert shell.given["dry_run"]
    assert "would " in shell.out
    assert "add --yes" in shell.err
    assert shell("forget", *arguments, "--yes") == 0
    assert not shell.given["dry_run"]
    assert shell.err == ""


def test_forget_hands_its_filter_over(shell):
    shell("forget", "--domain", "d", "--tag", "t", "--yes")
    assert shell.given["where"] == SearchFilter(domain="d", tags=["t"])


@pytest.mark.parametrize("arguments", [(), (ID, "--domain", "d")])
def test_forget_needs_either_ids_or_filters(shell, arguments):
    assert shell("forget", *arguments) == 2
    assert not shell.memories


def test_link_hands_everything_over(shell):
    assert shell("link", "a", "b", "造成", "--strength", "0.4", "--json") == 0
    assert shell.given == {"from_id": "a", "to_id": "b", "type": "造成", "strength": 0.4}
    assert shell.json["created"] is True
    assert shell("link", "a", "b") == 0
    assert "a ─supports→ b" in shell.out


@pytest.mark.parametrize(
    ("error", "code", "name"),
    [
        (SettingsError("m", cure="c"), 2, "settings"),
        (InvalidInput("m", cure="c", field="content"), 2, "invalid_input"),
        (Refused("m", cure="c", scores={"salience": 0.1}), 1, "refused"),
        (Conflict("m", cure="c"), 1, "conflict"),
        (EncoderMismatch("m", cure="c"), 1, "encoder_mismatch"),
        (EngineUnavailable("m", cure="c"), 3, "engine_unavailable"),
    ],
)
def test_an_error_becomes_its_exit_code_and_a_sentence_with_the_cure(shell, error, code, name):
    shell.prepared = {"error": error}
    assert shell("stats") == code
    assert (shell.out, shell.err) == ("", "error: m\n  c\n")
    assert shell.memories[-1].closed
    assert shell("stats", "--json") == code
    told = shell.json["error"]
    assert (told["code"], told["message"], told["cure"]) == (name, "m", "c")
    assert told.get("field") == ("content" if name == "invalid_input" else None)
    assert told.get("scores") == ({"salience": 0.1} if name == "refused" else None)


def test_an_interrupted_command_exits_130_and_closes(shell):
    shell.prepared = {"error": KeyboardInterrupt()}
    assert shell("stats") == 130
    assert shell.memories[-1].closed
    assert shell.err == ""


@pytest.mark.parametrize("last", [BufferError("resized"), EngineUnavailable("m", cure="c")])
def test_an_interrupt_that_a_library_turned_into_an_error_of_its_own_exits_130(shell, last):
    last.__context__ = OSError()
    last.__context__.__context__ = KeyboardInterrupt()
    shell.prepared = {"error": last}
    assert shell("stats") == 130
    assert (shell.out, shell.err) == ("", "")


def test_an_error_that_nobody_foresaw_is_not_hidden(shell):
    shell.prepared = {"error": ZeroDivisionError()}
    with pytest.raises(ZeroDivisionError):
        shell("stats")


@pytest.mark.parametrize(
    "arguments", [("serch", "x"), ("search",), ("search", "a", "b"), ("stats", "--bnak", "x"), ("engine", "begin")]
)
def test_a_wrong_call_exits_2_and_points_to_the_help(shell, arguments):
    assert shell(*arguments) == 2
    assert "--help` shows how" in shell.err
    assert shell.out == ""
    assert shell(*arguments, "--json") == 2
    assert shell.json["error"]["code"] == "usage"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_ends_with_an_example(shell, command):
    assert shell(*command.split(), "--help") == 0
    assert f"retrograph {command}" in shell.out.rpartition("Example")[2]
    for option in ("--bank", "--agent", "--user", "--team", "--session", "--json"):
        assert option in shell.out


def test_a_bare_call_shows_all_commands(shell):
    assert shell() == 2
    assert all(f"  {name} " in shell.out + shell.err for name in ("demo", "write", "search", "engine"))


def test_config_shows_values_and_origins_without_secrets(shell, monkeypatch):
    monkeypatch.setenv("RETROGRAPH_PASSWORD", "31337")
    monkeypatch.setenv("RETROGRAPH_BNAK", "x")
    assert shell("config", "--user", "ada", "--json") == 0
    found = {item["name"]: item for item in shell.json["settings"]}
    assert (found["user"]["value"], found["user"]["origin"]) == ("ada", "argument")
    assert found["password"]["value"] == "(hidden)"
    assert shell.json["unknown_environment"] == ["RETROGRAPH_BNAK"]
    assert "did you mean RETROGRAPH_BANK?" in shell.err
    assert shell("config") == 0
    assert "environment RETROGRAPH_PASSWORD" in shell.out
    assert "31337" not in shell.out + shell.err


def test_config_names_the_file_that_cannot_be_used(shell, tmp_path):
    (tmp_path / "x.toml").write_text("bank = 3")
    assert shell("config", "--config", str(tmp_path / "x.toml")) == 2
    assert f"bank cannot be 3 (file {tmp_path / 'x.toml'})" in shell.err


def test_version_is_the_packages(shell):
    from retrograph import __version__

    for asked in ("version", "--version"):
        assert shell(asked) == 0
        assert shell.out == f"{__version__}\n"
    shell("version", "--json")
    assert shell.json == {"version": __version__}


def test_json_is_ascii_where_stdout_cannot_say_more(shell, monkeypatch):
    latin = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", latin)
    shell("search", "何处", "--json")
    latin.flush()
    assert json.loads(latin.buffer.getvalue().decode("ascii"))["query"] == "何处"


def test_a_lone_surrogate_does_not_break_the_answer(shell):
    assert shell("search", "a\udc80b", "--json") == 0
    assert json.loads(shell.out, strict=False)["results"]
