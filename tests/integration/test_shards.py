"""Banks that live in another database, by a pattern of their names."""

import pytest
from uuid_utils import uuid7

from retrograph.cli.calling import Parts
from retrograph.engine import Engine
from retrograph.errors import EngineUnavailable
from retrograph.graph import Connection
from retrograph.memory import Memory
from retrograph.models import Identity, Turn
from retrograph.settings import Settings

from .conftest import ask

_NOBODY = {"uri": "bolt://127.0.0.1:1", "password": "x"}
"""A shard whose database does not answer."""


@pytest.fixture
def sharded(database: Connection, spare_engine: Engine):
    """A memory whose banks `east-…` live in a second engine."""
    there = spare_engine.start()
    shard = {"uri": there.uri, "username": there.username, "password": there.password}
    home = Settings.load(
        uri=database.uri,
        username=database.username,
        password=database.password,
        bank=f"west-{uuid7()}",
        shards={"east-*": shard},
    )
    with Memory(home) as memory:
        yield memory


def _banks(memory: Memory) -> list[set[str]]:
    """The banks of the first database, and of the second."""
    places = memory.resources.everywhere()
    return [{row["name"] for row in ask(place.graph, "MATCH (b:Bank) RETURN b.name AS name")} for place in places]


def test_each_bank_lives_whole_in_the_database_that_its_name_says(sharded: Memory) -> None:
    west, east = sharded.identity.bank, f"east-{uuid7()}"
    there = sharded.for_identity(Identity(bank=east))
    for memory, city in ((sharded, "Ghent"), (there, "青岛")):
        memory.write(f"The depot of {city} opens at 7.", force=True)
    assert [[hit.memory.content for hit in m.search("depot opens").hits] for m in (sharded, there)] == [
        ["The depot of Ghent opens at 7."],
        ["The depot of 青岛 opens at 7."],
    ]
    home, second = _banks(sharded)
    assert west in home
    assert east not in home
    assert east in second
    assert west not in second


def test_tokens_of_all_banks_are_found_at_home(sharded: Memory) -> None:
    there = sharded.for_identity(Identity(bank=f"east-{uuid7()}", user="ann"))
    made = there.create_token(rights=("read",))
    assert [token.id for token in there.tokens()] == [made.view.id]
    assert not ask(sharded.resources.everywhere()[1].graph, "MATCH (t:AccessToken) RETURN t.id AS id")
    assert there.revoke_token(made.view.id).id == made.view.id


def test_jobs_of_all_databases_are_worked_on(sharded: Memory) -> None:
    there = sharded.for_identity(Identity(bank=f"east-{uuid7()}"))
    queued = there.ingest_later([Turn("小周养了三只鸭子。"), Turn("Petra mends boats.")])
    assert queued.id in {job.id for job in sharded.run_jobs(everybody=True)}
    assert there.job(queued.id).state == "done"
    assert there.stats().memories == 2


def _with_a_dead_shard(memory: Memory) -> Memory:
    shards = {"dead-*": _NOBODY, **{name: shard.model_dump() for name, shard in memory.settings.shards.items()}}
    at = memory.settings
    password = at.password.get_secret_value() if at.password else ""
    return Memory(
        Settings.load(uri=at.uri, password=password, bank=at.bank, shards=shards, connect_timeout_s=1, retry_s=1)
    )


def test_jobs_behind_a_shard_that_does_not_answer_are_done_and_its_trouble_is_told(sharded: Memory) -> None:
    with _with_a_dead_shard(sharded) as memory:
        there = memory.for_identity(Identity(bank=f"east-{uuid7()}"))
        first = there.ingest_later([Turn("小周养了三只鸭子。")])
        told: list[tuple[str, str]] = []
        done = memory.run_jobs(everybody=True, trouble=lambda place, error: told.append((place, error.code)))
        assert first.id in {job.id for job in done}
        assert told == [("dead-*", "engine_unavailable")]
        second = there.ingest_later([Turn("Petra mends boats.")])
        with pytest.raises(EngineUnavailable):
            memory.run_jobs(everybody=True)
        assert there.job(second.id).state == "done"


def test_consolidate_of_all_banks_goes_on_behind_a_shard_that_does_not_answer(
    sharded: Memory,
) -> None:
    with _with_a_dead_shard(sharded) as memory:
        there = memory.for_identity(Identity(bank=f"east-{uuid7()}"))
        there.write("The ferry to 青岛 leaves at noon.", force=True)
        told: list[str] = []
        workers = Parts().open_consolidators(memory, trouble=lambda place, _: told.append(place))
        assert told == ["dead-*"]
        assert [worker.name for worker in workers] == ["", "east-*"]
        assert there.identity.bank in workers[1].banks()
        assert workers[1].run(there.identity.bank).skipped == ""


def test_memory_of_a_shard_closes_what_it_opened(sharded: Memory) -> None:
    alone = Memory(sharded.settings.model_copy(update={"bank": f"east-{uuid7()}"}))
    alone.write("The ferry leaves at noon.", force=True)
    alone.close()
    assert alone.resources is not alone.resources.home
