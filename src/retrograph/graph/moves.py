"""A bank between two databases: what is said of it at its node in each, and who keeps to that.

Every transaction that writes into a bank asks, inside itself, whether the bank can be written (`refuse_moving`). So a
move needs no word with the processes that use the bank: it sets the mark, waits for the transactions that began before
it, and from then on nothing changes.
"""

import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from uuid_utils import uuid7

from retrograph.errors import BankMoved, BankMoving, Conflict, GraphError

if TYPE_CHECKING:
    from retrograph.graph.driver import Graph

_OF_A_MOVE = frozenset(
    {
        "expect_bank",
        "hold_bank",
        "leave_bank",
        "open_moved_bank",
        "put_moved_edges",
        "put_moved_embeddings",
        "put_moved_nodes",
        "put_usage",
        "release_bank",
        "release_moved_nodes",
        "remove_moved_nodes",
        "switch_encoder",
    }
)
"""What a move itself does, at both ends."""
_OF_THE_DATABASE = frozenset({"create_token", "release_lease", "revoke_token", "take_lease"})
"""What speaks of a bank and is none of it: tokens stay in the database of all tokens."""
_HOLD_S = 20.0
"""A hold that is not renewed ends after so long, by the database's clock: a killed move blocks nobody."""
_PAUSE_S = 0.1


def bank_written(calls: Sequence[tuple[str, Mapping[str, Any]]], acting_bank: str | None) -> str | None:
    """The bank that a transaction writes into and has to ask for; None where there is none to ask for.

    Args:
        calls: Its queries by name, with their parameters.
        acting_bank: The bank of whoever acts.
    """
    if all(name in _OF_A_MOVE or name in _OF_THE_DATABASE for name, _ in calls):
        return None
    return next((params["bank"] for _, params in calls if params.get("bank")), acting_bank)


def refuse_moving(bank: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuses a write into a bank that a move holds, has taken away or is bringing.

    Args:
        bank: The bank.
        rows: The answer of `check_bank`.

    Raises:
        BankMoving: It is held for a moment, or not whole yet.
        BankMoved: It lives in another database now.
    """
    for row in rows:
        if row["is_arriving"]:
            raise arriving(bank)
        if row["has_left"]:
            raise BankMoved(
                f"bank {bank!r} has been moved to another database; nothing was stored here",
                cure="Start this process with the settings that the bank was moved to (docs/operations.md).",
            )
        if row["is_held"]:
            raise BankMoving(
                f"bank {bank!r} is being moved to another database, and its writes are held for a moment",
                cure="Try again in a few seconds; nothing was stored.",
            )


def arriving(bank: str) -> BankMoving:
    """The error of a bank that is not whole here yet."""
    return BankMoving(
        f"bank {bank!r} is being moved to this database and is not whole here yet",
        cure="Use the settings from before the move until it has ended; one that was cut off is run again.",
    )


class Hold:
    """The writes of a bank, held.

    Args:
        graph: The database that the bank leaves.
        bank: The bank.
        holder: Whose hold it is.
    """

    def __init__(self, graph: "Graph", bank: str, holder: str) -> None:
        self._graph = graph
        self._bank = bank
        self._holder = holder

    def take(self, *, is_new: bool) -> bool:
        """Holds, or goes on holding: False where the hold has run out meanwhile, so that something was written."""
        rows = self._graph.run("hold_bank", bank=self._bank, holder=self._holder, seconds=_HOLD_S, is_new=is_new)
        return bool(rows[0]["held"])

    def release(self) -> None:
        """Lets the writes go on; nothing happens where the hold ended already."""
        self._graph.run("release_bank", bank=self._bank, holder=self._holder)

    def leave(self, *, moved_to: str, moved_to_id: str) -> None:
        """Marks the bank as moved away; the hold ends with it.

        Raises:
            Conflict: The hold had run out: what was copied may lack what was written since.
        """
        rows = self._graph.run(
            "leave_bank", bank=self._bank, holder=self._holder, moved_to=moved_to, moved_to_id=moved_to_id
        )
        if not rows[0]["has_left"]:
            raise Conflict(
                f"the hold on bank {self._bank!r} ran out before the switch, so that it was not made",
                cure="Run the move again: it goes on from here.",
            )


@contextmanager
def held_bank(graph: "Graph", bank: str, *, drain_s: float) -> Generator[Hold]:
    """Holds the writes of a bank while the block runs; what was being written before is waited for.

    Args:
        graph: The database that the bank leaves.
        bank: The bank.
        drain_s: How long to wait for transactions that began before, seconds.

    Raises:
        Conflict: A transaction went on for longer; nothing is held any more.
    """
    hold = Hold(graph, bank, str(uuid7()))
    hold.take(is_new=True)
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(_HOLD_S / 4):
            try:
                if not hold.take(is_new=False):
                    return
            except GraphError:
                # Tried again while there is time; whether the hold still stood is seen at the switch.
                continue

    renewer = threading.Thread(target=renew, name=f"hold {bank}", daemon=True)
    renewer.start()
    try:
        await_transactions(graph, seconds=drain_s)
        yield hold
    finally:
        ended.set()
        renewer.join()
        hold.release()


def await_transactions(graph: "Graph", *, seconds: float) -> None:
    """Waits until all transactions that go on now have ended: they began before what was committed last.

    The account needs the right to see those of other accounts, where other accounts write.

    Raises:
        Conflict: They did not end within `seconds`.
    """
    name = place_of(graph)["name"]

    def going_on() -> set[str]:
        return {row["id"] for row in graph.run("list_transactions", database=name)}

    deadline = time.monotonic() + seconds
    left = going_on()
    while left:
        if time.monotonic() > deadline:
            raise Conflict(
                f"{len(left)} transactions of the database have gone on for {seconds:.0f} s",
                cure="Run the move again when they have ended; the database can list them.",
            )
        time.sleep(_PAUSE_S)
        left &= going_on()


def place_of(graph: "Graph") -> Mapping[str, str]:
    """The `id` and `name` of the database."""
    return graph.run("read_place")[0]
