"""Names that are nearly one in one text stay apart, short names are found, and numbers tell rooms apart."""

import pytest

from retrograph.extraction import Extractor, entity_key


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mario paid Maria for the tickets.", {"Mario", "Maria"}),
        ("Carla drove to Nigeria and Carlo flew to Niger.", {"Carla", "Nigeria", "Carlo", "Niger"}),
        ("Karl Marxen met Karl Marx.", {"Karl Marxen", "Karl Marx"}),
        ("node-1 replicates to node-11.", {"node-1", "node-11"}),
        ("Pia loves tea.", {"Pia"}),
        ("张伟和张伟明都在上海。", {"张伟", "张伟明", "上海"}),
        ("陈静和陈婧不是同一个人。", {"陈静", "陈婧"}),
        ("201会议室和202会议室都满了。", {"201会议室", "202会议室"}),
        ("我在3号楼上班，她在5号楼上班。", {"3号楼", "5号楼"}),
        ("DGIA审批了方案，我们向DGIA求助。", {"DGIA"}),
    ],
)
def test_near_names_of_one_text_stay_apart(extractor: Extractor, text: str, names: set[str]) -> None:
    found = {entity_key(entity.name) for entity in extractor.extract(text).entities}
    assert {entity_key(name) for name in names} <= found


@pytest.mark.parametrize("text", ["Management likes the plan.", "Water moves fast.", "Staff like it.", "有人来过。"])
def test_bare_nouns_that_act_are_no_names(extractor: Extractor, text: str) -> None:
    assert extractor.extract(text).entities == ()


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("何伟对虾过敏。", ("何伟", "allergic_to", "虾")),
        ("小美对花生过敏。", ("小美", "allergic_to", "花生")),
        ("Pia loves tea.", ("Pia", "likes", "tea")),
    ],
)
def test_relation_of_a_short_or_miscut_name_is_read(
    extractor: Extractor, text: str, relation: tuple[str, str, str]
) -> None:
    assert [(r.subject, r.predicate, r.object) for r in extractor.extract(text).relations] == [relation]
