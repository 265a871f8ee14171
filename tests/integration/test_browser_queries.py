"""The queries that people click in Neo4j Browser, run on a filled bank, an empty one and one in Chinese."""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import neo4j
import pytest
from neo4j.graph import Node, Path, Relationship

from retrograph.engine.browser_guide import GuideQuery, favourites, guide_page, guide_queries
from retrograph.graph import Connection
from retrograph.memory import Memory

QUERIES = guide_queries()
ENGLISH = (
    ("Ann", "The billing service runs on Kubernetes in Lisbon.", "standup"),
    ("Ben", "Kubernetes upgrades broke the billing service last Tuesday.", "standup"),
    ("Ann", "Remember: Ben owns the billing service.", "standup"),
    ("Ann", "I live in Lisbon.", "move"),
    ("Ann", "I live in Porto now.", "move"),
)
CHINESE = (
    ("张伟", "我们决定把发布会放在杭州。", "周会"),
    ("陈静", "王磊对花生过敏，订餐时请注意。", "周会"),
    ("张伟", "请记住：王磊住在上海。", "周会"),
    ("王磊", "我住在上海。", "搬家"),
    ("王磊", "我搬家了，我现在住在苏州，不再住在上海。", "搬家"),
)


@pytest.fixture(scope="module")
def driver(database: Connection) -> Iterator[neo4j.Driver]:
    """The bare driver, as Neo4j Browser uses one."""
    with neo4j.GraphDatabase.driver(database.uri, auth=(database.username, database.password)) as opened:
        yield opened


def _rows(driver: neo4j.Driver, text: str, **params: Any) -> list[neo4j.Record]:
    return driver.execute_query(text, params).records


def _parts(value: Any) -> Iterator[Any]:
    """A value and all that is in it."""
    yield value
    if isinstance(value, Path):
        for part in (*value.nodes, *value.relationships):
            yield from _parts(part)
    elif isinstance(value, Node | Relationship):
        for inner in dict(value.items()).values():
            yield from _parts(inner)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for inner in value:
            yield from _parts(inner)


def _has_vector(rows: list[neo4j.Record]) -> bool:
    for row in rows:
        for part in _parts(list(row.values())):
            if isinstance(part, Node) and any(label.startswith("Embedding") for label in part.labels):
                return True
            if isinstance(part, list) and len(part) > 8 and all(isinstance(number, float) for number in part):
                return True
            if isinstance(part, Node | Relationship) and "vector" in part:
                return True
    return False


def _banks(rows: list[neo4j.Record]) -> set[str]:
    nodes = [part for row in rows for part in _parts(list(row.values())) if isinstance(part, Node)]
    return {node["bank"] for node in nodes}


@pytest.mark.parametrize("language", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_every_query_of_the_guide_shows_something_and_no_vector(
    language: tuple[tuple[str, str, str], ...], memory: Memory, driver: neo4j.Driver
) -> None:
    bank = _fill(memory, language)
    favourite = _favourites()
    for query in QUERIES:
        for rows in (_rows(driver, query.text(bank)), _rows(driver, favourite[query.name], bank=bank)):
            assert rows, query.name
            assert not _has_vector(rows), query.name
            assert _banks(rows) <= {bank}, query.name


def test_queries_of_the_guide_show_what_they_say(memory: Memory, driver: neo4j.Driver) -> None:
    bank = _fill(memory, ENGLISH)
    by_name = {query.name: query for query in QUERIES}
    newest = _rows(driver, by_name["browse_newest"].text(bank))
    assert newest[0]["content"] == ENGLISH[-1][1]
    history = _rows(driver, by_name["browse_history"].text(bank))
    assert [(row["was"], row["became"]) for row in history] == [(ENGLISH[3][1], ENGLISH[4][1])]
    hubs = {row["name"].lower() for row in _rows(driver, by_name["browse_hubs"].text(bank))}
    assert "kubernetes" in hubs
    chain = _rows(driver, _narrowed(by_name["browse_session"], bank, "standup"))
    followed = [edge for row in chain for edge in row["p"].relationships if edge.type == "NEXT"]
    assert len(followed) == 2
    entity = _rows(driver, _narrowed(by_name["browse_entity"], bank, "KUBERNETES"))
    assert {row["p"].start_node["name"].lower() for row in entity} == {"kubernetes"}
    path = _rows(driver, _narrowed(by_name["browse_path"], bank, "kubernetes", newest[2]["id"]))
    assert len(path) == 1
    assert path[0]["p"].end_node["name"].lower() == "kubernetes"
    assert 1 <= len(path[0]["p"]) <= 3
    one = _rows(driver, _narrowed(by_name["browse_memory"], bank, newest[4]["id"]))
    assert all(newest[4]["id"] in [node.get("id") for node in row["p"].nodes] for row in one)


def test_queries_of_the_guide_show_nothing_of_an_empty_bank(driver: neo4j.Driver) -> None:
    for query in QUERIES:
        assert _rows(driver, query.text('nobody\'s "空" bank & <b>')) == [], query.name


def test_a_vector_would_be_seen(memory: Memory, driver: neo4j.Driver) -> None:
    _fill(memory, ENGLISH[:1])
    slot = _rows(driver, "MATCH (b:Bank {name: $bank}) RETURN b.slot AS slot", bank=memory.identity.bank)[0]["slot"]
    label = f"Embedding{slot.upper()}"
    assert _has_vector(_rows(driver, f"MATCH (e:{label}) RETURN e LIMIT 1"))  # pyright: ignore[reportArgumentType]
    assert _has_vector(_rows(driver, f"MATCH (e:{label}) RETURN e.vector AS v LIMIT 1"))  # pyright: ignore[reportArgumentType]


def test_guide_escapes_the_name_of_the_bank() -> None:
    page = guide_page('<script>alert("1")</script> & 银行')
    assert "<script>" not in page
    assert "&amp; 银行" in page
    runnable = re.findall(r'<pre class="[^"]*runnable">', page)
    assert len(runnable) == len(QUERIES)


def _fill(memory: Memory, told: Iterable[tuple[str, str, str]]) -> str:
    for speaker, content, session in told:
        memory.for_identity(replace(memory.identity, session=session)).write(content, speaker=speaker, force=True)
    return memory.identity.bank


def _narrowed(query: GuideQuery, bank: str, *wanted: str) -> str:
    text = query.text(bank)
    for value in wanted:
        text = text.replace('""', f'"{value}"', 1)
    return text


def _favourites() -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(favourites())) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert all(name.startswith("Retrograph/") for name in texts)
    return {name.removesuffix(".cypher").partition("_")[2]: text for name, text in texts.items()}
