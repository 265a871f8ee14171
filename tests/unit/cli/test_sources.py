"""Files to ingest: the form is told by the content, every turn has a stable id, what is bad is named."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from retrograph.cli.sources import BadTurn, Format, open_bytes, open_source
from retrograph.errors import InvalidInput
from retrograph.models import EntityInput, EntityType, MemoryType, RelationInput, Source, Turn


def opened(content: str | bytes, *, format: Format | None = None, timezone: str = "UTC"):
    raw = content if isinstance(content, bytes) else content.encode()
    return open_bytes(raw, format=format, timezone=timezone)


def turns(content: str | bytes, **options) -> list[Turn | BadTurn]:
    return list(opened(content, **options).read())


def as_json(value) -> str:
    return json.dumps(value, ensure_ascii=False)


CHATGPT = [
    {
        "title": "搬家",
        "conversation_id": "c1",
        "create_time": 1_772_000_000.5,
        "current_node": "n4",
        "mapping": {
            "n0": {"message": None, "parent": None, "children": ["n1"]},
            "n1": {
                "parent": "n0",
                "children": ["n2", "n3"],
                "message": {
                    "id": "m1",
                    "author": {"role": "system"},
                    "create_time": None,
                    "content": {"content_type": "text", "parts": ["You are helpful."]},
                },
            },
            "n2": {
                "parent": "n1",
                "children": [],
                "message": {
                    "id": "m2",
                    "author": {"role": "user"},
                    "content": {"content_type": "text", "parts": ["a question that was edited away"]},
                },
            },
            "n3": {
                "parent": "n1",
                "children": ["n4"],
                "message": {
                    "id": "m3",
                    "author": {"role": "user"},
                    "create_time": 1_772_000_100,
                    "content": {"content_type": "multimodal_text", "parts": [{"asset": 1}, "我搬到 Lisbon 了"]},
                },
            },
            "n4": {
                "parent": "n3",
                "children": [],
                "message": {
                    "id": "m4",
                    "author": {"role": "assistant"},
                    "create_time": 1_772_000_200,
                    "content": {"content_type": "text", "parts": ["Congratulations!"]},
                },
            },
        },
    }
]

CLAUDE = [
    {
        "uuid": "c9",
        "name": "Tea",
        "created_at": "2026-03-01T08:00:00Z",
        "chat_messages": [
            {
                "uuid": "u1",
                "sender": "human",
                "text": "",
                "content": [{"type": "text", "text": "I like tea"}, {"type": "tool_use", "input": {}}],
                "created_at": "2026-03-01T08:01:00.5Z",
            },
            {"uuid": "u2", "sender": "assistant", "text": "好的", "created_at": "2026-03-01T08:02:00Z"},
            {"uuid": "u3", "sender": "human", "text": "", "content": []},
        ],
    }
]


def test_jsonl_turns_have_every_field():
    line = {
        "content": "Ada 搬到 Lisbon",
        "speaker": "Ben",
        "session": "s1",
        "occurred_at": "2026-03-01T10:00",
        "type": "event",
        "source": "tool",
        "id": "t1",
        "domain": "d",
        "tags": ["a"],
        "entities": ["Lisbon", {"name": "Ada", "type": "person", "aliases": ["A."]}],
        "relations": [["Ada", "lives in", "Lisbon"], {"subject": "a", "predicate": "b", "object": "c"}],
        "metadata": {"k": 1},
        "colour": "red",
    }
    assert turns(as_json(line), timezone="Asia/Shanghai") == [
        Turn(
            "Ada 搬到 Lisbon",
            speaker="Ben",
            session="s1",
            occurred_at=datetime(2026, 3, 1, 2, tzinfo=UTC),
            type=MemoryType.EVENT,
            source=Source.TOOL,
            id="t1",
            domain="d",
            tags=("a",),
            entities=(EntityInput("Lisbon"), EntityInput("Ada", EntityType.PERSON, ("A.",))),
            relations=(RelationInput("Ada", "lives in", "Lisbon"), RelationInput("a", "b", "c")),
            metadata={"colour": "red", "k": 1},
        )
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "no JSON"),
        ("3", "not an object but int"),
        ("{}", "no `content`"),
        ('{"content": "  "}', "no `content`"),
        ('{"content": 3}', "`content` is no text"),
        ('{"content": "x", "occurred_at": "soon"}', "'soon' is no time"),
        ('{"content": "x", "occurred_at": true}', "True is no time"),
        ('{"content": "x", "occurred_at": 1e300}', "is no time"),
        ('{"content": "x", "type": "opinion"}', "`type` 'opinion' is none of"),
        ('{"content": "x", "source": 3}', "`source` 3 is none of"),
        ('{"content": "x", "tags": "a"}', "`tags` is no list"),
        ('{"content": "x", "tags": [1]}', "`tags` is no text"),
        ('{"content": "x", "entities": [{"type": "person"}]}', "an entity is a name"),
        ('{"content": "x", "entities": [{"name": "A", "type": "persn"}]}', "entity type"),
        ('{"content": "x", "relations": [["a", "b"]]}', "a relation is"),
        ('{"content": "x", "relations": [["a", "b", 3]]}', "a relation is"),
        ('{"content": "x", "metadata": []}', "`metadata` is no object"),
        ('{"content": "x", "k": NaN}', "NaN"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_a_bad_line_is_named_by_its_number_and_the_rest_is_read(line, reason):
    read = turns(f'{{"content": "first"}}\n\n{line}\n{{"content": "last"}}\n')
    assert [item.content for item in (read[0], read[2])] == ["first", "last"]
    assert isinstance(read[1], BadTurn)
    assert read[1].place == "line 3"
    assert reason in read[1].reason


def test_a_line_that_is_not_utf8_is_named():
    read = turns(b'{"content": "a"}\n{"content": "\xe8\xc6"}\n')
    assert read[1] == BadTurn("line 2", "not UTF-8 text (byte 13)")


def test_jsonl_is_read_line_by_line(tmp_path: Path):
    path = tmp_path / "many.jsonl"
    path.write_text('{"content": "one"}\n' * 5 + "broken")
    stream = open_source(path, format=None, timezone="UTC").read()
    assert [next(stream).content for _ in range(5)] == ["one"] * 5


def test_ids_depend_on_what_is_said_and_how_often_not_on_the_file():
    line = '{"content": "ok", "speaker": "Ada"}\n'
    first = [item.id for item in turns(line + line + '{"content": "好"}\n')]
    assert len(set(first)) == 3
    again = [item.id for item in turns('{"content": "before"}\n' + line + line)]
    assert again[1:] == first[:2]


def test_the_same_file_read_twice_gives_the_same_turns():
    source = opened("Ada: hello\nBen: 你好\nAda: hello\n")
    assert list(source.read()) == list(source.read())


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ('{"content": "x"}\n{"content": "y"}', Format.JSONL),
        ('\ufeff{"text": "x"}', Format.JSONL),
        ('{"content": "' + "x" * 100_000 + '"}\n{"content": "y"}', Format.JSONL),
        (as_json([{"role": "user", "content": "x"}]), Format.MESSAGES),
        (json.dumps({"messages": [{"role": "user", "content": "x"}]}, indent=1), Format.MESSAGES),
        (as_json([{"id": 1, "messages": [{"role": "user", "content": "x"}]}]), Format.MESSAGES),
        (as_json(CHATGPT), Format.CHATGPT),
        (as_json(CHATGPT[0]), Format.CHATGPT),
        (as_json(CLAUDE), Format.CLAUDE),
        (as_json({"conversations": CLAUDE}), Format.CLAUDE),
        ("Ada: hello\nBen: hi\nAda: how are you?", Format.TRANSCRIPT),
        ("张伟：你好\n李娜：你好啊\n张伟：明天见", Format.TRANSCRIPT),
        ("[2026-05-03 10:00] Ada: hello\n[2026-05-03 10:01] Ada: again", Format.TRANSCRIPT),
        ("# Title\n\nA paragraph: with a colon.\n\nAnother one.", Format.NOTES),
        ("Just a sentence.", Format.NOTES),
        ("Ada: one line alone", Format.NOTES),
        ("[not json", Format.NOTES),
        ("See https://a.example and\nhttps://b.example for more", Format.NOTES),
    ],
)
def test_the_form_is_told_by_the_content(content, format):
    assert opened(content).format is format


@pytest.mark.parametrize("name", ["turns.jsonl", "turns.NDJSON"])
@pytest.mark.parametrize(
    "broken", ['{"content": "Ada drinks t', "no JSON at all", '{"said": "unknown key"}\n{"said": "b"}']
)
def test_a_file_named_as_lines_is_never_taken_for_notes(tmp_path: Path, name, broken):
    file = tmp_path / name
    file.write_text(broken, encoding="utf-8")
    source = open_source(file, format=None, timezone="UTC")
    assert source.format is Format.JSONL
    first = next(iter(source.read()))
    assert isinstance(first, BadTurn)
    assert first.place == "line 1"


def test_a_broken_first_line_before_good_ones_is_named_and_the_others_are_read():
    source = opened('{"content": "Ada drinks t\n{"content": "小李住在苏州。"}\n')
    assert source.format is Format.JSONL
    bad, good = source.read()
    assert isinstance(bad, BadTurn)
    assert bad.place == "line 1"
    assert isinstance(good, Turn)
    assert good.content == "小李住在苏州。"


@pytest.mark.parametrize(
    "content", ['[{"role": "user", "content": "我对花生过', '{"messages": [{"role":', '[ {"a": 1} ] ]']
)
def test_json_that_breaks_off_is_refused_and_never_stored_as_notes(content):
    with pytest.raises(InvalidInput, match="no JSON that can be read") as caught:
        opened(content)
    assert "--format notes" in caught.value.cure
    assert opened(content, format=Format.NOTES).format is Format.NOTES


def test_a_file_named_json_that_is_none_is_refused(tmp_path: Path):
    file = tmp_path / "chat.json"
    file.write_text("user: hello there\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="no JSON that can be read"):
        open_source(file, format=None, timezone="UTC")


def test_messages_keep_roles_sessions_and_times():
    read = turns(
        as_json(
            [
                {"role": "system", "content": "be brief"},
                {"role": "user", "content": "我喜欢茶", "timestamp": 1_772_000_000_000, "id": 7},
                {"role": "assistant", "content": [{"type": "text", "text": "Noted."}, {"type": "image"}]},
                {"role": "user", "content": [{"type": "image"}]},
                {"role": "tool", "name": "weather", "content": "rain"},
            ]
        )
    )
    assert [(t.speaker, t.content, t.source) for t in read] == [
        ("user", "我喜欢茶", Source.USER),
        ("assistant", "Noted.", Source.INFERENCE),
        ("weather", "rain", Source.TOOL),
    ]
    assert read[0].occurred_at == datetime.fromtimestamp(1_772_000_000, tz=UTC)
    assert read[0].id == "7"


def test_messages_of_several_conversations_keep_their_session():
    read = turns(as_json([{"id": n, "messages": [{"role": "user", "content": f"m{n}"}]} for n in (1, 2)]))
    assert [(t.session, t.content) for t in read] == [("1", "m1"), ("2", "m2")]


def test_a_message_that_is_none_is_named_by_its_place():
    read = turns(as_json([{"role": "user", "content": "x"}, {"role": "user"}, 3]))
    assert [item.place for item in read[1:]] == ["message 2 of conversation 1", "message 3 of conversation 1"]


def test_chatgpt_gives_the_branch_that_was_seen_last():
    read = turns(as_json(CHATGPT))
    assert [(t.id, t.speaker, t.content, t.session) for t in read] == [
        ("m3", "user", "我搬到 Lisbon 了", "c1"),
        ("m4", "assistant", "Congratulations!", "c1"),
    ]
    assert read[0].occurred_at == datetime.fromtimestamp(1_772_000_100, tz=UTC)
    assert read[0].metadata == {"conversation": "搬家"}


def test_chatgpt_without_a_current_node_ends_at_the_last_leaf():
    one = {**CHATGPT[0]}
    del one["current_node"]
    assert [t.id for t in turns(as_json([one]))] == ["m3", "m4"]


def test_chatgpt_with_a_circle_of_parents_ends():
    nodes = {
        "a": {"parent": "b", "children": ["b"], "message": None},
        "b": {
            "parent": "a",
            "children": [],
            "message": {"id": "m", "author": {"role": "user"}, "content": {"parts": ["x"]}},
        },
    }
    assert [t.content for t in turns(as_json([{"mapping": nodes, "current_node": "b"}]))] == ["x"]


def test_claude_joins_text_and_leaves_out_what_is_empty():
    read = turns(as_json(CLAUDE))
    assert [(t.id, t.speaker, t.content, t.session, t.source) for t in read] == [
        ("u1", "user", "I like tea", "c9", Source.USER),
        ("u2", "assistant", "好的", "c9", Source.INFERENCE),
    ]
    assert read[0].occurred_at == datetime(2026, 3, 1, 8, 1, 0, 500_000, tzinfo=UTC)


def test_a_conversation_of_a_wrong_form_is_named_and_the_others_are_read():
    read = turns(as_json([*CLAUDE, {"uuid": "broken"}, 3]))
    assert [item.place for item in read if isinstance(item, BadTurn)] == [
        "message 1 of conversation 2",
        "message 1 of conversation 3",
    ]
    assert len(read) == 4


def test_a_transcript_keeps_names_times_and_lines_below():
    text = "2026-05-03 10:00 Ada: Hello\nand more\n\n[2026-05-03 10:05] 张伟：你好\nAda: bye: now\n"
    read = turns(text, format=Format.TRANSCRIPT, timezone="Asia/Shanghai")
    assert [(t.speaker, t.content) for t in read] == [
        ("Ada", "Hello\nand more"),
        ("张伟", "你好"),
        ("Ada", "bye: now"),
    ]
    assert [t.occurred_at.hour for t in read] == [2, 2, 2]


def test_a_transcript_in_bold_and_with_a_date_that_is_none_is_read():
    read = turns("**Ada:** hello\n2026-13-45 Ben: hi\n**Ada:** bye", format=Format.TRANSCRIPT)
    assert [(t.speaker, t.content, t.occurred_at) for t in read] == [
        ("Ada", "hello", None),
        ("Ben", "hi", None),
        ("Ada", "bye", None),
    ]


def test_notes_are_paragraphs_under_their_headings():
    text = (
        "---\ntitle: x\n---\n# 项目\n\nOne\nparagraph.\n\n## Billing\n第二段。\n\n"
        "```\ncode\n\nmore\n```\n\n***\n\n# Other\nLast."
    )
    read = turns(text)
    assert [(t.content, (t.metadata or {}).get("headings")) for t in read] == [
        ("One\nparagraph.", ["项目"]),
        ("第二段。", ["项目", "Billing"]),
        ("```\ncode\n\nmore\n```", ["项目", "Billing"]),
        ("Last.", ["Other"]),
    ]


def test_utf16_with_its_mark_is_read():
    assert turns("张伟：你好\n张伟：再见".encode("utf-16"))[0].speaker == "张伟"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (b"PK\x03\x04\x00\x00", "no text file"),
        ("茶".encode("gb18030") * 3, "not UTF-8"),
        (b'{"a": {"b": 1}}', "a form that is not known"),
        (b"[1, 2]", "a form that is not known"),
        (b"[]", "a form that is not known"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_cure(content, said):
    with pytest.raises(InvalidInput) as caught:
        opened(content)
    assert said in caught.value.message
    assert caught.value.cure


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path):
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(InvalidInput, match="cannot be read"):
            open_source(path, format=None, timezone="UTC")


def test_a_form_that_was_forced_on_other_content_is_refused():
    with pytest.raises(InvalidInput, match="no JSON"):
        opened("Ada: hello", format=Format.CLAUDE)
    assert [type(item) for item in turns("Ada: hello", format=Format.JSONL)] == [BadTurn]
