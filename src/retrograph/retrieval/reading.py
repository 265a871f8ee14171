"""What recall needs read in a query; the facade provides it, for retrieval knows no language model."""

from datetime import datetime
from typing import Protocol

from retrograph.models import Language, TimeSpan


class QueryReader(Protocol):
    """Reads a query: fast, offline, no model."""

    def keys(self, text: str) -> list[str]:
        """Entity keys under which the bank may know a name in the text."""
        ...

    def language(self, text: str) -> Language:
        """The language of the text."""
        ...

    def window(self, text: str, *, reference: datetime) -> TimeSpan | None:
        """The time the text asks about, if it names one."""
        ...

    def asks_for_recent(self, text: str) -> bool:
        """Whether it asks for the latest ("the last time", 最近)."""
        ...

    def similar_text(self, a: str, b: str) -> bool:
        """Whether two contents are near-copies, so that one of them is enough."""
        ...
