"""Exports of other memory systems: the MCP reference memory server, mem0, graphiti.

What they hold was put into words by a model, so it comes in as inferred, with the confidence of that source; the raw
episodes of graphiti are what was said.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from retrograph.cli.jsonl import instant
from retrograph.errors import InvalidInput
from retrograph.models import EntityInput, EntityType, RelationInput, Source, Turn

Item = Turn | tuple[str, str]
Fields = Mapping[str, Any]

_TYPES = {
    "person": EntityType.PERSON,
    "user": EntityType.PERSON,
    "人物": EntityType.PERSON,
    "organization": EntityType.ORGANISATION,
    "organisation": EntityType.ORGANISATION,
    "company": EntityType.ORGANISATION,
    "team": EntityType.ORGANISATION,
    "公司": EntityType.ORGANISATION,
    "组织": EntityType.ORGANISATION,
    "place": EntityType.PLACE,
    "location": EntityType.PLACE,
    "city": EntityType.PLACE,
    "地点": EntityType.PLACE,
    "product": EntityType.PRODUCT,
    "service": EntityType.PRODUCT,
    "产品": EntityType.PRODUCT,
    "tool": EntityType.TOOL,
    "library": EntityType.TOOL,
    "工具": EntityType.TOOL,
    "file": EntityType.FILE,
    "文件": EntityType.FILE,
}
_LISTS_OF_MEM0 = ("results", "memories")
_LISTS_OF_GRAPHITI = ("edges", "entity_edges", "facts", "episodes", "episodic_nodes")
_NODES_OF_GRAPHITI = ("nodes", "entity_nodes")


def form_of(data: Any) -> str | None:
    """`mcp-memory`, `mem0` or `graphiti`; None for anything else.

    Args:
        data: Parsed JSON; of JSON lines, the list of the lines.
    """
    if isinstance(data, Mapping):
        whole = cast(Fields, data)
        if isinstance(whole.get("entities"), list) and isinstance(whole.get("relations"), list):
            return "mcp-memory"
        if any(_is_list_of(whole.get(key), "memory") for key in _LISTS_OF_MEM0):
            return "mem0"
        if _is_list_of(whole.get("edges"), "fact") or any(
            isinstance(whole.get(key), list) for key in _LISTS_OF_GRAPHITI if key != "edges"
        ):
            return "graphiti"
        return None
    if _is_list_of(data, "memory"):
        return "mem0"
    if _is_list_of(data, "fact"):
        return "graphiti"
    first = cast(list[Any], data)[0] if isinstance(data, list) and data else None
    return "mcp-memory" if is_mcp_line(first) else None


def is_mcp_line(value: Any) -> bool:
    """Whether this is an entity or a relation as the MCP reference memory server writes them, one a line."""
    if not isinstance(value, Mapping):
        return False
    line = cast(Fields, value)
    kind = line.get("type")
    return (kind == "entity" and "observations" in line) or (kind == "relation" and "relationType" in line)


def parse_lines(text: str) -> list[Any] | None:
    """The lines of a JSONL file of the MCP reference memory server; None where it is none."""
    first = text.lstrip("\ufeff \t\r\n").partition("\n")[0]
    try:
        if not is_mcp_line(json.loads(first)):
            return None
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def read(form: str, data: Any, *, timezone: str) -> Iterator[Item]:
    """The turns of an export; what is none comes as its place and why."""
    if form == "mcp-memory":
        yield from _mcp(data)
    elif form == "mem0":
        yield from _mem0(data, timezone=timezone)
    else:
        yield from _graphiti(data, timezone=timezone)


def _mcp(data: Any) -> Iterator[Item]:
    """An observation is a memory of its entity, a relation one of both its ends."""
    lines = _mcp_lines(data)
    entities = {
        str(line["name"]): _entity(line["name"], line.get("entityType"))
        for line in lines
        if line.get("type") == "entity" and _text(line.get("name"))
    }
    for number, line in enumerate(lines, 1):
        place = f"line {number}"
        if line.get("type") == "entity" and _text(line.get("name")):
            yield from _observations(line, entities[str(line["name"])], place)
        elif line.get("type") == "relation" and all(_text(line.get(key)) for key in ("from", "to", "relationType")):
            subject, predicate, object_ = (str(line[key]) for key in ("from", "relationType", "to"))
            named = [entities.get(name) or EntityInput(name) for name in (subject, object_)]
            yield _stated(
                _sentence(subject, predicate, object_),
                id=f"relation\x1f{subject}\x1f{predicate}\x1f{object_}",
                entities=named,
                relations=[RelationInput(subject, predicate, object_)],
            )
        else:
            yield place, "neither an entity with a name nor a relation with from, to and relationType"


def _mcp_lines(data: Any) -> list[Fields]:
    if isinstance(data, Mapping):
        whole = cast(Mapping[str, list[Fields]], data)
        told = [("entity", line) for line in whole["entities"]] + [("relation", line) for line in whole["relations"]]
        return [{**line, "type": kind} for kind, line in told]
    return [cast(Fields, line) if isinstance(line, Mapping) else {} for line in cast(list[Any], data)]


def _observations(line: Fields, entity: EntityInput, place: str) -> Iterator[Item]:
    observations = _list(line.get("observations"))
    for number, observation in enumerate(observations, 1):
        text = _text(observation)
        if text is None:
            yield f"{place}, observation {number}", "no text"
            continue
        # A memory stands alone: an observation that does not name its entity gets the name in front.
        content = text if entity.name.casefold() in text.casefold() else f"{entity.name}: {text}"
        yield _stated(content, id=f"entity\x1f{entity.name}\x1f{text}", entities=[entity])
    if not observations:
        kind = _text(line.get("entityType")) or "entity"
        yield _stated(_sentence(entity.name, "is a", kind), id=f"entity\x1f{entity.name}", entities=[entity])


def _mem0(data: Any, *, timezone: str) -> Iterator[Item]:
    whole: Fields = cast(Fields, data) if isinstance(data, Mapping) else {"results": data}
    memories = next(cast(list[Any], whole[key]) for key in _LISTS_OF_MEM0 if isinstance(whole.get(key), list))
    for number, memory in enumerate(memories, 1):
        place = f"memory {number}"
        if not isinstance(memory, Mapping) or _text(cast(Fields, memory).get("memory")) is None:
            yield place, "there is no `memory`"
            continue
        told = cast(Fields, memory)
        known = {key: told[key] for key in ("user_id", "agent_id", "app_id", "actor_id") if told.get(key)}
        given = told.get("metadata")
        try:
            yield Turn(
                content=str(told["memory"]),
                session=_text(told.get("run_id")),
                occurred_at=instant(told.get("created_at"), timezone=timezone),
                source=Source.INFERENCE,
                id=_text(told.get("id")),
                tags=tuple(str(tag) for tag in _list(told.get("categories"))),
                metadata={**known, **(cast(Fields, given) if isinstance(given, Mapping) else {})} or None,
            )
        except InvalidInput as error:
            yield place, error.message
    for relation in _all(whole, ("relations",)):
        parts = [_text(relation.get(key)) for key in ("source", "relationship")]
        end = _text(relation.get("target") or relation.get("destination"))
        if parts[0] and parts[1] and end:
            subject, predicate = parts[0], parts[1]
            yield _stated(
                _sentence(subject, predicate, end),
                id=f"relation\x1f{subject}\x1f{predicate}\x1f{end}",
                entities=[EntityInput(subject), EntityInput(end)],
                relations=[RelationInput(subject, predicate, end)],
            )


def _graphiti(data: Any, *, timezone: str) -> Iterator[Item]:
    whole: Fields = cast(Fields, data) if isinstance(data, Mapping) else {"edges": data}
    nodes = {
        str(node["uuid"]): node for node in _all(whole, _NODES_OF_GRAPHITI) if node.get("uuid") and node.get("name")
    }
    named = {uuid: _entity(node["name"], _graphiti_kind(node)) for uuid, node in nodes.items()}
    for number, episode in enumerate(_all(whole, ("episodes", "episodic_nodes")), 1):
        yield _graphiti_turn(
            episode, "content", f"episode {number}", timezone=timezone, source=Source.USER, valid_from=None
        )
    for number, edge in enumerate(_all(whole, ("edges", "entity_edges", "facts")), 1):
        ends = [named.get(str(edge.get(key))) for key in ("source_node_uuid", "target_node_uuid")]
        entities = tuple(end for end in ends if end)
        name = _text(edge.get("name"))
        relations = (RelationInput(entities[0].name, name, entities[1].name),) if len(entities) == 2 and name else ()
        yield _graphiti_turn(
            edge,
            "fact",
            f"edge {number}",
            timezone=timezone,
            source=Source.INFERENCE,
            valid_from=edge.get("valid_at"),
            entities=entities,
            relations=relations,
        )
    for uuid, node in nodes.items():
        if summary := _text(node.get("summary")):
            entity = named[uuid]
            content = summary if entity.name.casefold() in summary.casefold() else f"{entity.name}: {summary}"
            yield _stated(content, id=f"summary\x1f{uuid}", entities=[entity])


def _graphiti_turn(
    told: Fields, key: str, place: str, *, timezone: str, source: Source, valid_from: Any, **more: Any
) -> Item:
    content = _text(told.get(key))
    if content is None:
        return place, f"there is no `{key}`"
    try:
        return Turn(
            content=content,
            occurred_at=instant(told.get("valid_at") or told.get("created_at"), timezone=timezone),
            valid_from=instant(valid_from, timezone=timezone),
            valid_until=instant(told.get("invalid_at") or told.get("expired_at"), timezone=timezone),
            source=source,
            id=_text(told.get("uuid")),
            **more,
        )
    except InvalidInput as error:
        return place, error.message


def _graphiti_kind(node: Fields) -> Any:
    labels = [label for label in _list(node.get("labels")) if label != "Entity"]
    return labels[0] if labels else None


def _all(whole: Fields, keys: Sequence[str]) -> Iterator[Fields]:
    for key in keys:
        for item in _list(whole.get(key)):
            yield cast(Fields, item) if isinstance(item, Mapping) else {}


def _stated(content: str, *, id: str, entities: Sequence[EntityInput], relations: Sequence[RelationInput] = ()) -> Turn:
    return Turn(content=content, source=Source.INFERENCE, id=id, entities=tuple(entities), relations=tuple(relations))


def _entity(name: Any, kind: Any) -> EntityInput:
    return EntityInput(str(name).strip(), _TYPES.get(str(kind or "").strip().casefold(), EntityType.CONCEPT))


def _sentence(subject: str, predicate: str, object_: str) -> str:
    words = predicate.replace("_", " ").strip()
    words = words.lower() if words.isascii() else words
    is_han = any("\u3400" <= character <= "\u9fff" for character in words)
    return f"{subject}{words}{object_}。" if is_han else f"{subject} {words} {object_}."


def _is_list_of(value: Any, key: str) -> bool:
    items = cast(list[Any], value) if isinstance(value, list) else []
    return bool(items) and isinstance(items[0], Mapping) and isinstance(cast(Fields, items[0]).get(key), str)


def _list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) and value.strip() else None
