import pytest

from retrograph.extraction.kinds import fold, propose_importance, propose_type, type_scores
from retrograph.extraction.language import detect_language
from retrograph.models import GateScores, Language, MemoryType


def proposed(text: str, **options: str) -> MemoryType:
    return propose_type(text, language=detect_language(text), **options)


def gate(**values: float) -> GateScores:
    base = {
        "information": 0.8,
        "novelty": 1.0,
        "future_relevance": 0.9,
        "emotion": 0.0,
        "explicit": 0.0,
        "salience": 0.7,
    }
    return GateScores(**(base | values), decided_by="future_relevance")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Farid likes mint tea.", "preference"),
        ("她更喜欢在晚上写代码。", "preference"),
        ("Petra lives in Oslo.", "fact"),
        ("公司总部位于深圳。", "fact"),
        ("Rosa moved to Lisbon last month.", "event"),
        ("昨天我们上线了新功能。", "event"),
        ("We decided to use Kafka.", "decision"),
        ("最终我们选了 Terraform。", "decision"),
        ("All responses must stay under 200 ms.", "constraint"),
        ("PR 必须 pass CI 才能合并。", "constraint"),
        ("The root cause was an expired certificate.", "lesson"),
        ("后来发现问题出在代理超时。", "lesson"),
        ("The migration is half done; two tables are left.", "task_state"),
        ("任务还没完成，卡在权限上。", "task_state"),
        ("To restart the worker, run make restart.", "skill"),
        ("发布步骤：先打标签，再推送。", "skill"),
        ("Looking back, we tested too little.", "reflection"),
        ("总的来说，小步提交让评审更快。", "reflection"),
        ("Hm.", "note"),
    ],
)
def test_type_follows_the_cues(text: str, kind: str) -> None:
    assert proposed(text) == kind


def test_explicit_remember_does_not_change_the_type() -> None:
    assert proposed("Remember that Farid likes mint tea.") == proposed("Farid likes mint tea.")
    assert fold("请记住：服务器在上海") == "服务器在上海"


def test_speaker_in_front_is_left_out() -> None:
    assert proposed("Ann: I prefer tea.", speaker="Ann") is MemoryType.PREFERENCE


def test_unread_language_without_cues_is_a_note() -> None:
    assert propose_type("Ja.", language=Language.OTHER) is MemoryType.NOTE


def test_scores_name_every_type_with_a_cue() -> None:
    assert {MemoryType.DECISION, MemoryType.FACT} <= type_scores("We decided that Redis is the cache.").keys()


def test_importance_is_ordered_by_type_and_feeling() -> None:
    must = propose_importance("All builds must pass.", MemoryType.CONSTRAINT, gate())
    fact = propose_importance("The office is in Leeds.", MemoryType.FACT, gate())
    felt = propose_importance("The office is in Leeds.", MemoryType.FACT, gate(emotion=1.0))
    asked = propose_importance("The office is in Leeds.", MemoryType.FACT, gate(explicit=1.0))
    hedged = propose_importance("Maybe the office is in Leeds.", MemoryType.FACT, gate())
    assert hedged < fact < felt < asked
    assert fact < must <= 1.0
