"""Embedding slots: each encoder has a vector index of its own, and each bank lives in one of them."""

from contextlib import AbstractContextManager
from dataclasses import dataclass

from retrograph import cypher
from retrograph.cypher import EMBEDDING_SLOTS
from retrograph.errors import EncoderMismatch, GraphError
from retrograph.graph.driver import Graph
from retrograph.graph.leases import hold_lease

_INDEX_OPTIONS = {
    "vector.similarity_function": "cosine",
    # Measured against exact search on conversation turns: see docs/recall.md.
    "vector.quantization.type": "NONE",
}

SPACE_KNOWN_S = 5.0
"""How long a process may go on with what it knew of a bank's space, seconds: a former space is kept so long."""


@dataclass(frozen=True, slots=True)
class BankSpace:
    """The vector space of a bank."""

    encoder: str
    slot: str
    dimensions: int
    is_arriving: bool = False
    """A move is bringing the bank: it is not whole yet."""


def bank_space(graph: Graph, bank: str) -> BankSpace | None:
    """The space a bank was written in; None where there is no such bank yet."""
    rows = graph.run("get_bank", bank=bank)
    return BankSpace(**rows[0]) if rows else None


def open_bank_space(graph: Graph, bank: str, *, encoder: str, dimensions: int) -> BankSpace:
    """The space of a bank, made at its first use.

    Args:
        graph: The database.
        bank: Name of the bank.
        encoder: Name of the encoder that will write and ask.
        dimensions: Length of its vectors.

    Raises:
        EncoderMismatch: The bank was written with another encoder.
        GraphError: All slots are taken by other encoders.
    """
    space = bank_space(graph, bank) or _create(graph, bank, encoder=encoder, dimensions=dimensions)
    check_encoder(space, bank, encoder=encoder)
    return space


def check_encoder(space: BankSpace, bank: str, *, encoder: str) -> None:
    """Refuses to compare vectors of two encoders.

    Raises:
        EncoderMismatch: The bank was written with another encoder.
    """
    if space.encoder != encoder:
        raise EncoderMismatch(
            f"bank {bank!r} was written with the encoder {space.encoder!r}, the settings name {encoder!r}",
            cure=f"Set RETROGRAPH_ENCODER back, or change the bank's encoder: retrograph reembed --bank {bank}",
        )


def _create(graph: Graph, bank: str, *, encoder: str, dimensions: int) -> BankSpace:
    with _schema_lease(graph):
        slot = _make_slot(graph, encoder=encoder, dimensions=dimensions)
        rows = graph.run("create_bank", bank=bank, encoder=encoder, slot=slot, dimensions=dimensions)
    return BankSpace(**rows[0])


def open_slot(graph: Graph, *, encoder: str, dimensions: int) -> str:
    """The slot of an encoder, with its index online; made where it is the encoder's first.

    Raises:
        EncoderMismatch: The encoder's vectors have another length here.
        GraphError: All slots are taken by other encoders.
    """
    with _schema_lease(graph):
        return _make_slot(graph, encoder=encoder, dimensions=dimensions)


def leave_slot(graph: Graph, bank: str, slot: str) -> bool:
    """Forgets a slot that a bank has left and emptied; its index goes where no other bank uses it.

    Returns:
        Whether the slot is free for another encoder now.
    """
    with _schema_lease(graph):
        if graph.run("leave_slot", bank=bank, slot=slot)[0]["users"]:
            return False
        graph.run_implicit(cypher.load("drop_embedding_index").in_slot(slot))
        graph.run("free_slot", slot=slot)
    return True


def _schema_lease(graph: Graph) -> AbstractContextManager[str]:
    """One process at a time: the schema is not changed by two transactions at once."""
    return hold_lease(graph, "embedding slots", seconds=60, wait_s=120)


def _make_slot(graph: Graph, *, encoder: str, dimensions: int) -> str:
    slot = _claim(graph, encoder=encoder, dimensions=dimensions)
    if _is_made(graph, slot):
        return slot
    graph.run_implicit(cypher.load("create_embedding_constraint").in_slot(slot))
    options = {"indexConfig": _INDEX_OPTIONS | {"vector.dimensions": dimensions}}
    graph.run_implicit(cypher.load("create_embedding_index").in_slot(slot), options=options)
    graph.run_implicit("await_indexes", timeout_s=300)
    return slot


def _is_made(graph: Graph, slot: str) -> bool:
    """Whether the slot's indexes are there: asking is cheaper than three statements that change nothing."""
    online = {row["name"] for row in graph.run_implicit("list_indexes") if row["state"] == "ONLINE"}
    return online.issuperset({f"embedding_{slot}", f"embedding_{slot}_id"})


def _claim(graph: Graph, *, encoder: str, dimensions: int) -> str:
    rows = graph.run("claim_slot", encoder=encoder, dimensions=dimensions, slots=list(EMBEDDING_SLOTS))
    if rows and rows[0]["dimensions"] != dimensions:
        raise EncoderMismatch(
            f"the encoder {encoder!r} gives {dimensions} numbers, its vectors here have {rows[0]['dimensions']}",
            cure="Give the changed model another name.",
        )
    if rows:
        return rows[0]["slot"]
    raise GraphError(
        f"all {len(EMBEDDING_SLOTS)} embedding slots of this database are taken by other encoders",
        cure="Use one of their encoders, or another database.",
    )
