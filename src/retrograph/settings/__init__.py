"""Settings: arguments over environment (`RETROGRAPH_…`) over a TOML file over defaults.

Nested settings are written `RETROGRAPH_ENGINE_IDLE_S` in the environment and `[engine] idle_s` in the file.
`Settings.load` reads all of them; `provenance` says where each value came from.
"""

import os
import tomllib
import zoneinfo
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, ClassVar, Literal, NoReturn, cast
from urllib.parse import urlsplit

from platformdirs import PlatformDirs
from pydantic import (
    BaseModel,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings import SettingsError as SourceError

from retrograph.errors import SettingsError
from retrograph.models import Identity
from retrograph.settings.groups import (
    ConsolidationSettings,
    EngineSettings,
    GateSettings,
    IngestSettings,
    RecallSettings,
    SafetySettings,
    ServerSettings,
    ShardSettings,
    TrajectorySettings,
    check_uri,
)

__all__ = [
    "ConsolidationSettings",
    "EngineSettings",
    "GateSettings",
    "IngestSettings",
    "RecallSettings",
    "SafetySettings",
    "ServerSettings",
    "SettingOrigin",
    "Settings",
    "ShardSettings",
    "TrajectorySettings",
    "config_path",
    "provenance",
    "unknown_environment",
]

_DIRS = PlatformDirs("retrograph", appauthor=False)
_PREFIX = "RETROGRAPH_"
_CONFIG_VARIABLE = "RETROGRAPH_CONFIG"


class Settings(BaseSettings):
    """Everything that can be set; the defaults need nothing but an installed engine."""

    model_config = SettingsConfigDict(
        env_prefix="RETROGRAPH_",
        env_nested_delimiter="_",
        env_nested_max_split=1,
        # `RETROGRAPH_USER=` is how a compose file passes on what is not set.
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        nested_model_default_partial_update=True,
    )
    config_file: ClassVar[Path] = _DIRS.user_config_path / "retrograph.toml"

    bank: str = Field(default="default", min_length=1, max_length=200, description="The isolated memory space")
    agent: str | None = Field(default=None, max_length=200, description="The agent on whose behalf")
    user: str | None = Field(default=None, max_length=200, description="The person on whose behalf")
    team: str = Field(default="main", min_length=1, max_length=200, description="Whose team memories are shared")
    session: str | None = Field(default=None, max_length=200, description="The conversation or task run")
    timezone: str = Field(default="UTC", description="Time zone of times in texts and answers, an IANA name")

    uri: str | None = Field(default=None, description="A Neo4j ≥ 2026.07; default: the local engine")
    database: str | None = Field(default=None, description="Database name; default: the server's home database")
    username: str = Field(default="neo4j", description="User name at `uri`")
    password: SecretStr | None = Field(default=None, description="Password at `uri`")
    shards: dict[str, ShardSettings] = Field(
        default_factory=dict[str, ShardSettings],
        description="Where banks live that are not at `uri`: by a pattern of their names (team-*), the first that fits",
    )
    connect_timeout_s: float = Field(default=10, gt=0, description="How long to wait for a connection, seconds")
    retry_s: float = Field(default=15, ge=0, description="How long a transaction may be tried again, seconds")

    encoder: str = Field(
        default="bundled", description="bundled, sentence-transformers:<model> or openai:<url>#<model>"
    )
    encoder_api_key: SecretStr | None = Field(default=None, description="Key of an openai: encoder")

    data_dir: Path = Field(default=_DIRS.user_data_path, description="The local engine's data and state")
    cache_dir: Path = Field(default=_DIRS.user_cache_path, description="The local engine's jars")
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="warning", description="Least level logged")
    log_format: Literal["plain", "json"] = Field(default="plain", description="Logs as text, or as JSON objects")

    engine: EngineSettings = Field(default_factory=EngineSettings)
    gate: GateSettings = Field(default_factory=GateSettings)
    safety: SafetySettings = Field(default_factory=SafetySettings)
    recall: RecallSettings = Field(default_factory=RecallSettings)
    ingest: IngestSettings = Field(default_factory=IngestSettings)
    consolidation: ConsolidationSettings = Field(default_factory=ConsolidationSettings)
    trajectories: TrajectorySettings = Field(default_factory=TrajectorySettings)
    server: ServerSettings = Field(default_factory=ServerSettings)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments over the environment; `load` adds the file."""
        return init_settings, _Environment(settings_cls)

    @property
    def identity(self) -> Identity:
        """Who these settings speak for."""
        return Identity(bank=self.bank, agent=self.agent, user=self.user, team=self.team, session=self.session)

    def shard_of(self, bank: str) -> str | None:
        """The pattern of the shard that a bank lives in; None for the database at `uri`, or the local engine."""
        return next((pattern for pattern in self.shards if fnmatchcase(bank, pattern)), None)

    def at_shard(self, pattern: str) -> "Settings":
        """The same settings with a shard's database for `uri`."""
        return self.model_copy(update=dict(self.shards[pattern]) | {"shards": {}})

    @field_validator("timezone")
    @classmethod
    def _check_timezone(cls, name: str) -> str:
        try:
            zoneinfo.ZoneInfo(name)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            known = {zone.rsplit("/", 1)[-1].lower(): zone for zone in zoneinfo.available_timezones()}
            near = get_close_matches(name.rsplit("/", 1)[-1].lower().replace(" ", "_"), known, n=1)
            hint = f"; did you mean {known[near[0]]}?" if near else ""
            raise ValueError(f"no such time zone: give an IANA name such as Asia/Shanghai or UTC{hint}") from None
        return name

    @field_validator("uri")
    @classmethod
    def _check_uri(cls, uri: str | None) -> str | None:
        return None if uri is None else check_uri(uri)

    @field_validator("encoder")
    @classmethod
    def _check_encoder(cls, spec: str) -> str:
        kind, _, rest = spec.partition(":")
        if spec == "bundled" or (kind == "sentence-transformers" and rest.strip()):
            return spec
        if kind == "openai":
            parts = urlsplit(rest)
            if parts.scheme in ("http", "https") and parts.hostname and parts.fragment:
                return spec
        raise ValueError(
            "an encoder is bundled, sentence-transformers:<model> or openai:<url>#<model> "
            "(openai:http://127.0.0.1:8080/v1#bge-m3)"
        )

    @classmethod
    def load(cls, config: Path | None = None, **overrides: Any) -> "Settings":
        """Reads all settings.

        Args:
            config: The TOML file; default: the one RETROGRAPH_CONFIG names, else the user's, if it is there.
            **overrides: Settings by name, over all else: `bank="x"`, `engine={"idle_s": 60}`, or a nested
                one by its dotted name (`**{"engine.idle_s": 60}`).

        Raises:
            SettingsError: A value cannot work, a name is unknown, or a named file is not there. Says which
                setting, where its value came from, and what would do.
        """
        return _Layers.read(config, overrides).settings()


