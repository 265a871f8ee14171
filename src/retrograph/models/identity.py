"""Who is asking, and which memories that lets them see."""

from dataclasses import dataclass

from retrograph.models.words import Scope


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is asking. Inside a bank it decides what can be recalled.

    Args:
        bank: The isolated memory space.
        agent: The agent on whose behalf, or None.
        user: The person on whose behalf, or None.
        team: The team whose `team` memories are shared.
        session: The conversation or task run, or None.
        teams: Further teams whose `team` memories it may recall; what it writes for a team is for `team`.
        only_own: Only what is private to its user or agent is within reach: for one who may change nothing shared.
    """

    bank: str = "default"
    agent: str | None = None
    user: str | None = None
    team: str = "main"
    session: str | None = None
    teams: tuple[str, ...] = ()
    only_own: bool = False

    @property
    def audiences(self) -> list[str]:
        """Audience tokens of the memories this identity may recall."""
        private = [_private_token(kind, name) for kind, name in (("u", self.user), ("a", self.agent)) if name]
        if self.only_own:
            return private
        teams = dict.fromkeys((self.team, *self.teams))
        return [_EVERYONE, *(_private_token("t", team) for team in teams), *private]

    @property
    def default_scope(self) -> Scope:
        """Private where there is somebody to be private to, else global."""
        return Scope.PRIVATE if self.user or self.agent else Scope.GLOBAL

    def audience(self, scope: Scope) -> str:
        """The one token that says who may recall a memory this identity writes; filtered inside the indexes.

        A private memory belongs to the user where there is one, else to the agent; with neither there is
        nobody to keep it from and it is global.
        """
        if scope is Scope.TEAM:
            return _private_token("t", self.team)
        if scope is Scope.PRIVATE and self.user:
            return _private_token("u", self.user)
        if scope is Scope.PRIVATE and self.agent:
            return _private_token("a", self.agent)
        return _EVERYONE


_EVERYONE = "g"


def _private_token(kind: str, name: str) -> str:
    return kind + token(name)


def token(text: str) -> str:
    """A name as lower-case letters and digits, injective, so that it survives every text analyzer."""
    return text.encode("utf-8").hex()
