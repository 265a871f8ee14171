"""Tools about the use of a memory: feedback on a recall, and the context of a session."""

import dataclasses
from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

from fastmcp.tools import ToolResult
from pydantic import Field

from retrograph.models import SessionContext
from retrograph.server import answers, using_answers
from retrograph.server.arguments import MemoryId, Session, Time, given, moment, read_time
from retrograph.server.curating import answered

if TYPE_CHECKING:
    from retrograph.memory import Memory

_Ids = list[MemoryId] | None


class UsingTools:
    """The part of `Tools` that joins a memory to the conversation it is used in."""

    _zone: ZoneInfo

    @abstractmethod
    def _seen_by_caller(self, session: str | None = None) -> "Memory": ...

    def memory_feedback(
        self,
        useful: Annotated[_Ids, Field(max_length=100, description="Ids of hits that helped to answer")] = None,
        not_useful: Annotated[_Ids, Field(max_length=100, description="Ids of hits that were in the way")] = None,
    ) -> ToolResult:
        """Say which hits of a recall helped and which were in the way; later recalls rank by it, within bounds.

        Call it once after you used, or could not use, what memory_search gave. Hits you are not sure of stay out
        of it. A wrong fact is corrected with memory_update or memory_write, not marked.
        """
        marked = self._seen_by_caller().mark(useful=tuple(useful or ()), not_useful=tuple(not_useful or ()))
        return answered(using_answers.FeedbackAnswer(marked))

    def session_context(
        self,
        session: Session = None,
        query: Annotated[
            str | None,
            Field(min_length=1, max_length=10_000, description="Recall what bears on this too, beyond the session"),
        ] = None,
        last: Annotated[int, Field(ge=1, le=200, description="Newest turns")] = 10,
        limit: Annotated[int | None, Field(ge=1, le=100, description="Recalled hits; default 5")] = None,
        max_tokens: Annotated[
            int | None, Field(ge=50, le=100_000, description="Of the whole answer: turns first, then tasks, then hits")
        ] = None,
    ) -> ToolResult:
        """Take up a conversation: its last turns in order, the task states that are open, and a recall, in one call.

        Call it when a conversation goes on after a break or a restart. Without a query it only reads the session.
        """
        memory = self._seen_by_caller(session)
        empty = SessionContext(memory.identity.session or "", (), 0)
        frame = answers.tokens_of(using_answers.session_answer(empty, self._zone))
        room = answers.room_for(max_tokens, frame)
        context = memory.session_context(query, last=last, max_tokens=room, **given(limit=limit))
        context = dataclasses.replace(context, tokens=context.tokens + frame)
        return answered(using_answers.session_answer(context, self._zone))

    def memory_changes(
        self,
        cursor: Annotated[
            str | None, Field(min_length=1, max_length=10_000, description="Of the answer before; default: the newest")
        ] = None,
        since: Annotated[Time, moment("Begin there instead")] = None,
        limit: Annotated[int, Field(ge=1, le=200)] = 20,
    ) -> ToolResult:
        """List what other agents and users wrote or changed where you may read, oldest first, since a cursor.

        Call it when you work beside others: at the start, and again with the cursor of the last answer.
        """
        feed = self._seen_by_caller().changes(cursor, since=read_time("since", since, self._zone), limit=limit)
        return answered(using_answers.changes_answer(feed, self._zone))
