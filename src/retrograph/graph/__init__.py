"""The driver: one execution path, migrations, leases, embedding slots and the mapping of its errors."""

from retrograph.graph.driver import Connection, Graph
from retrograph.graph.leases import hold_lease
from retrograph.graph.migrate import SchemaState, migrate, schema_state

__all__ = ["Connection", "Graph", "SchemaState", "hold_lease", "migrate", "schema_state"]
