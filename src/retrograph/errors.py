"""Every error Retrograph raises on purpose, and its exit code.

The message says what is wrong, with the value, and what to do about it. Fields carry the same facts for
programs. Drivers' errors become these in `graph`; these become tool errors in `server`.
"""

from collections.abc import Mapping


class RetrographError(Exception):
    """Root of the tree.

    Args:
        message: What is wrong, with the value that was wrong.
        cure: What the reader can do about it.
    """

    code = "error"
    exit_code = 1
    retryable = False

    def __init__(self, message: str, *, cure: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure

    def __str__(self) -> str:
        return f"{self.message}\n{self.cure}" if self.cure else self.message


class SettingsError(RetrographError):
    """A setting has a value that cannot work."""

    code = "settings"
    exit_code = 2


class EngineInstallError(RetrographError):
    """The local engine could not be installed."""

    code = "engine_install"
    exit_code = 3


class InvalidInput(RetrographError):  # noqa: N818  (the field says "invalid input")
    """An argument has a value that cannot work; nothing was done.

    Args:
        message: What is wrong.
        cure: What to do.
        field: Name of the argument.
    """

    code = "invalid_input"
    exit_code = 2

    def __init__(self, message: str, *, cure: str = "", field: str = "") -> None:
        super().__init__(message, cure=cure)
        self.field = field


class NotFound(RetrographError):  # noqa: N818
    """The thing named is not there, or not for this identity: the two are told apart by nobody."""

    code = "not_found"


class Refused(RetrographError):  # noqa: N818
    """A write was refused by policy.

    Args:
        message: Why.
        cure: How to store it all the same, where that is allowed.
        scores: The gate's signals, each in [0, 1].
    """

    code = "refused"

    def __init__(self, message: str, *, cure: str = "", scores: Mapping[str, float] | None = None) -> None:
        super().__init__(message, cure=cure)
        self.scores = dict(scores or {})


class Conflict(RetrographError):  # noqa: N818
    """Somebody else changed or holds it."""

    code = "conflict"


class BankMoving(Conflict):
    """A move between two databases holds the bank's writes for a moment; trying again helps."""

    code = "bank_moving"
    retryable = True


class BankMoved(Conflict):
    """The bank lives in another database than the settings say."""

    code = "bank_moved"


class CypherFileError(RetrographError):
    """A `.cypher` file and its use disagree."""

    code = "cypher_file"


class GraphError(RetrographError):
    """The database answered with an error."""

    code = "graph"


class EngineUnavailable(GraphError):  # noqa: N818
    """No engine answers at the address; trying again can help."""

    code = "engine_unavailable"
    exit_code = 3
    retryable = True


class OutcomeUnknown(EngineUnavailable):
    """The connection was cut while the database committed: it took effect or not, and nobody here can tell."""

    code = "outcome_unknown"


class EngineStartError(EngineUnavailable):
    """The local engine did not start; the message says why, and trying again alone does not help."""

    code = "engine_start"
    retryable = False


class EngineAuthError(GraphError):
    """The engine refuses the user name or password."""

    code = "engine_auth"
    exit_code = 3


class SchemaOutdated(GraphError):  # noqa: N818
    """The database's schema and this version of Retrograph differ."""

    code = "schema_outdated"


class ConstraintViolated(GraphError):  # noqa: N818
    """A write would break a uniqueness rule."""

    code = "constraint"


class ExtractionError(RetrographError):
    """A language model of the extraction could not be loaded or run."""

    code = "extraction"


class EncoderError(RetrographError):
    """The encoder could not be loaded or did not answer."""

    code = "encoder"


class EncoderMismatch(EncoderError):  # noqa: N818
    """The bank was written with another encoder; its vectors cannot be compared."""

    code = "encoder_mismatch"
