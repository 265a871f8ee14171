"""The weights of a recall, by name: our own, and the formulas the field publishes to compare with."""

from dataclasses import dataclass

from retrograph.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Published:
    """A formula as the field publishes it: a weighted sum, or a product, of values in [0, 1] (feedback in [-1, 1]).

    It ranks the same candidates as our own blend, so that a comparison is one of formulas alone.

    Args:
        similarity: Weight of the cosine.
        entity: Weight of activation, which starts at the names of the query.
        importance: Weight of importance.
        recency: Weight of recency, exp(-λ·age) by the half-life.
        access: Weight of how often it was used, with saturation.
        feedback: Weight of feedback, with saturation.
        is_product: similarity · recency · importance instead of a sum.
    """

    similarity: float = 0.0
    entity: float = 0.0
    importance: float = 0.0
    recency: float = 0.0
    access: float = 0.0
    feedback: float = 0.0
    is_product: bool = False


@dataclass(frozen=True, slots=True)
class Blend:
    """Every constant of a recall; docs/recall.md says how each was chosen and what it brings.

    Args:
        pool: Memories each arm brings.
        content: Weight of a word found in a memory's content against one found in its context, which holds it too.
        semantic: Weight of meaning.
        spread: Distance in relevance from the nearest memory at which meaning says nothing more.
        keyword: Weight of words.
        keyword_half: Best full-text score at which words have half their weight: a weak best match says little.
        keyword_loss: Share of the weight of words lost where the query names something rare.
        activation: Weight of activation where the query names something rare; less as the name is common.
        wordless: Best full-text score below which links are trusted though the query names nothing.
        concept: Power of the share of the query that a common noun makes up, as against a name, which counts in full.
        speaker_share: Share of activation that the speaker of a turn gets beside a name.
        concept_share: Share of activation that a common noun gets beside a name.
        seeds: Memories that activation starts from.
        sharpness: How much of it the best of them gets (inverse temperature).
        named: Share of the activation that starts at the names of the query.
        relation: Share of an entity's activation that goes to its relations instead of its memories.
        similar: What a memory passes on to one that says nearly the same.
        quiet: Activation that is hardly heard: the scale of the logarithm.
        loud: Activation that is heard in full even where it is the loudest there is.
        hub: Mentions from which on a name is no cue.
        fan_out: Edges from which on a node passes nothing on.
        entities: Entities kept a hop.
        memories: Memories kept a hop.
        passing: Memories of those that pass on to the next hop, and entities whose relations do.
        kept: Candidates that are looked at closely: their exact cosine, their scene, their boosts.
        linked: Candidates and hits beyond those, the most active first: they fill the places that nothing better takes.
        speaker: Bonus of what a person said whom the query names.
        time: Bonus of what happened in the time that the query names.
        asks: Penalty of a turn that only asks.
        answer: Bonus of the turn that follows a fitting question, times the question's likeness.
        scene: Bonus of a turn among fitting turns.
        scene_decay: What is left of it with each turn of distance.
        scenes: Turns whose surroundings are looked at.
        recency: Greatest boost of a new memory.
        recent: The same where the query asks for what is recent.
        places: Newer ones that fit as well, with which half of that is lost where the query asks for the very last.
        looked: How many times as many each arm brings then: any of what is alike could be it.
        importance: Boost of importance, [-0.5, 0.5] times this.
        access: Greatest boost of a memory that is often used.
        feedback: Greatest boost or penalty by feedback.
        confidence: Penalty for doubt.
        published: A published formula to rank by instead of all that.
    """

    pool: int = 100
    content: float = 0.2
    semantic: float = 0.4
    spread: float = 0.45
    keyword: float = 0.9
    keyword_half: float = 10.0
    keyword_loss: float = 0.7
    activation: float = 0.6
    wordless: float = 3.0
    concept: float = 3.0
    concept_share: float = 0.1
    speaker_share: float = 0.3
    seeds: int = 3
    sharpness: float = 20.0
    named: float = 0.5
    relation: float = 0.3
    similar: float = 0.3
    quiet: float = 1e-4
    loud: float = 0.02
    hub: float = 1_000.0
    fan_out: int = 50
    entities: int = 40
    memories: int = 100
    passing: int = 10
    kept: int = 40
    linked: int = 10
    speaker: float = 0.2
    time: float = 0.45
    asks: float = 0.1
    answer: float = 0.4
    scene: float = 0.12
    scene_decay: float = 0.8
    scenes: int = 20
    recency: float = 0.05
    recent: float = 0.5
    places: float = 2.0
    looked: int = 3
    importance: float = 0.05
    access: float = 0.03
    feedback: float = 0.10
    confidence: float = 0.05
    published: Published | None = None


PRESETS: dict[str, Blend] = {
    "retrograph": Blend(),
    "similarity-feedback": Blend(published=Published(similarity=0.5, recency=0.2, access=0.2, feedback=0.1)),
    "similarity-importance-time": Blend(published=Published(similarity=0.6, importance=0.2, recency=0.2)),
    "vector-entity": Blend(published=Published(similarity=0.4, entity=0.2, importance=0.15, recency=0.15, access=0.1)),
    "decay-product": Blend(published=Published(is_product=True)),
}
"""docs/recall.md says what each is."""


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
