"""The resources: what a client can attach without calling a tool."""

from collections.abc import Mapping
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from retrograph.server import answers, curated_answers, using_answers
from retrograph.server.identity import identity_of_request, narrow

if TYPE_CHECKING:
    from retrograph.memory import Memory

# URI or template: (method of `Resources`, name)
RESOURCES: Mapping[str, tuple[str, str]] = {
    "memory://{memory_id}": ("memory", "memory"),
    "entity://{name}": ("entity", "entity"),
    "session://{session}": ("session", "session"),
    "stats://bank": ("bank", "bank statistics"),
}


class Resources:
    """The resources' bodies; each runs in a worker thread.

    Args:
        memory: The facade; each read sees it as its own caller.
    """

    def __init__(self, memory: "Memory") -> None:
        self._memory = memory
        self._zone = ZoneInfo(memory.settings.timezone)

    def memory(self, memory_id: str) -> str:
        """One memory whole: its entities, relations, links, history and metadata."""
        return answers.as_json(answers.memory_answer(self._seen_by_caller().get(memory_id), self._zone))

    def entity(self, name: str) -> str:
        """A person, place, product or other entity under all its names, as entity_explore."""
        return answers.as_json(curated_answers.entity_answer(self._seen_by_caller().entity(name), self._zone))

    def session(self, session: str) -> str:
        """The last turns of a conversation, in order, and the task states that are open, as session_context."""
        memory = self._memory.for_identity(narrow(identity_of_request(self._memory.identity), session=session))
        return answers.as_json(using_answers.session_answer(memory.session_context(), self._zone))

    def bank(self) -> str:
        """Counts of the bank, of what the caller may see."""
        return answers.as_json(answers.stats_answer(self._seen_by_caller().stats(), self._zone))

    def _seen_by_caller(self) -> "Memory":
        return self._memory.for_identity(identity_of_request(self._memory.identity))
