"""Brings a database to the schema of this version; safe when several processes start at once."""

import logging
import time
from dataclasses import dataclass

from retrograph import cypher
from retrograph.cypher import Migration
from retrograph.errors import EngineUnavailable, GraphError, SchemaOutdated
from retrograph.graph.driver import Graph
from retrograph.graph.leases import hold_lease

_log = logging.getLogger(__name__)
_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class SchemaState:
    """Migrations that the database has and that this version brings."""

    applied: tuple[int, ...]
    available: tuple[int, ...]

    @property
    def is_current(self) -> bool:
        """Nothing is left to apply."""
        return self.applied == self.available


def schema_state(graph: Graph) -> SchemaState:
    """Looks, and changes nothing.

    Raises:
        SchemaOutdated: The database is newer than this version, or a migration's file was changed after
            it was applied.
    """
    known = {m.version: m for m in cypher.migrations()}
    rows = graph.run("list_migrations")
    for row in rows:
        version = row["version"]
        if version not in known:
            raise SchemaOutdated(
                f"the database has schema version {version}, this Retrograph knows up to {max(known)}",
                cure="Install a Retrograph that is at least as new as the one that wrote it.",
            )
        if row["checksum"] != known[version].checksum:
            raise SchemaOutdated(
                f"migration {version} ({known[version].name}) differs from the one the database was made with",
                cure="Install the released version of Retrograph, or start with an empty database.",
            )
    return SchemaState(tuple(row["version"] for row in rows), tuple(known))


def migrate(graph: Graph) -> SchemaState:
    """Applies what is missing; does nothing where nothing is.

    Raises:
        SchemaOutdated: As `schema_state`.
        GraphError: A statement failed.
    """
    state = schema_state(graph)
    if state.is_current:
        return state
    _patiently(graph, "create_lease_constraint")
    _patiently(graph, "create_migration_constraint")
    with hold_lease(graph, "schema", seconds=120, wait_s=120):
        state = schema_state(graph)
        for migration in cypher.migrations():
            if migration.version not in state.applied:
                _apply(graph, migration)
    return schema_state(graph)


def _apply(graph: Graph, migration: Migration) -> None:
    for statement in migration.statements:
        graph.run_statement(statement, doing=f"migration {migration.version}")
    graph.run_implicit("await_indexes", timeout_s=300)
    graph.run("record_migration", version=migration.version, name=migration.name, checksum=migration.checksum)
    _log.info("schema is at version %d (%s)", migration.version, migration.name)


def _patiently(graph: Graph, query: str) -> None:
    """Creating one constraint from several processes at once can deadlock or meet its twin half made."""
    for attempt in range(_ATTEMPTS):
        try:
            graph.run_implicit(query)
            return
        except EngineUnavailable:
            raise
        except GraphError:
            if attempt == _ATTEMPTS - 1:
                raise
            time.sleep(0.1 * (attempt + 1))
