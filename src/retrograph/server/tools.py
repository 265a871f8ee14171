"""The tools: what each is for, what it takes, and which call of the facade it is."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

import anyio.from_thread
from fastmcp import Context
from fastmcp.tools import ToolResult
from mcp_types import ToolAnnotations
from pydantic import Field

from retrograph.errors import InvalidInput
from retrograph.models import MemoryType, Scope, Source
from retrograph.server import answers, curated_answers, learning_answers, using_answers
from retrograph.server.arguments import (
    Domain,
    EntityArgument,
    ExperienceArgument,
    Fraction,
    MemoryId,
    Name,
    RelationArgument,
    Session,
    Tags,
    Time,
    TurnArgument,
    Types,
    given,
    moment,
    read_filter,
    read_time,
)
from retrograph.server.curating import CuratingTools, answered
from retrograph.server.identity import Right, grant_of_request, identity_of_request, narrow, require_scope
from retrograph.server.learning import LearningTools
from retrograph.server.using import UsingTools

if TYPE_CHECKING:
    from retrograph.memory import Memory


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is offered.

    Args:
        name: Name; also the method of `Tools` that does it.
        title: Name for people.
        answer: Type of what it answers.
        right: What a caller needs.
        is_core: Offered by the `core` profile too.
        destroys: It can take something away.
        adds_up: Doing it twice does more than once.
    """

    name: str
    title: str
    answer: type[Any]
    right: Right
    is_core: bool = True
    destroys: bool = False
    adds_up: bool = False

    @property
    def annotations(self) -> ToolAnnotations:
        """The four hints. No tool reaches past the bank; doing most of them twice does no more than once."""
        return ToolAnnotations(
            read_only_hint=self.right is Right.READ,
            destructive_hint=self.destroys,
            idempotent_hint=not self.adds_up,
            open_world_hint=False,
        )


_SEARCH_FRAME = answers.tokens_of(answers.SearchAnswer(answers.NOTICE, (), 9, 9, 9.9))
"""Tokens of the answer to a recall that finds nothing."""

TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec("memory_write", "Remember", answers.WriteAnswer, Right.WRITE),
    ToolSpec("memory_search", "Recall", answers.SearchAnswer, Right.READ),
    ToolSpec("memory_get", "Read one memory", answers.MemoryAnswer, Right.READ),
    ToolSpec("memory_forget", "Forget", answers.ForgetAnswer, Right.WRITE, destroys=True),
    ToolSpec("memory_link", "Link two memories", answers.LinkAnswer, Right.WRITE),
    ToolSpec("memory_explain", "Explain a recall", answers.ExplainAnswer, Right.READ),
    ToolSpec("memory_ingest", "Remember a conversation", answers.IngestAnswer, Right.WRITE, is_core=False),
    ToolSpec("memory_job", "Follow an ingest", curated_answers.JobAnswer, Right.READ, is_core=False),
    ToolSpec("session_context", "Take up a conversation", using_answers.SessionAnswer, Right.READ, is_core=False),
    ToolSpec("memory_changes", "See what others wrote", using_answers.ChangesAnswer, Right.READ, is_core=False),
    ToolSpec(
        "memory_feedback", "Say what helped", using_answers.FeedbackAnswer, Right.WRITE, is_core=False, adds_up=True
    ),
    ToolSpec("memory_update", "Correct a memory", answers.WriteAnswer, Right.WRITE, is_core=False),
    ToolSpec("memory_history", "Show versions", curated_answers.HistoryAnswer, Right.READ, is_core=False),
    ToolSpec("memory_restore", "Bring back", curated_answers.RestoreAnswer, Right.WRITE, is_core=False),
    ToolSpec("memory_review", "Review what was held back", curated_answers.ReviewAnswer, Right.ADMIN, is_core=False),
    ToolSpec("entity_explore", "Explore an entity", curated_answers.EntityAnswer, Right.READ, is_core=False),
    ToolSpec(
        "trajectory_record", "Record a task run", learning_answers.RunAnswer, Right.WRITE, is_core=False, adds_up=True
    ),
    ToolSpec("memory_reflect", "Draw a lesson", learning_answers.ReflectionAnswer, Right.WRITE, is_core=False),
    ToolSpec("memory_summarize", "Sum up", learning_answers.SummaryAnswer, Right.READ, is_core=False),
    ToolSpec("entity_merge", "Merge two names", curated_answers.MergeAnswer, Right.WRITE, is_core=False),
)


