"""A lesson is recalled by the words of its experience and summary, and by its domain."""

from retrograph.memory import Memory
from retrograph.models import Experience, MemoryType


def test_lesson_is_found_by_words_of_its_experience(memory: Memory) -> None:
    lesson = memory.write(
        "Importing the customer file failed twice on Monday.",
        type=MemoryType.LESSON,
        domain="csv-parsing",
        summary="Heron import outage",
        experience=Experience(
            problem="rows were shifted by one column",
            root_cause="an unescaped semicolon",
            solution="quote every field",
            verified=True,
            outcome="failure",
        ),
        force=True,
    )
    memory.write("The canteen serves noodles on Thursdays.", domain="lunch", force=True)
    for words in ("unescaped semicolon", "quote every field", "Heron outage"):
        hits = memory.search(words).hits
        assert hits
        assert hits[0].memory.id == lesson.id, words
    (only,) = memory.search("what failed?", domain="csv-parsing", min_score=0.0).hits
    assert only.memory.experience is not None
    assert only.memory.experience.root_cause == "an unescaped semicolon"


def test_chinese_lesson_is_found_by_words_of_its_experience(memory: Memory) -> None:
    lesson = memory.write(
        "周一导入客户文件时两次失败。",
        type=MemoryType.LESSON,
        experience=Experience(problem="整行错位", root_cause="分号没有转义", solution="所有字段加引号"),
        force=True,
    )
    memory.write("食堂周四供应面条。", force=True)
    hits = memory.search("分号转义").hits
    assert hits
    assert hits[0].memory.id == lesson.id
