"""Kinds of names that broke others: near, in other scripts, aliases; given fields; what deletion leaves."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from retrograph.errors import InvalidInput, NotFound
from retrograph.graph import Graph
from retrograph.memory import Memory
from retrograph.models import EntityInput, EntityType, MemoryType, RelationInput, Turn

from .conftest import EPOCH, ask, dump

NEAR: Sequence[tuple[str, str]] = (
    ("Julia", "Julian"),
    ("Slovakia", "Slovenia"),
    ("Anne Moor", "Hanne Moor"),
    ("Gate 11", "Gate 12"),
    ("canary", "canary-3"),
    ("worker-1", "worker-10"),
    ("Sven Ivanov", "Sven Ivanova"),
    ("Eric Holm", "Erik Holm"),
    ("Zoë Quist", "Zoe Quist"),
    ("Müller", "Muller"),
    ("v1.2", "v1.2.1"),
    ("10.0.0.1", "10.0.0.11"),
    ("C++", "C#"),
    ("Ostra Labs", "Ostra Labs GmbH"),
    ("St. Ives", "St. Yves"),
    ("O'Neil", "O'Neill"),
    ("R2", "R-2D"),
    ("王伟", "王伟明"),
    ("李雷", "李蕾"),
    ("南京", "南京路"),
    ("西安", "西宁"),
    ("张小红", "张晓红"),
    ("一号库", "二号库"),
    ("Мария", "Марина"),
    ("Иван Петров", "Иван Петрова"),
    ("김민수", "김민서"),
    ("스코프 연구소", "스코프 연구실"),
    ("田中", "田口"),
    ("محمد", "محمود"),
    ("Αθήνα", "Αθηνά"),
    ("माया", "मायरा"),
)
SPACED: Sequence[tuple[str, str]] = (
    ("오로라랩", "오로라 랩"),
    ("BlueHeron", "Blue Heron"),
    ("dataHub", "data-hub 2"),
    ("St Ives", "St.Ives"),
)


def _keys(memory: Memory, memory_id: str | None) -> set[str]:
    assert memory_id
    return {entity.key for entity in memory.get(memory_id).entities}


def _pairs(memory: Memory) -> dict[frozenset[str], float]:
    found = memory.entity_candidates(limit=1000)
    return {frozenset((p.first.name, p.second.name)): p.confidence for p in found.pairs}


def test_near_names_in_any_script_are_separate_entities(memory: Memory, graph: Graph) -> None:
    names = [name for pair in NEAR for name in pair]
    turns = [
        Turn(f"Note {n} names {name}.", occurred_at=EPOCH, entities=(EntityInput(name, EntityType.PERSON),))
        for n, name in enumerate(names)
    ]
    ids = memory.ingest(turns).ids
    rows = ask(
        graph,
        "MATCH (e:Entity {bank: $bank})<-[:MENTIONS]-(m) RETURN e.name AS name, e.key AS key, collect(m.id) AS ids",
        bank=memory.identity.bank,
    )
    by_name = {row["name"]: row for row in rows}
    assert [name for name in names if name not in by_name] == []
    assert [row["name"] for row in rows if not row["key"].strip()] == []
    wrong = [name for name, memory_id in zip(names, ids, strict=True) if by_name[name]["ids"] != [memory_id]]
    assert [(name, by_name[name]) for name in wrong] == []


@pytest.mark.parametrize(("one", "other"), SPACED)
def test_name_with_another_spacing_is_one_entity_or_a_candidate(memory: Memory, one: str, other: str) -> None:
    first, second = (
        memory.ingest([Turn(f"A note on {name}.", entities=(EntityInput(name, EntityType.ORGANISATION),))]).ids[0]
        for name in (one, other)
    )
    assert all(key.strip() for key in _keys(memory, first) | _keys(memory, second))
    if "2" in other:
        assert frozenset((one, other)) not in _pairs(memory), "a number tells things apart"
    elif not _keys(memory, first) & _keys(memory, second):
        assert _pairs(memory).get(frozenset((one, other)), 0.0) >= 0.8


@pytest.mark.parametrize(
    "texts",
    [
        ("We pay 오로라 랩 each month.", "오로라랩은 서울에 있다."),
        ("오로라 랩은 결제 도구를 만든다.", "오로라랩 is a client."),
        ("The order went to Скоуп Лабс.", "Скоуп Лабс ships on Fridays."),
    ],
)
def test_name_in_a_foreign_script_is_read_whole(memory: Memory, texts: tuple[str, str]) -> None:
    ids = memory.ingest([Turn(text, occurred_at=EPOCH) for text in texts]).ids
    keys = [{key.replace(" ", "") for key in _keys(memory, i)} for i in ids]
    assert keys[0] & keys[1] & {"오로라랩", "скоуплабс"}, keys


def test_one_name_in_many_spellings_and_languages_is_one_entity(memory: Memory) -> None:
    texts = (
        "KESTREL opens at nine.",
        "We sent Kestrel the invoice.",
        "Kestrel的服务器很慢。",
        "kestrel 又涨价了。",
        "Is Ｋｅｓｔｒｅｌ in Oslo?",
        "“Kestrel” was renamed by nobody.",
        "Kestrel's owner is Ines.",
    )
    given = (EntityInput("Kestrel", EntityType.ORGANISATION),)
    first = memory.ingest([Turn(texts[0], occurred_at=EPOCH, entities=given)]).ids
    rest = memory.ingest([Turn(t, occurred_at=EPOCH + timedelta(days=n)) for n, t in enumerate(texts[1:], 1)]).ids
    missing = [t for t, i in zip(texts, (*first, *rest), strict=True) if "kestrel" not in _keys(memory, i)]
    assert missing == []
    assert memory.entity("Kestrel").memories_total == len(texts)


@pytest.mark.parametrize(
    ("said", "about", "query", "alias", "name"),
    [
        (
            "Teddy is short for Theodora Vance.",
            "Teddy's bicycle is red.",
            "Theodora Vance's bicycle",
            "Teddy",
            "Theodora Vance",
        ),
        (
            "Theodora Vance goes by Teddy.",
            "Teddy's bicycle is red.",
            "bicycle of Theodora Vance",
            "Teddy",
            "Theodora Vance",
        ),
        (
            "Teddy's real name is Theodora Vance.",
            "Teddy's bicycle is red.",
            "Theodora Vance bicycle",
            "Teddy",
            "Theodora Vance",
        ),
        (
            "ODT stands for Ostra Data Tools.",
            "ODT raised its prices.",
            "prices of Ostra Data Tools",
            "ODT",
            "Ostra Data Tools",
        ),
        ("小唐是唐思远的昵称。", "小唐的自行车是红色的。", "唐思远的自行车", "小唐", "唐思远"),
        ("唐思远，外号小唐。", "小唐的自行车是红色的。", "唐思远的自行车", "小唐", "唐思远"),
        ("奥数的全称是奥斯特拉数据公司。", "奥数涨价了。", "奥斯特拉数据公司涨价了吗", "奥数", "奥斯特拉数据公司"),
    ],
)
def test_alias_leads_to_the_memory_until_it_is_undone(
    memory: Memory, said: str, about: str, query: str, alias: str, name: str
) -> None:
    found = memory.ingest([Turn(about, entities=(EntityInput(alias, EntityType.PERSON),))]).ids[0]
    memory.write(said, force=True)
    assert {n.name for n in memory.entity(name).names} == {alias, name}
    assert found in {hit.memory.id for hit in memory.search(query).hits}
    assert found in {hit.memory.id for hit in memory.search(f"{alias} {query}").hits}, "by the old name"
    assert memory.unmerge_entities(alias, name).changed
    assert [n.name for n in memory.entity(name).names] == [name]
    assert about not in [m.content for m in memory.entity(name).memories]


@pytest.mark.parametrize(
    ("kind", "metadata"),
    [
        (EntityType.TOOL, {"a": {"b": [1, {"c": None}]}, "标签": ["甲", "乙"]}),
        (EntityType.PLACE, {"deep": {"er": {"est": [[], {}, "", 0, -1.5, True]}}}),
        (EntityType.IDENTIFIER, {"José": "ñ", "emoji": "🧵", "long": "x" * 5000, "big": 2**53}),
    ],
)
def test_type_and_metadata_of_the_caller_come_back_unchanged(
    memory: Memory, kind: EntityType, metadata: dict[str, Any]
) -> None:
    result = memory.write(
        "Oslo wrote the manual.",
        force=True,
        entities=[EntityInput("Oslo", kind)],
        metadata=metadata,
        tags=("甲", "José", "b c"),
        type=MemoryType.LESSON,
    )
    assert result.id
    detail = memory.get(result.id)
    assert detail.memory.metadata == metadata
    assert (detail.memory.tags, detail.memory.type) == (("甲", "José", "b c"), MemoryType.LESSON)
    assert ("Oslo", kind) in {(e.name, e.type) for e in detail.entities}


@pytest.mark.parametrize("existing", ["Ines Duarte", "林涛", "loom-7"])
def test_relation_to_an_entity_of_an_earlier_memory_is_an_edge(memory: Memory, graph: Graph, existing: str) -> None:
    memory.write("A first remark.", force=True, entities=[EntityInput(existing, EntityType.PERSON)])
    results = [
        memory.write(f"Remark {n}.", force=True, relations=[relation])
        for n, relation in enumerate(
            (RelationInput(existing, "盯着", "Warp"), RelationInput("Weft", "follows", existing))
        )
    ]
    rows = ask(
        graph,
        "MATCH (:Entity {bank: $bank})-[r:RELATES]->(:Entity {bank: $bank}) "
        "RETURN r.memory_ids AS ids ORDER BY r.predicate",
        bank=memory.identity.bank,
    )
    assert sorted(row["ids"][0] for row in rows) == sorted(str(r.id) for r in results)
    assert memory.entity(existing).relations_total == 2


@pytest.mark.parametrize(
    "text",
    ["Quillon Vasarely restores the orrery in Trondheim.", "薛定安在赤峰修复浑天仪。", "我们用Quillonix修复浑天仪。"],
)
@pytest.mark.parametrize("told", [1, 3])
def test_nothing_of_a_deleted_only_source_is_left(memory: Memory, graph: Graph, text: str, told: int) -> None:
    turns = [
        Turn(text, session=f"s{n}", occurred_at=EPOCH, relations=(RelationInput("Quillon", "修复", "orrery"),))
        for n in range(told)
    ]
    only = memory.ingest(turns).ids[0]
    assert only
    memory.write("A remark that stays.", force=True)
    memory.forget([only], hard=True)
    left = "\n".join(line for part in dump(graph, memory.identity.bank) for line in part).lower()
    assert [word for word in ("quillon", "orrery", "trondheim", "薛定安", "赤峰", "浑天仪", only) if word in left] == []
    assert memory.search(text).hits == () or "stays" in memory.search(text).hits[0].memory.content
    with pytest.raises(NotFound):
        memory.entity("Quillon")


@pytest.mark.parametrize("names", [("Fluxatron",), ("林涛", "loom-7"), ("오로라 랩", "José Quist")])
def test_new_name_of_many_writers_at_once_is_one_entity(memory: Memory, names: tuple[str, ...]) -> None:
    def write(number: int) -> str | None:
        given = [EntityInput(name, EntityType.TOOL) for name in names]
        return memory.write(f"Remark {number} of a writer.", force=True, entities=given).id

    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(write, range(20)))
    assert len(ids) == 20
    for name in names:
        assert memory.entity(name).memories_total == 20


@pytest.mark.parametrize("gone", ["no-such-id", "", "01900000-0000-7000-8000-000000000000", "' OR 1=1 //", "林涛"])
def test_link_to_what_is_not_there_names_it_and_makes_nothing(memory: Memory, graph: Graph, gone: str) -> None:
    here = memory.write("The loom was oiled.", force=True).id
    assert here
    before = dump(graph, memory.identity.bank)
    for ends in ((here, gone), (gone, here)):
        with pytest.raises((NotFound, InvalidInput)) as refused:
            memory.link(*ends, "supports")
        assert repr(gone) in str(refused.value) or gone in str(refused.value)
    assert dump(graph, memory.identity.bank) == before


def test_link_to_a_memory_of_another_bank_or_user_is_as_if_it_were_not_there(memory: Memory, graph: Graph) -> None:
    other = memory.for_identity(replace(memory.identity, bank=f"{memory.identity.bank}-2"))
    here, there = (m.write("The loom was oiled.", force=True).id for m in (memory, other))
    assert here
    assert there
    before = dump(graph, memory.identity.bank), dump(graph, other.identity.bank)
    with pytest.raises(NotFound):
        memory.link(here, there, "supports")
    assert (dump(graph, memory.identity.bank), dump(graph, other.identity.bank)) == before


@pytest.mark.parametrize("relation", [("", "owns", "Loom"), ("Ines", "owns", " "), ("Ines", "", "Loom")])
def test_relation_with_an_empty_end_is_refused_whole(
    memory: Memory, graph: Graph, relation: tuple[str, str, str]
) -> None:
    with pytest.raises(InvalidInput):
        memory.write("Ines owns a loom.", force=True, relations=[RelationInput(*relation)])
    assert dump(graph, memory.identity.bank) == ([], [])
