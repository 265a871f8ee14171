"""Reads queries for the recall with the tools of the extraction."""

from datetime import datetime
from zoneinfo import ZoneInfo

from retrograph.extraction import detect_language
from retrograph.extraction.candidates import bare_key, candidate_keys
from retrograph.extraction.duplicates import normalise
from retrograph.extraction.times import query_window, recency_cue
from retrograph.models import Language, TimeSpan


class TextReader:
    """Reads queries in one time zone; see `retrieval.QueryReader`.

    Args:
        timezone: The zone in which "yesterday" begins at midnight.
    """

    def __init__(self, timezone: ZoneInfo) -> None:
        self._timezone = timezone

    def keys(self, text: str) -> list[str]:
        """Entity keys under which the bank may know a name in the text, without accents and articles too."""
        keys = candidate_keys(text)
        return list(dict.fromkeys([*keys, *map(bare_key, keys)]))

    def language(self, text: str) -> Language:
        """The language of the text."""
        return detect_language(text)

    def window(self, text: str, *, reference: datetime) -> TimeSpan | None:
        """The time the text asks about, if it names one."""
        return query_window(text, reference=reference, timezone=self._timezone, language=detect_language(text))

    def asks_for_recent(self, text: str) -> bool:
        """Whether it asks for the latest."""
        return recency_cue(text)

    def similar_text(self, a: str, b: str) -> bool:
        """Whether two contents are the same but for case, width, punctuation and white space."""
        return normalise(a) == normalise(b)
