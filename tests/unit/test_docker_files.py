"""The Docker files, as far as they can be checked where no Docker engine runs."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from retrograph.engine.config import neo4j_settings
from retrograph.engine.lockfile import EngineLock
from retrograph.settings import Settings

_ROOT = Path(__file__).resolve().parents[2]
_DOCKERFILE = (_ROOT / "Dockerfile").read_text("utf-8")
_COMPOSE_TEXT = (_ROOT / "docker-compose.yml").read_text("utf-8")
_COMPOSE: dict[str, Any] = yaml.safe_load(_COMPOSE_TEXT)
_SERVICES: dict[str, Any] = _COMPOSE["services"]
# What https://github.com/compose-spec/compose-spec allows, of what these files could use.
_SERVICE_KEYS = {
    "image", "build", "restart", "environment", "ports", "volumes", "healthcheck", "depends_on", "init",
    "cap_drop", "security_opt", "read_only", "tmpfs", "user", "command", "mem_limit", "stop_grace_period",
}  # fmt: skip


def _instructions() -> list[tuple[str, str]]:
    lines = re.sub(r"\\\n\s*", " ", _DOCKERFILE).splitlines()
    found = [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")]
    return [(word.upper(), rest) for word, rest in found]


def _last_stage() -> list[tuple[str, str]]:
    found = _instructions()
    return found[max(at for at, (word, _) in enumerate(found) if word == "FROM") :]


def _of(word: str) -> list[str]:
    return [rest for found, rest in _instructions() if found == word]


def test_every_instruction_is_one_docker_knows() -> None:
    known = {"ARG", "FROM", "ENV", "WORKDIR", "COPY", "RUN", "USER", "EXPOSE", "HEALTHCHECK", "CMD"}
    assert {word for word, _ in _instructions()} == known


def test_the_base_image_is_pinned_to_a_patch_release() -> None:
    (argument,) = _of("ARG")
    assert re.fullmatch(r"PYTHON_IMAGE=python:3\.\d+\.\d+-slim-[a-z]+", argument)
    assert {stage.split()[0] for stage in _of("FROM")} == {"${PYTHON_IMAGE}"}


def test_every_copied_file_exists_and_is_not_ignored() -> None:
    ignored = (_ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert ignored[0] == "*"
    sources = [word for rest in _of("COPY") if "--from" not in rest for word in rest.split()[:-1]]
    assert sources
    for source in sources:
        assert (_ROOT / source).exists(), source
        assert f"!{source}" in ignored, source


def test_what_the_build_reads_is_copied() -> None:
    copied = " ".join(_of("COPY"))
    for name in re.findall(r'(?:readme = |license-files = \[)"([^"]+)"', (_ROOT / "pyproject.toml").read_text()):
        assert name in copied


def test_the_server_does_not_run_as_root() -> None:
    words = [word for word, _ in _last_stage()]
    user = dict(_last_stage())["USER"]
    assert user.isdigit() and int(user) >= 1000
    assert words.index("USER") < words.index("CMD")
    assert f"--uid {user} " in _DOCKERFILE


def test_nothing_is_piped_into_a_shell_or_fetched_by_hand() -> None:
    for command in _of("RUN"):
        assert not re.search(r"curl|wget|\|\s*(ba)?sh\b|https?://|apt", command), command


def test_no_secret_is_in_the_image() -> None:
    for rest in _of("ENV") + _of("ARG"):
        assert not re.search(r"token|password|secret|key", rest, re.IGNORECASE), rest


def test_the_command_serves_over_http_on_the_exposed_port() -> None:
    (command,) = [rest for word, rest in _last_stage() if word == "CMD"]
    arguments = yaml.safe_load(command)
    assert arguments == shlex.split("retrograph serve --transport http --host 0.0.0.0 --port 8765")
    assert _of("EXPOSE") == ["8765"]
    (health,) = _of("HEALTHCHECK")
    program = yaml.safe_load(health.split("CMD", 1)[1])
    assert program[:2] == ["python", "-c"]
    compile(program[2], "healthcheck", "exec")
    assert "http://127.0.0.1:8765/health/live" in program[2]


def test_compose_uses_only_keys_of_the_specification() -> None:
    assert set(_COMPOSE) <= {"name", "services", "volumes", "networks", "configs", "secrets"}
    for name, service in _SERVICES.items():
        assert set(service) <= _SERVICE_KEYS, name
        assert "image" in service or "build" in service


def test_every_service_restarts_and_is_pinned() -> None:
    for service in _SERVICES.values():
        assert service["restart"] == "unless-stopped"
        assert re.search(r":\d+\.\d+\.\d+", service["image"])
    assert _SERVICES["neo4j"]["image"].endswith("-community")


def test_the_server_waits_for_a_healthy_database() -> None:
    assert _SERVICES["retrograph"]["depends_on"] == {"neo4j": {"condition": "service_healthy"}}
    test = _SERVICES["neo4j"]["healthcheck"]["test"]
    assert test[0] == "CMD-SHELL"
    assert "RETURN 1" in test[1]


def test_passwords_come_from_the_environment_and_have_no_default() -> None:
    variables = re.findall(r"(?<!\$)\$\{([^}]+)\}", _COMPOSE_TEXT)
    assert {variable.split(":")[0] for variable in variables} == {"NEO4J_PASSWORD", "RETROGRAPH_SERVER_TOKEN"}
    for variable in variables:
        assert re.fullmatch(r"[A-Z0-9_]+:\?.+", variable), variable
    environment = {key: value for service in _SERVICES.values() for key, value in service["environment"].items()}
    for key in ("NEO4J_AUTH", "RETROGRAPH_PASSWORD", "RETROGRAPH_SERVER_TOKEN"):
        assert environment[key].removeprefix("neo4j/").startswith("${"), key


def test_the_database_image_gets_only_variables_it_reads_as_settings() -> None:
    # The image turns NEO4J_x_y into the setting x.y and refuses to start over one it does not know.
    for key in _SERVICES["neo4j"]["environment"]:
        assert key == "NEO4J_AUTH" or re.match(r"NEO4J_(dbms|server|db|internal)_", key), key
    assert _SERVICES["neo4j"]["environment"]["NEO4J_dbms_usage__report_enabled"] == "false"


def test_the_database_image_has_the_local_engines_version_and_index_settings() -> None:
    own = neo4j_settings(bolt_port=1, http_port=2, page_cache_mib=3)
    merged = "internal.dbms.index.vector.standard_merge_factor"
    name = "NEO4J_" + merged.replace("_", "__").replace(".", "_")
    assert _SERVICES["neo4j"]["environment"][name] == own[merged]
    assert _SERVICES["neo4j"]["image"] == f"neo4j:{EngineLock.bundled().neo4j}-community"


def test_ports_are_published_on_loopback_only() -> None:
    for service in _SERVICES.values():
        for port in service["ports"]:
            assert re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port), port


def test_data_is_kept_in_named_volumes() -> None:
    mounted = [volume.split(":")[0] for service in _SERVICES.values() for volume in service.get("volumes", [])]
    assert set(mounted) == set(_COMPOSE["volumes"])
    assert "neo4j-data:/data" in _SERVICES["neo4j"]["volumes"]


def test_the_servers_environment_is_settings_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = _SERVICES["retrograph"]["environment"]
    for key, value in environment.items():
        monkeypatch.setenv(key, "secret-value" if "${" in value else value)
    settings = Settings()
    assert settings.uri == "bolt://neo4j:7687"
    assert settings.password is not None and settings.password.get_secret_value() == "secret-value"
    assert settings.server.token is not None
    assert settings.server.token.get_secret_value() == "secret-value"
    assert settings.uri.split("//")[1].split(":")[0] in _SERVICES