@dataclass(frozen=True, slots=True)
class SettingOrigin:
    """One setting, its value, and where that came from.

    Args:
        name: Dotted name, `engine.idle_s`.
        value: The value; `(hidden)` for a secret.
        origin: `argument`, `environment RETROGRAPH_…`, `file PATH` or `default`.
        description: What it is for.
    """

    name: str
    value: Any
    origin: str
    description: str


def provenance(config: Path | None = None, **overrides: Any) -> tuple[SettingOrigin, ...]:
    """Every setting with its value and where it came from; arguments as for `Settings.load`.

    Raises:
        SettingsError: As `Settings.load`.
    """
    layers = _Layers.read(config, overrides)
    settings = layers.settings()
    return tuple(
        SettingOrigin(name, _shown(_value_at(settings, name)), layers.origin(name), described.description or "")
        for name, described in _leaves(Settings)
    )


def config_path(config: Path | None = None) -> tuple[Path, bool]:
    """The settings file that `Settings.load` reads, and whether somebody named it."""
    if config is not None:
        return config, True
    named = os.environ.get(_CONFIG_VARIABLE)
    return (Path(named).expanduser(), True) if named else (Settings.config_file, False)


def unknown_environment() -> dict[str, str]:
    """Environment variables that look like settings and are none, each with a near name or "".

    `RETROGRAPH_TEST_…` and `RETROGRAPH_BENCH_…` belong to the test suite and the benchmarks.
    """
    known = [_variable(name) for name, _ in _leaves(Settings)] + [_CONFIG_VARIABLE]
    groups = [_variable(name) for name in Settings.model_fields if _is_group(name)]
    found = sorted(
        name
        for name in os.environ
        if name.upper().startswith(_PREFIX)
        and name.upper() not in (*known, *groups)
        and not name.upper().startswith(("RETROGRAPH_TEST_", "RETROGRAPH_BENCH_"))
    )
    return {name: next(iter(get_close_matches(name.upper(), known, n=1)), "") for name in found}


