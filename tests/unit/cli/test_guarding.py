"""Commands of whoever owns the database: what each asks for, what it prints, what it never prints."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from retrograph.cli.app import run
from retrograph.cli.calling import Parts
from retrograph.errors import NotFound
from retrograph.models import AuditEntry, AuditPage, ChangeFeed, ChangeView, Identity, NewToken, TokenView

from .conftest import RECORD

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
SECRET = "rg_c2VjcmV0"
VIEW = TokenView("t1", Identity("atelier", "planner", "安\x1b[31m", "red"), ("read", "write"), "笔记本\x1b", AT)


class Owner:
    """Notes what it is called with; answers with what a memory might."""

    def __init__(self) -> None:
        self.identity = Identity("atelier")
        self.calls: list[tuple[str, object]] = []
        self.error: Exception | None = None

    def for_identity(self, identity: Identity) -> "Owner":
        self.identity = identity
        return self

    def _note(self, name: str, given: object) -> None:
        self.calls.append((name, given))
        if self.error:
            raise self.error

    def create_token(self, **given: object) -> NewToken:
        self._note("create_token", given)
        return NewToken(SECRET, replace(VIEW, identity=self.identity))

    def tokens(self, **given: object) -> tuple[TokenView, ...]:
        self._note("tokens", given)
        return VIEW, replace(VIEW, id="t0", revoked_at=AT)

    def revoke_token(self, token_id: str) -> TokenView:
        self._note("revoke_token", token_id)
        return replace(VIEW, id=token_id, revoked_at=AT)

    def audit(self, **given: object) -> AuditPage:
        self._note("audit", given)
        entry = AuditEntry("a1", AT, "changed", "m1", "planner\x1b", "安", None, "b" * 64, "c" * 64, "tags")
        return AuditPage((entry, replace(entry, action="deleted", after=None, agent=None, user=None)), 7)

    def changes(self, cursor: str | None, **given: object) -> ChangeFeed:
        self._note("changes", {"cursor": cursor, **given})
        return ChangeFeed((ChangeView("new", AT, replace(RECORD, agent="planner")),), "WzEs", more=True)

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def owner() -> Owner:
    return Owner()


@pytest.fixture
def call(owner, capsys, shell):
    """Runs a command; returns its exit code and what it printed. `shell` empties the environment."""

    def runs(*arguments: str) -> tuple[int, str, str]:
        code = run(arguments, parts=Parts(open_memory=lambda _: owner))  # pyright: ignore[reportArgumentType]
        return code, *capsys.readouterr()

    return runs


def test_a_token_is_made_for_whom_and_for_what_was_said(owner, call) -> None:
    code, out, err = call(
        *("token", "create", "--right", "read", "--right", "share", "--other-team", "blue", "--other-team", "绿队"),
        *("--label", "laptop", "--expires-at", "2027-01-01"),
    )
    assert code == 0
    assert owner.identity.teams == ("blue", "绿队")
    assert owner.calls == [
        (
            "create_token",
            {"rights": ["read", "share"], "label": "laptop", "expires_at": datetime(2027, 1, 1, tzinfo=UTC)},
        )
    ]
    assert out == SECRET + "\n", "alone on stdout, so that a script can take it"
    assert "shown this once" in err and "RETROGRAPH_SERVER_AUTH=tokens" in err and SECRET not in err


def test_a_token_may_read_and_write_by_default_and_json_has_all_of_it(owner, call) -> None:
    code, out, _ = call("token", "create", "--json")
    assert code == 0
    assert owner.calls[0][1] == {"rights": ["read", "write"], "label": "", "expires_at": None}
    told = json.loads(out)
    assert (told["token"], told["id"], told["bank"], told["rights"]) == (SECRET, "t1", "atelier", ["read", "write"])


@pytest.mark.parametrize("as_json", [True, False])
def test_tokens_are_listed_without_the_tokens(owner, call, as_json) -> None:
    code, out, _ = call("token", "list", "--all", "--limit", "7", *(["--json"] if as_json else []))
    assert code == 0
    assert owner.calls == [("tokens", {"everybody": True, "limit": 7})]
    assert "t1" in out and "t0" in out and "rg_" not in out and "\x1b" not in out
    if as_json:
        assert [view["revoked_at"] for view in json.loads(out)] == [None, "2026-03-01T09:00:00Z"]
    else:
        assert "revoked" in out and "planner" in out


def test_a_token_is_revoked_by_its_id(owner, call) -> None:
    assert call("token", "revoke", "t9")[:2] == (0, "revoked  t9\n")
    assert owner.calls == [("revoke_token", "t9")]
    owner.error = NotFound("bank 'b' has no token 'x'", cure="List.")
    code, out, err = call("token", "revoke", "x")
    assert (code, out) == (1, "") and "List." in err


@pytest.mark.parametrize(
    "arguments",
    [("token", "create", "--right", "root"), ("token", "create", "--expires-at", "soon"), ("token", "revoke")],
)
def test_what_cannot_work_is_wrong_usage_and_asks_nothing(owner, call, arguments) -> None:
    assert call(*arguments)[0] == 2
    assert owner.calls == []


def test_the_audit_is_searched_by_what_was_said(owner, call) -> None:
    code, out, _ = call(
        *("audit", "--memory", "m1", "--by-agent", "planner", "--by-user", "安", "--action", "deleted"),
        *("--since", "2026-01-01", "--until", "2026-02-01", "--limit", "7"),
    )
    assert code == 0
    asked = {"memory_id": "m1", "agent": "planner", "user": "安", "action": "deleted", "limit": 7}
    asked |= {"since": datetime(2026, 1, 1, tzinfo=UTC), "until": datetime(2026, 2, 1, tzinfo=UTC)}
    assert owner.calls == [("audit", asked)]
    assert "changed (tags)  m1  by planner\\x1b / 安" in out and "\x1b" not in out
    assert f"{'b' * 12} → {'c' * 12}" in out and f"{'b' * 12} → -" in out and "by -" in out
    assert "2 of 7 entries" in out
    assert json.loads(call("audit", "--json")[1])["entries"][0]["detail"] == "tags"


def test_changes_are_listed_with_the_cursor_for_the_next_time(owner, call) -> None:
    code, out, err = call("changes", "--cursor", "Wz", "--limit", "3")
    assert code == 0
    assert owner.calls == [("changes", {"cursor": "Wz", "since": None, "limit": 3})]
    assert out.startswith("new  ") and "planner" in out and "\x1b" not in out
    assert "cursor: WzEs" in err and "more" in err
    told = json.loads(call("changes", "--since", "2026-01-01", "--json")[1])
    assert (told["cursor"], told["more"], told["changes"][0]["kind"]) == ("WzEs", True, "new")


@pytest.mark.parametrize(
    "arguments", [("audit", "--action", "burnt"), ("audit", "--limit", "0"), ("changes", "--limit", "201")]
)
def test_what_cannot_be_searched_is_wrong_usage(owner, call, arguments) -> None:
    assert call(*arguments)[0] == 2
    assert owner.calls == []


def test_the_actions_offered_are_those_that_are_written() -> None:
    from retrograph.cli.guarding import ACTIONS
    from retrograph.graph import auditing

    written = set(re.findall(r'(?:Deed|_returned)\("([a-z ]+)"', Path(auditing.__file__).read_text("utf-8")))
    assert written | {"stored", "quarantined", "merged"} == set(ACTIONS)
