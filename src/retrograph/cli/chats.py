"""Exports of chats as JSON: lists of messages, and the archives that ChatGPT and Claude hand out."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from retrograph.cli.jsonl import turn
from retrograph.errors import InvalidInput
from retrograph.models import Turn

_INSTRUCTING_ROLES = ("system", "developer")
_CONVERSATION_KEYS = ("conversations", "chats")

Item = Turn | tuple[str, str]


def form_of(data: Any) -> str | None:
    """`chatgpt`, `claude` or `messages`; None for JSON that is no chat."""
    if isinstance(data, Mapping):
        whole = cast(Mapping[str, Any], data)
        inner = next((whole[key] for key in _CONVERSATION_KEYS if isinstance(whole.get(key), list)), None)
        if inner is not None:
            return form_of(inner)
        return _form_of_one(whole) or ("messages" if isinstance(whole.get("messages"), list) else None)
    if not isinstance(data, list) or not data:
        return None
    first = cast(list[Any], data)[0]
    if not isinstance(first, Mapping):
        return None
    one = cast(Mapping[str, Any], first)
    if form := _form_of_one(one):
        return form
    has_text = any(key in one for key in ("content", "text", "message"))
    return "messages" if has_text or isinstance(one.get("messages"), list) else None


def read(form: str, data: Any, *, timezone: str) -> Iterator[Item]:
    """The turns of a chat export, conversation by conversation; what is no turn comes as its place and why.

    System and developer messages are left out: they are instructions to a model, not memories.
    """
    for number, conversation in enumerate(_conversations(data), 1):
        if form == "chatgpt":
            messages = _chatgpt(conversation)
        elif form == "claude":
            messages = _claude(conversation)
        else:
            messages = _messages(conversation)
        yield from _turns(messages, number, timezone=timezone)


def _form_of_one(conversation: Mapping[str, Any]) -> str | None:
    if isinstance(conversation.get("mapping"), Mapping):
        return "chatgpt"
    return "claude" if isinstance(conversation.get("chat_messages"), list) else None


def _conversations(data: Any) -> Iterator[Any]:
    if isinstance(data, Mapping):
        whole = cast(Mapping[str, Any], data)
        inner = next((whole[key] for key in _CONVERSATION_KEYS if isinstance(whole.get(key), list)), None)
        yield from cast(list[Any], inner) if inner is not None else [whole]
        return
    items = cast(list[Any], data)
    is_nested = (
        bool(items)
        and isinstance(items[0], Mapping)
        and bool({"mapping", "chat_messages", "messages"} & set(cast(Mapping[str, Any], items[0])))
    )
    yield from items if is_nested else [{"messages": items}]


def _turns(messages: Iterator[Any], conversation: int, *, timezone: str) -> Iterator[Item]:
    for number, message in enumerate(messages, 1):
        if isinstance(message, Mapping) and _is_left_out(cast(Mapping[str, Any], message)):
            continue
        try:
            yield turn(message, timezone=timezone)
        except InvalidInput as error:
            yield f"message {number} of conversation {conversation}", error.message


def _is_left_out(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    is_empty = message.get("is_rich") is True or (isinstance(content, str) and not content.strip())
    return is_empty or str(message.get("role", "")).lower() in _INSTRUCTING_ROLES


def _messages(conversation: Any) -> Iterator[Any]:
    if not isinstance(conversation, Mapping):
        yield conversation
        return
    whole = cast(Mapping[str, Any], conversation)
    session = whole.get("id") or whole.get("session") or whole.get("session_id") or whole.get("title")
    for message in cast(Sequence[Any], whole.get("messages") or ()):
        if not isinstance(message, Mapping):
            yield message
            continue
        flat = dict(cast(Mapping[str, Any], message))
        for key in ("content", "text", "message"):
            if isinstance(flat.get(key), list):
                flat[key] = _joined(flat[key])
                if not flat[key]:
                    flat["is_rich"] = True  # Pictures and the like alone: nothing to read, and no fault.
        if session and not any(flat.get(key) for key in ("session", "session_id", "conversation_id")):
            flat["session"] = session
        yield flat


def _chatgpt(conversation: Any) -> Iterator[Any]:
    """The branch that the reader saw last: from the current node up to the root, turned round."""
    if not isinstance(conversation, Mapping) or not isinstance(
        cast(Mapping[str, Any], conversation).get("mapping"), Mapping
    ):
        yield conversation
        return
    whole = cast(Mapping[str, Any], conversation)
    nodes = cast(Mapping[str, Any], whole["mapping"])
    session = whole.get("conversation_id") or whole.get("id") or whole.get("title")
    for node in _branch(nodes, whole.get("current_node")):
        message = node.get("message")
        if not isinstance(message, Mapping):
            continue
        said = cast(Mapping[str, Any], message)
        author = cast(Mapping[str, Any], said.get("author") or {})
        content = cast(Mapping[str, Any], said.get("content") or {})
        text = _joined(content.get("parts") or [content.get("text")])
        hidden = cast(Mapping[str, Any], said.get("metadata") or {}).get("is_visually_hidden_from_conversation")
        if not text or hidden:
            continue
        yield _message(
            text,
            role=str(author.get("role") or "user"),
            name=author.get("name"),
            time=said.get("create_time") or whole.get("create_time"),
            id=said.get("id"),
            session=session,
            title=whole.get("title"),
        )


def _branch(nodes: Mapping[str, Any], current: Any) -> list[Mapping[str, Any]]:
    if current not in nodes:  # Old exports do not say: the node written last that nothing follows.
        leaves = [
            key
            for key, node in nodes.items()
            if isinstance(node, Mapping) and not cast(Mapping[str, Any], node).get("children")
        ]
        current = leaves[-1] if leaves else None
    branch: list[Mapping[str, Any]] = []
    seen: set[Any] = set()
    while current in nodes and current not in seen and isinstance(nodes[current], Mapping):
        seen.add(current)
        branch.append(cast(Mapping[str, Any], nodes[current]))
        current = branch[-1].get("parent")
    return branch[::-1]


def _claude(conversation: Any) -> Iterator[Any]:
    if not isinstance(conversation, Mapping) or not isinstance(
        cast(Mapping[str, Any], conversation).get("chat_messages"), list
    ):
        yield conversation
        return
    whole = cast(Mapping[str, Any], conversation)
    for message in cast(list[Any], whole["chat_messages"]):
        if not isinstance(message, Mapping):
            yield message
            continue
        said = cast(Mapping[str, Any], message)
        text = _joined(said.get("content")) or str(said.get("text") or "")
        if text.strip():
            yield _message(
                text,
                role="assistant" if said.get("sender") == "assistant" else "user",
                time=said.get("created_at") or whole.get("created_at"),
                id=said.get("uuid"),
                session=whole.get("uuid") or whole.get("name"),
                title=whole.get("name"),
            )


def _message(text: str, *, role: str, time: Any, id: Any, session: Any, title: Any, name: Any = None) -> dict[str, Any]:
    return {
        "content": text,
        "role": role,
        "speaker": name or None,
        "occurred_at": time,
        "id": id,
        "session": session,
        "metadata": {"conversation": title} if title else None,
    }


def _joined(parts: Any) -> str:
    """The texts among the parts of a message; pictures, tool calls and the like are left out."""
    if isinstance(parts, str):
        return parts
    texts: list[str] = []
    for part in cast(list[Any], parts if isinstance(parts, list) else []):
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            inner = cast(Mapping[str, Any], part)
            if inner.get("type", "text") in ("text", "input_text", "output_text") and isinstance(
                inner.get("text"), str
            ):
                texts.append(inner["text"])
    return "\n".join(text for text in texts if text.strip())