@dataclass(frozen=True, slots=True)
class _Layers:
    """What each source says, nested as the settings are; the first that says something wins."""

    arguments: dict[str, Any]
    environment: dict[str, Any]
    file: dict[str, Any] = field(repr=False)
    path: Path

    @classmethod
    def read(cls, config: Path | None, overrides: Mapping[str, Any]) -> "_Layers":
        path, is_named = config_path(config)
        layers = cls(_nested(overrides), _from_environment(), _from_file(path, is_named=is_named), path)
        layers._refuse_unknown()
        return layers

    def settings(self) -> Settings:
        merged = _merge(_merge(self.file, self.environment), self.arguments)
        try:
            return Settings(**merged)
        except ValidationError as error:
            self._refuse(error)

    def origin(self, name: str) -> str:
        if _has(self.arguments, name):
            return "argument"
        if _has(self.environment, name):
            return f"environment {_variable(name)}"
        return f"file {self.path}" if _has(self.file, name) else "default"

    def _refuse_unknown(self) -> None:
        """An environment variable that is unknown is left out instead: it may be another program's."""
        known = [name for name, _ in _leaves(Settings)]
        for values, where in ((self.arguments, "argument"), (self.file, f"file {self.path}")):
            for name in _names(values):
                top = name.split(".")[0]
                if name in known or (name == top and name in Settings.model_fields):
                    continue
                if top in Settings.model_fields and not _is_group(top):
                    continue  # A table where a value belongs: the validation says so.
                near = get_close_matches(name, known, n=1)
                bare = [other for other in known if other.rsplit(".", 1)[-1] == name.rsplit(".", 1)[-1]]
                meant = next(iter(bare or near), None)
                raise SettingsError(
                    f"there is no setting {name!r} ({where})",
                    cure=f"Did you mean {meant}?" if meant else "`retrograph config` lists all settings.",
                )

    def _refuse(self, error: ValidationError) -> NoReturn:
        first = error.errors(include_url=False, include_context=False)[0]
        name = ".".join(str(part) for part in first["loc"][:2] if isinstance(part, str))
        if first["loc"] and not _is_group(str(first["loc"][0])):
            name = str(first["loc"][0])
        said = first["msg"].removeprefix("Value error, ")
        said = said[:1].lower() + said[1:]
        given = _lookup(_merge(_merge(self.file, self.environment), self.arguments), name)
        if _is_group(name) and isinstance(given, Mapping):
            raise SettingsError(
                f"the settings of {name} do not go together: {said}",
                cure="`retrograph config` shows where each comes from.",
            ) from error
        raise SettingsError(
            f"the setting {name} cannot be {_quoted(name, given)} ({self.origin(name)}): {said}",
            cure=f"Set it in the settings file or as {_variable(name)}. It is: {_description(name)}.",
        ) from error


def _from_environment() -> dict[str, Any]:
    try:
        return _Environment(Settings)()
    except SourceError as error:
        named = str(error).split('"')[1] if '"' in str(error) else ""
        raise SettingsError(
            f"the value of {_variable(named)} cannot be read (environment)",
            cure=f"Set its parts one by one ({_variable(named)}_…), or give it as a JSON object.",
        ) from error


