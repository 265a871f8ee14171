"""What clients were promised: schemas that only gain fields, hints, size, and the table in the documentation.

`python tests/unit/server/test_published.py` writes the schemas and the table anew, after an addition.
"""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from retrograph import __version__
from retrograph.models import Identity
from retrograph.server import build_server
from retrograph.server.tools import TOOLS
from retrograph.settings import ServerSettings, Settings

ROOT = Path(__file__).parents[3]
PUBLISHED = ROOT / "tests" / "data" / "mcp_schemas.json"
DOCUMENT = ROOT / "docs" / "mcp.md"
BEGIN, END = "<!-- tools: begin -->", "<!-- tools: end -->"
CORE_TOKENS = 4000


def listing(profile: str) -> list[dict[str, Any]]:
    settings = Settings(server=ServerSettings(profile=profile))
    memory: Any = SimpleNamespace(settings=settings, identity=Identity())
    tools = asyncio.run(build_server(memory, warm=False).list_tools())
    return [tool.to_mcp_tool().model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


def schemas() -> dict[str, dict[str, Any]]:
    return {tool["name"]: {"input": tool["inputSchema"], "output": tool["outputSchema"]} for tool in listing("full")}


def table() -> str:
    rows = ["| tool | what for | arguments | hints |", "|---|---|---|---|"]
    for tool in listing("full"):
        schema = tool["inputSchema"]
        required = schema.get("required", [])
        names = [f"**{name}**" if name in required else name for name in schema["properties"]]
        hints = [name.removesuffix("Hint") for name, value in tool["annotations"].items() if value is True]
        core = next(spec.is_core for spec in TOOLS if spec.name == tool["name"])
        purpose = tool["description"].splitlines()[0]
        name = f"`{tool['name']}`" + ("" if core else " (not in `core`)")
        rows.append(f"| {name} | {purpose} | {', '.join(names)} | {', '.join(hints)} |")
    return "\n".join(rows)


def lost(was: Any, now: Any, path: str, *, is_input: bool) -> list[str]:
    """Where a schema no longer keeps a promise: a field gone, of another type, or newly required."""
    faults = [] if was.get("type") == now.get("type") else [f"{path}: type {was.get('type')} → {now.get('type')}"]
    if is_input and (stricter := set(now.get("required", [])) - set(was.get("required", []))):
        faults.append(f"{path}: now requires {sorted(stricter)}")
    if is_input and (gone := set(was.get("enum", [])) - set(now.get("enum", []))):
        faults.append(f"{path}: no longer takes {sorted(gone)}")
    if not is_input and (absent := set(was.get("required", [])) - set(now.get("required", []))):
        faults.append(f"{path}: no longer always answers {sorted(absent)}")
    for name, field in was.get("properties", {}).items():
        if name in now.get("properties", {}):
            faults += lost(field, now["properties"][name], f"{path}.{name}", is_input=is_input)
        else:
            faults.append(f"{path}.{name}: gone")
    if "items" in was:
        faults += lost(was["items"], now.get("items", {}), f"{path}[]", is_input=is_input)
    return faults


@pytest.mark.parametrize("side", ["input", "output"])
def test_published_schemas_only_gain(side):
    was, now = json.loads(PUBLISHED.read_text("utf-8")), schemas()
    assert set(was) <= set(now)
    faults = [fault for name in was for fault in lost(was[name][side], now[name][side], name, is_input=side == "input")]
    assert not faults


def test_published_schemas_are_up_to_date():
    assert json.loads(PUBLISHED.read_text("utf-8")) == schemas(), f"run: python {Path(__file__).relative_to(ROOT)}"


@pytest.mark.parametrize(
    ("now", "fault"),
    [
        ({"type": "object", "properties": {}}, "t.a: gone"),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, "t.a: type array → string"),
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "number"}}}},
            "t.a[]: type",
        ),
    ],
)
def test_a_lost_field_is_noticed(now, fault):
    was = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}}
    assert any(found.startswith(fault) for found in lost(was, now, "t", is_input=False))


def test_a_newly_required_argument_is_noticed():
    was = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert lost(was, was | {"required": ["a"]}, "t", is_input=True) == ["t: now requires ['a']"]


def test_core_profile_is_small():
    tools = listing("core")
    assert len(tools) <= 6
    characters = len(json.dumps({"tools": tools}, ensure_ascii=False, separators=(",", ":")))
    assert characters / 4 < CORE_TOKENS


@pytest.mark.parametrize("tool", listing("full"), ids=lambda tool: tool["name"])
def test_every_tool_sets_all_hints_and_describes_itself(tool):
    hints = {name: value for name, value in tool["annotations"].items() if name.endswith("Hint")}
    assert set(hints) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert hints["openWorldHint"] is False
    assert hints["idempotentHint"] is (tool["name"] not in ("memory_feedback", "trajectory_record"))
    assert hints["destructiveHint"] is (tool["name"] == "memory_forget")
    reading = {"memory_search", "memory_get", "memory_explain", "memory_history", "memory_job", "entity_explore"}
    reading |= {"session_context", "memory_changes", "memory_summarize"}
    assert hints["readOnlyHint"] is (tool["name"] in reading)
    assert len(tool["description"]) > 60
    assert tool["title"]
    assert tool["inputSchema"]["additionalProperties"] is False


def test_the_documentation_lists_the_tools_as_they_are():
    text = DOCUMENT.read_text("utf-8")
    assert text.split(BEGIN)[1].split(END)[0].strip() == table()


def test_the_registry_entry_names_this_version_and_real_settings():
    entry = json.loads((ROOT / "server.json").read_text("utf-8"))
    package = entry["packages"][0]
    assert entry["version"] == package["version"] == __version__
    assert len(entry["description"]) <= 100
    known = {f"RETROGRAPH_{name.upper()}" for name in Settings.model_fields}
    known |= {f"RETROGRAPH_SERVER_{name.upper()}" for name in ServerSettings.model_fields}
    assert {variable["name"] for variable in package["environmentVariables"]} <= known


if __name__ == "__main__":
    PUBLISHED.write_text(json.dumps(schemas(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    before, rest = DOCUMENT.read_text("utf-8").split(BEGIN)
    DOCUMENT.write_text(before + f"{BEGIN}\n{table()}\n{END}" + rest.split(END)[1], "utf-8")
