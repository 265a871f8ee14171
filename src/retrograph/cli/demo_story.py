"""The story that the demo tells, and what it asks afterwards.

The story is of a small team, told in English and Chinese. The questions marked as `by_links` have an answer
that shares no word with them: another memory, and the thing that both mention, lie between them.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from retrograph.models import Turn

_SESSIONS = (
    (
        "design review",
        datetime(2026, 3, 2, 9, 30, tzinfo=UTC),
        (
            ("Mara", "Heron is our new invoice service, and it has to be live by 12 June."),
            ("Tom", "Heron reads every amount through Kestrel."),
            ("Tom", "We decided to freeze the public API at version 3.2 until the launch."),
            ("Mara", "I drink green tea before every presentation, never coffee."),
        ),
    ),
    (
        "深圳周会",
        datetime(2026, 3, 4, 2, 0, tzinfo=UTC),
        (
            ("陈静", "深圳工厂下周开始试产 Lumen。"),
            ("陈静", "我们决定把 Lumen 的发布会放在杭州。"),
            ("王磊", "我对花生过敏，订餐的时候请注意。"),
            ("王磊", "以后周会改到每周四上午十点。"),
        ),
    ),
    (
        "operations",
        datetime(2026, 3, 9, 14, 0, tzinfo=UTC),
        (
            ("Tom", "Kestrel has one maintainer, Ingrid Solberg, and she is on parental leave until September."),
            ("Tom", "The staging database ran out of disk because nobody rotated the audit log."),
            ("Mara", "Lesson learned: put an alert on disk usage before it reaches 80 percent."),
            ("陈静", "Lumen 的芯片厂瑞昌电子上周被洪水淹了。"),
        ),
    ),
    (
        "里斯本 office",
        datetime(2026, 3, 16, 8, 0, tzinfo=UTC),
        (
            ("Mara", "陈静 moved to Lisbon in January and works from the Alfama office."),
            ("王磊", "Alfama 办公室的门禁只认 7741 号工卡。"),
            ("Tom", "The printer in the Alfama office only takes A4 paper."),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the story.

    Args:
        text: As it is asked.
        answer: The memory that answers it, word for word.
        by_links: Question and answer share no word; only the graph connects them.
    """

    text: str
    answer: str
    by_links: bool = False


QUESTIONS = (
    Question(
        "What could hold up Heron?",
        "Kestrel has one maintainer, Ingrid Solberg, and she is on parental leave until September.",
        by_links=True,
    ),
    Question("深圳试产会不会延误？", "Lumen 的芯片厂瑞昌电子上周被洪水淹了。", by_links=True),
    Question("请 Mara 演讲之前该准备什么喝的？", "I drink green tea before every presentation, never coffee."),
    Question("Does anybody have a food allergy?", "我对花生过敏，订餐的时候请注意。"),
    Question(
        "Why did staging go down?",
        "The staging database ran out of disk because nobody rotated the audit log.",
    ),
)


def story() -> list[Turn]:
    """The turns of the story in the order in which they happened, each with an id of its own."""
    return [
        Turn(
            content,
            speaker=speaker,
            session=session,
            occurred_at=at.replace(minute=at.minute + number),
            id=f"demo-{session}-{number}",
        )
        for session, at, said in _SESSIONS
        for number, (speaker, content) in enumerate(said)
    ]
