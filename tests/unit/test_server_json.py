"""`server.json` is what the MCP registry takes, and what it says of this package is so.

Source of the rules: https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json and the registry's
own requirements on top of it (PyPI ownership by `mcp-name:` in the README, one exact version, no range).
"""

import json
import re
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from retrograph.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
SERVER: dict[str, Any] = json.loads((ROOT / "server.json").read_text("utf-8"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

_TEXT = {"type": "string", "minLength": 1}
_INPUT: dict[str, Any] = {
    "description": _TEXT,
    "default": {"type": "string"},
    "value": {"type": "string"},
    "placeholder": {"type": "string"},
    "choices": {"type": "array", "items": {"type": "string"}},
    "format": {"enum": ["string", "number", "boolean", "filepath"]},
    "isRequired": {"type": "boolean"},
    "isSecret": {"type": "boolean"},
}
_ARGUMENT = {
    "type": "object",
    "required": ["type"],
    "properties": {**_INPUT, "type": {"enum": ["positional", "named"]}, "name": _TEXT, "valueHint": _TEXT},
    "additionalProperties": False,
    "if": {"properties": {"type": {"const": "positional"}}},
    "then": {"anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}]},
    "else": {"required": ["name"]},
}
# The rules in words of our own, stricter than the published ones: a field we do not use is not allowed here, so that a
# slip of the pen is seen.
RULES: dict[str, Any] = {
    "type": "object",
    "required": ["$schema", "name", "description", "version", "packages"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        "name": {"type": "string", "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "minLength": 3, "maxLength": 200},
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+([-+.][0-9A-Za-z.-]+)?$", "maxLength": 255},
        "packages": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["registryType", "identifier", "version", "transport"],
                "additionalProperties": False,
                "properties": {
                    "registryType": {"const": "pypi"},
                    "registryBaseUrl": {"const": "https://pypi.org"},
                    "identifier": _TEXT,
                    "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+", "maxLength": 255},
                    "runtimeHint": {"const": "uvx"},
                    "transport": {
                        "type": "object",
                        "required": ["type"],
                        "properties": {"type": {"const": "stdio"}},
                        "additionalProperties": False,
                    },
                    "packageArguments": {"type": "array", "items": _ARGUMENT},
                    "environmentVariables": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["name"],
                            "properties": {**_INPUT, "name": {"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$"}},
                            "additionalProperties": False,
                        },
                    },
                },
            },
        },
    },
}


def _faults(server: dict[str, Any]) -> list[str]:
    return [error.message for error in Draft202012Validator(RULES).iter_errors(server)]


def test_server_json_keeps_the_rules_of_the_registry() -> None:
    Draft202012Validator.check_schema(RULES)
    assert _faults(SERVER) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("name",), "retrograph"),
        (("description",), "x" * 101),
        (("version",), "latest"),
        (("version",), "^1.0.0"),
        (("packages", 0, "transport"), {"type": "http"}),
        (("packages", 0, "packageArguments"), [{"type": "positional"}]),
        (("packages", 0, "environmentVariables", 0, "isSecret"), "yes"),
        (("packages", 0, "enviromentVariables"), []),
    ],
)
def test_a_fault_in_server_json_would_be_seen(path: tuple[str | int, ...], value: object) -> None:
    broken: Any = deepcopy(SERVER)
    at = broken
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert _faults(broken)


def test_server_json_names_this_package_and_its_version() -> None:
    (package,) = SERVER["packages"]
    assert SERVER["version"] == package["version"] == PROJECT["version"]
    assert package["identifier"] == PROJECT["name"]
    assert f"<!-- mcp-name: {SERVER['name']} -->" in (ROOT / "README.md").read_text("utf-8")


def test_server_json_names_settings_that_are_there_with_their_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in SERVER["packages"][0]["environmentVariables"]:
        name = variable["name"]
        value = variable.get("default") or variable.get("placeholder") or "something"
        monkeypatch.setenv(name, value)
        changed = Settings.load()
        monkeypatch.delenv(name)
        unchanged = Settings.load()
        if "default" in variable:
            assert changed == unchanged, f"{name}: {value!r} is not its default"
        else:
            assert changed != unchanged, f"{name} is no setting"
        assert bool(variable.get("isSecret")) is bool(re.search("PASSWORD|TOKEN|KEY", name))