class _Environment(EnvSettingsSource):
    """The environment, without what is no setting: `unknown_environment` tells of that."""

    def __call__(self) -> dict[str, Any]:
        found = super().__call__()
        known = {name for name, _ in _leaves(Settings)}
        for group, values in found.items():
            if _is_group(group) and isinstance(values, dict):
                inner = cast(dict[str, Any], values)
                found[group] = {key: value for key, value in inner.items() if f"{group}.{key}" in known}
        return {name: value for name, value in found.items() if value != {}}


def _from_file(path: Path, *, is_named: bool) -> dict[str, Any]:
    try:
        # Editors on Windows begin a file with a byte order mark, which TOML does not know.
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        if not is_named:
            return {}
        raise SettingsError(
            f"there is no settings file {str(path)!r}",
            cure=f"Make it, or unset {_CONFIG_VARIABLE} or --config.",
        ) from None
    except NotADirectoryError:
        if not is_named:
            return {}
        raise SettingsError(f"there is no settings file {str(path)!r}", cure="Name another one.") from None
    except OSError as error:
        raise SettingsError(
            f"the settings file {str(path)!r} cannot be read: {error.strerror}",
            cure="Make it a file that you may read, or name another one.",
        ) from error
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"the settings file {str(path)!r} is not UTF-8 text (byte {error.start})",
            cure="Save it as UTF-8.",
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            f"the settings file {str(path)!r} is not TOML: {error}",
            cure="Mend that line; docs/settings.md has a sample.",
        ) from error


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for name, value in flat.items():
        if isinstance(value, BaseModel):
            value = value.model_dump(exclude_unset=True)
        *groups, last = name.split(".")
        place = nested
        for group in groups:
            place = place.setdefault(group, {})
        place[last] = _merge(place.get(last, {}), cast(dict[str, Any], value)) if isinstance(value, dict) else value
    return nested


def _merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for name, value in over.items():
        below = merged.get(name)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            value = _merge(cast(Mapping[str, Any], below), cast(Mapping[str, Any], value))
        merged[name] = value
    return merged


def _leaves(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted name and field of every setting, in the order in which they are declared."""
    for name, described in model.model_fields.items():
        kind = described.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _leaves(kind, f"{prefix}{name}.")
        else:
            yield prefix + name, described


def _names(values: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _names(cast(Mapping[str, Any], value), f"{prefix}{name}.")
        else:
            yield prefix + name


def _is_group(name: str) -> bool:
    return any(leaf.startswith(f"{name}.") for leaf, _ in _leaves(Settings))


def _variable(name: str) -> str:
    return _PREFIX + name.replace(".", "_").upper()


def _lookup(values: Mapping[str, Any], name: str) -> Any:
    place: Any = values
    for part in name.split("."):
        if not isinstance(place, Mapping) or part not in place:
            return None
        place = cast(Any, place[part])
    return place


def _has(values: Mapping[str, Any], name: str) -> bool:
    group, _, last = name.rpartition(".")
    place = _lookup(values, group) if group else values
    if group and group in values and not isinstance(place, Mapping):
        return True
    return isinstance(place, Mapping) and last in place


def _value_at(settings: Settings, name: str) -> Any:
    value: Any = settings
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _description(name: str) -> str:
    leaves = dict(_leaves(Settings))
    described = leaves.get(name) or Settings.model_fields.get(name)
    return (described and described.description) or "a table of settings"


def _shown(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return "(hidden)"
    return str(value) if isinstance(value, Path) else value


def _quoted(name: str, value: Any) -> str:
    """A value for an error message: no secret, and no address with a password in it, is ever quoted."""
    described = dict(_leaves(Settings)).get(name)
    if described is None:
        return f"one value ({type(value).__name__})"
    if any(secret in str(described.annotation) for secret in ("SecretStr", "ShardSettings")):
        return "the (hidden) value given"
    text = repr(value)
    return "the (hidden) value given" if "@" in text and "//" in text else text[:200]
