"""The README's programs for LangGraph and the OpenAI Agents SDK, run as they stand there against the server.

Their libraries ask for version 1 of the package `mcp` and the server for version 2, so they live in an environment of
their own: `make test-clients` builds it; CLIENTS_PYTHON names another.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = Path(os.environ.get("CLIENTS_PYTHON") or ROOT / ".venv-clients" / "bin" / "python")
PROGRAMS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)


def _program(library: str) -> str:
    (found,) = [program for program in PROGRAMS if f"from {library}" in program]
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="sets the home folder as Linux knows it")
@pytest.mark.parametrize(
    ("library", "answer"),
    [("langgraph", "Ada wants British spelling"), ("agents", "Ada drinks green tea")],
    ids=["langgraph", "openai-agents"],
)
def test_documented_program_of_a_client_library_runs(library: str, answer: str, settings: Any, tmp_path: Path):
    program = _program(library)
    if not PYTHON.exists():
        pytest.skip(f"{PYTHON} is not there: `make test-clients` builds it from the group `clients`")
    asked = subprocess.run([PYTHON, "-c", f"import {library}"], capture_output=True, check=False)
    if asked.returncode:
        pytest.skip(f"{PYTHON} has no {library}: `make test-clients` installs the group `clients`")
    # The clients hand a server HOME and PATH and nothing else of the environment: a settings file reaches it.
    folder = tmp_path / ".config" / "retrograph"
    folder.mkdir(parents=True)
    lines = {
        "uri": settings.uri,
        "username": settings.username,
        "password": settings.password.get_secret_value(),
        "bank": settings.bank,
    }
    (folder / "retrograph.toml").write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in lines.items()))
    env = {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [PYTHON, "-c", program], env=env, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert answer in done.stdout
