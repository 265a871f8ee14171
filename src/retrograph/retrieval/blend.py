"""The weights of a recall, by name: our own, and the formulas the field publishes to compare with."""

from dataclasses import dataclass

from retrograph.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Blend:
    """Every constant of a recall; docs/recall.md says how each was chosen and what it brings.

    Args:
        pool: Memories each arm brings.
        context: Weight of a word found in a memory's context against one in its content.
        keyword: Weight of words, where the query names nothing the bank knows.
        activation: Weight of activation, where the query names something rare.
        seeds: Memories that activation starts from.
        sharpness: How much of it the best of them gets (inverse temperature).
        named: Share of the activation that starts at the names of the query.
        relation: Share of an entity's activation that a relation passes on.
        next: What a neighbouring turn of the session passes on.
        hub: Mentions from which on a name is no cue.
        fan_out: Edges from which on a node passes nothing on.
        entities: Entities kept a hop.
        memories: Memories kept a hop.
        recency: Greatest boost of a new memory.
        importance: Boost of importance, [-0.5, 0.5] times this.
        access: Greatest boost of a memory that is often used.
        feedback: Greatest boost or penalty by feedback.
        confidence: Penalty for doubt.
    """

    pool: int = 60
    context: float = 1.0
    keyword: float = 0.4
    activation: float = 0.6
    seeds: int = 3
    sharpness: float = 20.0
    named: float = 0.5
    relation: float = 0.3
    next: float = 0.3
    hub: int = 1_000
    fan_out: int = 100
    entities: int = 30
    memories: int = 60
    recency: float = 0.05
    importance: float = 0.05
    access: float = 0.03
    feedback: float = 0.10
    confidence: float = 0.05


PRESETS: dict[str, Blend] = {"retrograph": Blend()}


def preset(name: str) -> Blend:
    """The blend of that name.

    Raises:
        InvalidInput: There is none; the message lists those there are.
    """
    if name not in PRESETS:
        raise InvalidInput(
            f"there is no preset {name!r}", cure=f"Presets: {', '.join(sorted(PRESETS))}.", field="preset"
        )
    return PRESETS[name]
