"""Banks that live in another database, by a pattern of their names."""

import pytest
from uuid_utils import uuid7

from retrograph.engine import Engine
from retrograph.graph import Connection
from retrograph.memory import Memory
from retrograph.models import Identity, Turn
from retrograph.settings import Settings

from .conftest import ask


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


def test_memory_of_a_shard_closes_what_it_opened(sharded: Memory) -> None:
    alone = Memory(sharded.settings.model_copy(update={"bank": f"east-{uuid7()}"}))
    alone.write("The ferry leaves at noon.", force=True)
    alone.close()
    assert alone.resources is not alone.resources.home
