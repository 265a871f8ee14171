"""Every `.cypher` file is sound and used, and no Cypher hides in Python."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import retrograph
from retrograph import cypher
from retrograph.cypher import EMBEDDING_SLOTS

_PACKAGE = Path(retrograph.__file__).parent
_MODULES = sorted(_PACKAGE.rglob("*.py"))
_CLAUSE = re.compile(
    r"\b(?:MATCH|MERGE|CREATE|FOREACH)\s*\(|\b(?:UNWIND|RETURN|DETACH|WITH|YIELD)\s+[\w$\[`{*]|\bCALL\s*[({\w]"
    r"|\b(?:CREATE|DROP|SHOW)\s+(?:CONSTRAINT|INDEX|[A-Z]+\s+INDEX|DATABASE|TRANSACTION)|\bSET\s+\w+[.:]"
)
_ALLOWED = {
    "retrieval/explain.py": "it writes a query for people to paste into Neo4j Browser; Retrograph never runs it",
}


@pytest.mark.parametrize("name", cypher.names())
def test_query_file_says_what_it_does_in_one_statement(name: str) -> None:
    query = cypher.load(name)
    assert query.purpose.endswith("."), "the purpose is a sentence"
    assert query.text.startswith("CYPHER 25"), "the language version is pinned"
    assert ";" not in _without_quotes(query.text), "one statement a file"
    assert query.returns, "the header names what comes back"


@pytest.mark.parametrize("name", cypher.names())
def test_query_file_has_a_caller(name: str) -> None:
    called = re.compile(rf"""["']{name}["']""")
    assert any(called.search(module.read_text(encoding="utf-8")) for module in _MODULES), f"nobody loads {name}"


@pytest.mark.parametrize("name", cypher.names())
def test_query_keeps_data_out_of_its_text(name: str) -> None:
    text = _without_quotes(cypher.load(name).text)
    assert not re.search(r"\{\{|%s|\{\d*\}", text), "values are parameters, never filled in"


@pytest.mark.parametrize("name", cypher.names())
def test_optional_parameter_stands_on_whole_lines_only(name: str) -> None:
    """Without the parameter its lines go; what is left must not name it."""
    query = cypher.load(name)
    required = dict.fromkeys(query.params.keys() - query.optional, 1)
    text, given = query.bind(required | dict.fromkeys(query.optional))
    assert given.get("p", given).keys() == required.keys()
    assert not query.optional & set(re.findall(r"\$(?:p\.)?(\w+)", text))


def test_read_queries_change_nothing() -> None:
    writes = re.compile(r"\b(?:MERGE|CREATE|SET|DELETE|REMOVE|DROP)\b")
    wrong = [
        n for n in cypher.names() if (q := cypher.load(n)).mode == "read" and writes.search(_without_quotes(q.text))
    ]
    assert wrong == []


def test_slot_queries_name_the_index_and_the_label_of_one_slot() -> None:
    for name in cypher.names():
        query = cypher.load(name)
        if "EmbeddingA" not in query.text and "embedding_a" not in query.text:
            continue
        for slot in EMBEDDING_SLOTS:
            text = query.in_slot(slot).text
            others = "".join(other for other in EMBEDDING_SLOTS if other != slot)
            assert not re.search(rf"Embedding[{others.upper()}]\b|\bembedding_[{others}](?![a-z])", text), name


def test_no_cypher_is_written_in_python() -> None:
    found = {
        f"{module.relative_to(_PACKAGE).as_posix()}:{line}: {text[:80]!r}"
        for module in _MODULES
        if module.relative_to(_PACKAGE).as_posix() not in _ALLOWED
        for line, text in _strings(module)
        if _is_cypher(text)
    }
    assert found == set()


def test_modules_allowed_to_write_cypher_still_do() -> None:
    """An exception that nobody needs any more would let Cypher in unseen."""
    idle = [path for path in _ALLOWED if not any(_is_cypher(text) for _, text in _strings(_PACKAGE / path))]
    assert idle == []


def test_search_for_cypher_finds_it_in_a_string_and_in_a_formatted_one(tmp_path: Path) -> None:
    module = tmp_path / "guilty.py"
    module.write_text(
        '"""MATCH me not."""\nA = "MATCH (n) RETURN n"\nB = f"CREATE INDEX {A}"\nC = "Match of the day"\n'
    )
    assert [line for line, text in _strings(module) if _is_cypher(text)] == [2, 3]


def _is_cypher(text: str) -> bool:
    return _CLAUSE.search(text) is not None


def _strings(module: Path) -> Iterator[tuple[int, str]]:
    """Line and text of every string in the module that is no docstring."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    docstrings = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def _without_quotes(text: str) -> str:
    return re.sub(r"'(?:\\.|[^'\\])*'|`[^`]*`|//[^\n]*", " ", text)
