"""The driver: one execution path, migrations, leases, embedding slots and the mapping of its errors."""

from retrograph.graph.driver import Connection, Graph
from retrograph.graph.leases import hold_lease
from retrograph.graph.migrate import SchemaState, migrate, schema_state
from retrograph.graph.slots import BankSpace, bank_space, check_encoder, open_bank_space, open_slot

__all__ = [
    "BankSpace",
    "Connection",
    "Graph",
    "SchemaState",
    "bank_space",
    "check_encoder",
    "hold_lease",
    "migrate",
    "open_bank_space",
    "open_slot",
    "schema_state",
]
