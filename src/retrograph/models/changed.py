"""What became of a change that somebody asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from retrograph.models.read import EntityView


@dataclass(frozen=True, slots=True)
class LinkResult:
    """A link that now exists; `created` is False where it existed before."""

    from_id: str
    to_id: str
    type: str
    strength: float
    created: bool


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What a forget did, or would do.

    Args:
        dry_run: Nothing was changed.
        hard: Deleted for good; else archived.
        ids: The memories, at most 1,000 named.
        count: How many memories.
        entities: How many entities went along, being mentioned by nothing else.
        along: How many other memories went along, as they had the words of these: summaries and rules made of them,
            duplicates that had been merged into them.
    """

    dry_run: bool
    hard: bool
    ids: tuple[str, ...]
    count: int
    entities: int = 0
    along: int = 0


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """What a restore did.

    Args:
        restored: Ids that are out of the archive now.
        unchanged: Ids that were not in it.
        twins: Ids that stay archived, as the same words were told again meanwhile → id of the memory that has them.
    """

    restored: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    twins: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class MergeResult:
    """Two entities after a merge or its undo; `changed` is False where it was so before."""

    alias: EntityView
    canonical: EntityView
    merged: bool
    changed: bool


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """What a review did.

    Args:
        id: The memory.
        approved: It is recalled from now on; else it is archived, out of reach of a deep recall too.
        changed: False where the same review was made before.
        superseded: Ids of memories that it replaces.
        superseded_by: Ids of memories that replace it.
    """

    id: str
    approved: bool
    changed: bool
    superseded: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FeedbackView:
    """A memory after feedback: the sum of what was said of it, uses, and its own half-life, days, if it has one."""

    id: str
    feedback: int
    access_count: int
    half_life_days: float | None = None


@dataclass(frozen=True, slots=True)
class FeedbackReport:
    """What was recorded, memory by memory, in the order in which they were named."""

    useful: bool
    memories: tuple[FeedbackView, ...]