def offered(profile: str) -> list[ToolSpec]:
    """The tools of a profile: `core`, at most six, or `full`."""
    return [spec for spec in TOOLS if profile == "full" or spec.is_core]


class Tools(CuratingTools, UsingTools, LearningTools):
    """The tools' bodies. Docstrings and parameters are what a model reads; each runs in a worker thread.

    Args:
        memory: The facade; each call sees it as its own caller.
    """

    def __init__(self, memory: "Memory") -> None:
        self._memory = memory
        self._zone = ZoneInfo(memory.settings.timezone)

    def memory_write(
        self,
        content: Annotated[str, Field(min_length=1, description="One self-contained statement; names, not pronouns")],
        type: Annotated[MemoryType | None, Field(description="Default: proposed")] = None,
        summary: str | None = None,
        domain: Domain = None,
        tags: Tags = None,
        importance: Fraction | None = None,
        confidence: Annotated[Fraction | None, Field(description="Default: by source")] = None,
        source: Annotated[Source, Field(description="Who it comes from; inference: your own conclusion")] = Source.USER,
        scope: Annotated[
            Scope | None, Field(description="Who may recall it; default: private to user or agent")
        ] = None,
        session: Session = None,
        speaker: Annotated[Name | None, Field(description="Who said it")] = None,
        occurred_at: Annotated[Time, moment("When it happened; default: now")] = None,
        valid_from: Annotated[Time, moment("True since")] = None,
        valid_until: Annotated[Time, moment("True until")] = None,
        expires_at: Annotated[Time, moment("Forget it at")] = None,
        pinned: Annotated[bool, Field(description="Never decays or expires")] = False,
        entities: Annotated[
            list[EntityArgument] | None, Field(max_length=100, description="Besides those found in the text")
        ] = None,
        relations: Annotated[
            list[RelationArgument] | None,
            Field(max_length=100, description="Besides those found in the text"),
        ] = None,
        experience: Annotated[ExperienceArgument | None, Field(description="For a lesson")] = None,
        metadata: dict[str, Any] | None = None,
        force: Annotated[bool, Field(description="Store a borderline one, or what the user asked to remember")] = False,
    ) -> ToolResult:
        """Store what will matter later: a preference, fact, decision, constraint, lesson, task state.

        Call it when the user states or corrects one, when something is decided, or when an error is solved.
        One statement a call. Not for greetings, secrets, or what is in the repository anyway. A repeat is
        merged; a changed fact supersedes the old one. `outcome` says what became of it: stored, merged,
        unchanged, borderline (call again with force=true if it matters), refused, quarantined.
        """
        memory = self._changed_by_caller(session)
        require_scope(memory.identity, scope)
        result = memory.write(
            content,
            type=type,
            summary=summary,
            domain=domain,
            tags=tuple(tags or ()),
            importance=importance,
            confidence=confidence,
            source=source,
            scope=scope,
            speaker=speaker,
            occurred_at=read_time("occurred_at", occurred_at, self._zone),
            valid_from=read_time("valid_from", valid_from, self._zone),
            valid_until=read_time("valid_until", valid_until, self._zone),
            expires_at=read_time("expires_at", expires_at, self._zone),
            pinned=pinned,
            entities=tuple(entity.read() for entity in entities or ()),
            relations=tuple(relation.read() for relation in relations or ()),
            experience=experience.read() if experience else None,
            metadata=metadata,
            force=force,
        )
        return answered(answers.write_answer(result))

    def memory_search(
        self,
        query: Annotated[str, Field(min_length=1, max_length=10_000, description="A question or words, any language")],
        limit: Annotated[int | None, Field(ge=1, le=100, description="Default 5")] = None,
        types: Types = None,
        domain: Domain = None,
        tags: Annotated[list[Name] | None, Field(max_length=50, description="All of these")] = None,
        session: Session = None,
        source: Source | None = None,
        since: Annotated[Time, moment("Happened at or after")] = None,
        until: Annotated[Time, moment("Happened before")] = None,
        as_of: Annotated[Time, moment("What was true and known then")] = None,
        deep: Annotated[bool, Field(description="Search the archive too")] = False,
        min_score: Annotated[Fraction | None, Field(description="Least relevance")] = None,
        max_tokens: Annotated[int | None, Field(ge=50, le=100_000)] = None,
        hops: Annotated[int | None, Field(ge=0, le=3, description="0: no graph walk; default 3")] = None,
        half_life_days: Annotated[float | None, Field(gt=0, description="Of recency")] = None,
        explain: Annotated[bool, Field(description="Every term of each score")] = False,
        text: Annotated[bool, Field(description="One block ready for a prompt")] = False,
    ) -> ToolResult:
        """Recall what bears on a question: similar, by name, or linked through the graph, best first.

        Call it at the start of a task, before asking the user what they may have said already, and before
        solving an error. Ask in full words. Each hit has its path: the nodes that led to it. What comes
        back is history to weigh; the user's present words win. No hits: nothing is known.
        """
        where = read_filter(
            self._zone,
            types=types,
            domain=domain,
            tags=tags,
            session=session,
            source=source,
            since=since,
            until=until,
            as_of=as_of,
            deep=deep,
        )
        options = given(
            limit=limit,
            hops=hops,
            min_score=min_score,
            max_tokens=answers.room_for(max_tokens, _SEARCH_FRAME),
            half_life_days=half_life_days,
            text=text or None,
        )
        result = self._seen_by_caller().search(query, where=where, **options)
        result = replace(result, tokens=result.tokens + _SEARCH_FRAME)
        answer = answers.search_answer(result, self._zone, explain=explain)
        return answered(answer, text=answer.text or None)

    def memory_get(self, memory_id: MemoryId) -> ToolResult:
        """Read one memory whole: its entities, relations, links, history and metadata."""
        detail = self._seen_by_caller().get(memory_id)
        return answered(answers.memory_answer(detail, self._zone))

    def memory_forget(
        self,
        memory_ids: Annotated[list[MemoryId] | None, Field(max_length=1000, description="These; or filter")] = None,
        types: Types = None,
        domain: Domain = None,
        tags: Annotated[list[Name] | None, Field(max_length=50, description="All of these")] = None,
        session: Session = None,
        since: Annotated[Time, moment("Happened at or after")] = None,
        until: Annotated[Time, moment("Happened before")] = None,
        hard: Annotated[bool, Field(description="Delete for good instead of archiving")] = False,
        dry_run: Annotated[
            bool | None,
            Field(description="Only say what would go; default: true for a filter, false for ids"),
        ] = None,
    ) -> ToolResult:
        """Archive memories, by ids or by filter, or delete them for good.

        Call it when the user asks to forget something. An outdated fact needs no forgetting: write the new
        one. Archived memories stay out of recall unless it is deep.
        """
        where = read_filter(
            self._zone, types=types, domain=domain, tags=tags, session=session, since=since, until=until
        )
        if memory_ids and where:
            raise InvalidInput(
                "memory_ids and a filter were both given.", cure="Give one of the two.", field="memory_ids"
            )
        report = self._changed_by_caller().forget(
            tuple(memory_ids or ()),
            where=where,
            hard=hard,
            dry_run=where is not None if dry_run is None else dry_run,
        )
        return answered(answers.forget_answer(report))

    def memory_link(
        self,
        from_id: MemoryId,
        to_id: MemoryId,
        type: Annotated[
            str,
            Field(
                min_length=1,
                max_length=100,
                description="causes, supports, contradicts, refines, similar, follows, part_of or your word",
            ),
        ],
        strength: Annotated[float, Field(gt=0, le=1, description="How much a recall passes on")] = 1.0,
    ) -> ToolResult:
        """Link one memory to another, read as "from TYPE to": a cause to its effect, a proof to its claim.

        Recalls walk the link, so that finding one brings the other.
        """
        result = self._changed_by_caller().link(from_id, to_id, type, strength=strength)
        return answered(answers.link_answer(result))

    def memory_explain(
        self,
        query: Annotated[str, Field(min_length=1, max_length=10_000)],
        memory_id: MemoryId,
        limit: Annotated[int | None, Field(ge=1, le=100, description="As in the search; the rest too")] = None,
        types: Types = None,
        domain: Annotated[Name | None, Field()] = None,
        tags: Tags = None,
        session: Annotated[Name | None, Field()] = None,
        since: Annotated[Time, Field(max_length=40)] = None,
        until: Annotated[Time, Field(max_length=40)] = None,
        as_of: Annotated[Time, Field(max_length=40)] = None,
        deep: bool = False,
        min_score: Fraction | None = None,
    ) -> ToolResult:
        """Say why a memory is, or is not, among the results of a query: each step, term and the path.

        Call it when a recall surprises, or one you expected is missing: it names what would have brought it in.
        """
        where = read_filter(
            self._zone,
            types=types,
            domain=domain,
            tags=tags,
            session=session,
            since=since,
            until=until,
            as_of=as_of,
            deep=deep,
        )
        options = given(where=where, limit=limit, min_score=min_score)
        explanation = self._seen_by_caller().explain(query, memory_id, **options)
        return answered(answers.explain_answer(explanation))

    def memory_ingest(
        self,
        turns: Annotated[
            list[TurnArgument], Field(min_length=1, max_length=2000, description="In the order they happened")
        ],
        ctx: Context,
        session: Annotated[Name | None, Field(description="Of the turns that name none")] = None,
        scope: Annotated[Scope | None, Field(description="Who may recall them")] = None,
        gate: Annotated[bool, Field(description="Leave out greetings and the like")] = False,
        wait: Annotated[bool, Field(description="false: answer at once with a job id; see memory_job")] = True,
    ) -> ToolResult:
        """Store a whole conversation or log, turn by turn, in one call.

        Doing it again stores nothing twice, so a call that was cut off can simply be repeated.
        """
        memory = self._changed_by_caller(session)
        require_scope(memory.identity, scope)
        for turn in turns:
            narrow(memory.identity, session=turn.session)
        total = len(turns)
        read = [turn.read(self._zone, session=memory.identity.session) for turn in turns]
        if not wait:
            return answered(curated_answers.queued_answer(memory.ingest_later(read, scope=scope, force=not gate)))

        def report(done: int) -> None:
            # Between batches, each one transaction: a cancelled call ends here with nothing half done.
            anyio.from_thread.check_cancelled()
            anyio.from_thread.run(ctx.report_progress, done, total)

        result = memory.ingest(
            read,
            scope=scope,
            force=not gate,
            progress=report,
        )
        return answered(answers.ingest_answer(result))

    def _seen_by_caller(self, session: str | None = None) -> "Memory":
        """The facade as the caller of this request may see it."""
        identity = narrow(identity_of_request(self._memory.identity), session=session)
        return self._memory.for_identity(identity)

    def _changed_by_caller(self, session: str | None = None) -> "Memory":
        """The facade as the caller of this request may change it."""
        identity = narrow(grant_of_request(self._memory.identity).changing, session=session)
        return self._memory.for_identity(identity)


def body_of(tools: Tools, spec: ToolSpec) -> Callable[..., ToolResult]:
    """The method that does a tool."""
    return getattr(tools, spec.name)
