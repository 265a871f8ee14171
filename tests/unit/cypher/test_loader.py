"""The loader refuses a file whose header and text disagree, and says which file."""

from pathlib import Path

import pytest

from retrograph import cypher
from retrograph.cypher import EMBEDDING_SLOTS, parse
from retrograph.errors import CypherFileError

_GOOD = """\
// Finds people by name,
// old ones too.
// mode: read
// params: bank: STRING, names: LIST<STRING>,
//         since: ZONED DATETIME
// returns: id: STRING, name: STRING
// source: a paper, section 3
CYPHER 25
MATCH (p:Person {bank: $bank})
WHERE p.name IN $names // $nothing is a comment
  AND p.label <> 'costs $5'
  AND p.at >= $since //? since
RETURN p.id AS id, p.name AS name
"""


def test_header_is_read_over_several_lines() -> None:
    query = parse("find_people", _GOOD)
    assert query.purpose == "Finds people by name, old ones too."
    assert query.mode == "read"
    assert query.params == {"bank": "STRING", "names": "LIST<STRING>", "since": "ZONED DATETIME"}
    assert query.returns == {"id": "STRING", "name": "STRING"}
    assert query.source == "a paper, section 3"
    assert query.text.startswith("CYPHER 25")


def test_optional_line_is_kept_where_the_parameter_is_given() -> None:
    text, given = parse("q", _GOOD).bind({"bank": "b", "names": ["x"], "since": "then"})
    assert "p.at >= $p.since" in text
    assert given == {"p": {"bank": "b", "names": ["x"], "since": "then"}}


@pytest.mark.parametrize("params", [{"bank": "b", "names": []}, {"bank": "b", "names": [], "since": None}])
def test_optional_line_is_left_out_where_the_parameter_is_absent(params: dict[str, object]) -> None:
    text, given = parse("q", _GOOD).bind(params)
    assert "since" not in text
    assert "RETURN" in text
    assert given == {"p": {"bank": "b", "names": []}}


def test_none_is_a_value_where_the_parameter_is_not_optional() -> None:
    _, given = parse("q", _GOOD).bind({"bank": None, "names": []})
    assert given == {"p": {"bank": None, "names": []}}


def test_parameters_are_taken_out_of_one_map_and_words_that_look_like_one_stay() -> None:
    text, _ = parse("q", _GOOD).bind({"bank": "b", "names": ["x"], "since": None})
    assert "{bank: $p.bank}" in text
    assert "IN $p.names // $nothing is a comment" in text
    assert "'costs $5'" in text


def test_parameters_of_a_schema_change_are_sent_one_by_one() -> None:
    text, given = parse("q", _GOOD.replace("mode: read", "mode: schema")).bind({"bank": "b", "names": [], "since": 1})
    assert "{bank: $bank}" in text
    assert given == {"bank": "b", "names": [], "since": 1}


@pytest.mark.parametrize(
    ("params", "named"),
    [({"bank": "b"}, "names"), ({"bank": "b", "names": [], "nmaes": []}, "nmaes"), ({}, "bank")],
)
def test_bind_refuses_missing_and_unknown_parameters(params: dict[str, object], named: str) -> None:
    with pytest.raises(CypherFileError, match=named) as refused:
        parse("find_people", _GOOD).bind(params)
    assert "find_people.cypher" in str(refused.value)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (_GOOD.replace("// mode: read\n", ""), "mode"),
        (_GOOD.replace("mode: read", "mode: rw"), "'rw'"),
        (_GOOD.replace("// returns: id: STRING, name: STRING\n", ""), "returns"),
        (_GOOD.replace("// Finds people by name,\n// old ones too.\n", ""), "purpose"),
        (_GOOD.replace("$names", "['Ann']"), "declared and not used ['names']"),
        (_GOOD.replace("bank: STRING, ", ""), "used and not declared ['bank']"),
        (_GOOD.partition("CYPHER")[0], "no statement"),
        ("", "no statement"),
    ],
)
def test_parse_names_the_file_and_what_its_header_lacks(broken: str, said: str) -> None:
    with pytest.raises(CypherFileError) as refused:
        parse("find_people", broken)
    assert "find_people.cypher" in str(refused.value)
    assert said in str(refused.value)


def test_load_of_a_file_that_is_not_there_names_it() -> None:
    with pytest.raises(CypherFileError, match=r"find_nothing\.cypher"):
        cypher.load("find_nothing")


def test_load_never_leaves_its_folder() -> None:
    with pytest.raises(CypherFileError):
        cypher.load("../schema/V001__memory_graph")


@pytest.mark.parametrize("slot", EMBEDDING_SLOTS)
def test_slot_changes_label_and_index_and_nothing_else(slot: str) -> None:
    original = cypher.load("find_neighbours")
    moved = original.in_slot(slot)
    assert f"(e:Embedding{slot.upper()})" in moved.text
    assert f"VECTOR INDEX embedding_{slot} " in moved.text
    back = moved.text.replace(f"Embedding{slot.upper()}", "EmbeddingA").replace(f"embedding_{slot}", "embedding_a")
    assert back == original.text
    assert (moved.params, moved.mode, moved.name) == (original.params, original.mode, original.name)


@pytest.mark.parametrize("slot", ["", "e", "A", "a FOR $v RETURN 1 //"])
def test_slot_that_is_not_on_the_list_is_refused(slot: str) -> None:
    with pytest.raises(CypherFileError, match="slots"):
        cypher.load("find_neighbours").in_slot(slot)


def test_migrations_are_numbered_without_a_gap_and_checksummed() -> None:
    found = cypher.migrations()
    assert [m.version for m in found] == list(range(1, len(found) + 1))
    assert all(len(m.checksum) == 64 and m.name for m in found)
    assert len({m.checksum for m in found}) == len(found)


def test_migration_statements_can_be_run_again() -> None:
    statements = [s for m in cypher.migrations() for s in m.statements]
    assert statements
    # What changes nodes finds nothing to change the second time.
    made = [s for s in statements if not s.startswith("CYPHER 25 MATCH (")]
    assert [s for s in made if "IF NOT EXISTS" not in s and "IF EXISTS" not in s] == []
    assert [s for s in statements if not s.startswith("CYPHER 25")] == []
    assert [s for s in statements if "//" in s] == []


@pytest.mark.parametrize("versions", [("V001__a", "V003__c"), ("V002__b",), ("V001__a", "V001__b")])
def test_migrations_with_a_gap_or_a_twin_are_refused(
    versions: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "schema"
    folder.mkdir()
    for stem in versions:
        (folder / f"{stem}.cypher").write_text(
            "// A change.\nCYPHER 25 CREATE INDEX a IF NOT EXISTS FOR (n:N) ON (n.a)"
        )
    monkeypatch.setattr(cypher, "_folder", lambda _: folder)
    with pytest.raises(CypherFileError, match="numbered"):
        cypher.migrations.__wrapped__()
