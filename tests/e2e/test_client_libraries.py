"""The README's programs for LangGraph and the OpenAI Agents SDK, run as they stand there against the server.

Their libraries ask for version 1 of the package `mcp` and the server for version 2, so they live in an environment of
their own: `make test-clients` builds it; CLIENTS_PYTHON names another.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

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
def test_documented_program_of_a_client_library_runs(library: str, answer: str, run_program: Callable[..., str]):
    program = _program(library)
    if not PYTHON.exists():
        pytest.skip(f"{PYTHON} is not there: `make test-clients` builds it from the group `clients`")
    asked = subprocess.run([PYTHON, "-c", f"import {library}"], capture_output=True, check=False)
    if asked.returncode:
        pytest.skip(f"{PYTHON} has no {library}: `make test-clients` installs the group `clients`")
    assert answer in run_program(program, python=PYTHON, timeout_s=300)
