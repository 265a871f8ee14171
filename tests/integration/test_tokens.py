"""Tokens in the graph: made, found by their hash alone, ended, and never kept."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from retrograph.errors import InvalidInput, NotFound
from retrograph.memory import Memory
from retrograph.memory.tokens import find_token, token_hash
from retrograph.models import Identity, Scope

from .conftest import ask


@pytest.fixture
def seen_by(memory: Memory) -> Callable[..., Memory]:
    """The bank seen by somebody."""
    return lambda **who: memory.for_identity(Identity(**({"bank": memory.identity.bank} | who)))


def test_a_token_is_found_by_its_hash_and_kept_nowhere(seen_by: Callable[..., Memory], graph: Any) -> None:
    who = {"agent": "规划者", "user": "ann", "team": "red", "session": "s", "teams": ("blue", "绿队")}
    owner = seen_by(**who)
    made = owner.create_token(rights=["write", "read"], label="laptop 笔记本")
    assert made.token.startswith("rg_") and len(made.token) >= 40
    assert (made.view.rights, made.view.label) == (("read", "write"), "laptop 笔记本")
    found = owner.find_token(token_hash(made.token))
    assert found == made.view
    assert found.identity == Identity(owner.identity.bank, "规划者", "ann", "red", "s", ("blue", "绿队"))
    rows = ask(graph, "MATCH (n) WHERE n.bank = $bank RETURN properties(n) AS p", bank=owner.identity.bank)
    assert rows and made.token not in str(rows) and made.token[3:] not in str(rows)
    assert owner.find_token(token_hash(made.token + "x")) is None
    assert owner.find_token(made.token) is None


def test_two_tokens_are_never_alike(seen_by: Callable[..., Memory]) -> None:
    made = [seen_by(user="ann").create_token() for _ in range(5)]
    assert len({each.token for each in made}) == len({each.view.id for each in made}) == 5
    assert [view.id for view in seen_by().tokens()] == [each.view.id for each in reversed(made)]
    assert len(seen_by().tokens(limit=2)) == 2


def test_a_revoked_or_expired_token_is_found_no_more(seen_by: Callable[..., Memory], graph: Any) -> None:
    owner = seen_by(user="ann")
    made = owner.create_token(expires_at=datetime.now(UTC) + timedelta(days=1))
    hashed = token_hash(made.token)
    assert owner.find_token(hashed)
    assert find_token(graph, hashed, now=datetime.now(UTC) + timedelta(days=2)) is None
    ended = owner.revoke_token(made.view.id)
    assert ended.revoked_at
    assert owner.revoke_token(made.view.id) == ended
    assert owner.find_token(hashed) is None
    assert owner.tokens()[0].revoked_at == ended.revoked_at


def test_a_bank_lists_and_ends_its_own_tokens_alone(memory: Memory, seen_by: Callable[..., Memory]) -> None:
    mine = seen_by(user="ann").create_token()
    elsewhere = memory.for_identity(Identity(f"{memory.identity.bank}-b", user="ann"))
    theirs = elsewhere.create_token()
    assert [view.id for view in memory.tokens()] == [mine.view.id]
    assert {mine.view.id, theirs.view.id} <= {view.id for view in memory.tokens(everybody=True, limit=1_000)}
    with pytest.raises(NotFound):
        memory.revoke_token(theirs.view.id)
    with pytest.raises(NotFound):
        memory.revoke_token("no-such")
    assert elsewhere.find_token(token_hash(theirs.token))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rights": []}, "any right"),
        ({"rights": ["read", "root"]}, "root"),
        ({"label": "x" * 201}, "label"),
        ({"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, "expired"),
    ],
)
def test_a_token_that_cannot_work_is_not_made(seen_by: Callable[..., Memory], given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        seen_by(user="ann").create_token(**given)
    assert seen_by().tokens() == ()


def test_a_token_without_anything_of_its_own_may_not_only_write(seen_by: Callable[..., Memory]) -> None:
    with pytest.raises(InvalidInput, match="nothing of its own"):
        seen_by().create_token(rights=["read", "write"])
    for rights in (["read"], ["write", "share"], ["admin"]):
        assert seen_by().create_token(rights=rights)
    with pytest.raises(InvalidInput):
        seen_by(user="").create_token()


def test_further_teams_are_read_and_not_written(seen_by: Callable[..., Memory]) -> None:
    red, blue, green = (seen_by(user=name, team=name) for name in ("red", "blue", "green"))
    for each in (red, blue, green):
        each.write(
            f"The {each.identity.team} harbour crane is painted {each.identity.team}.", scope=Scope.TEAM, force=True
        )
    both = seen_by(user="ann", team="red", teams=("blue",))
    found = {hit.memory.content.split()[1] for hit in both.search("harbour crane painted", limit=10).hits}
    assert found == {"red", "blue"}
    written = both.write("The anchor winch is rusty.", scope=Scope.TEAM, force=True).id
    assert written and red.get(written)
    with pytest.raises(NotFound):
        blue.get(written)
