"""The `retrograph` command. Only this layer knows the command-line framework."""

import sys

__all__ = ["main"]


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    from retrograph.cli.app import run

    sys.exit(run(sys.argv[1:]))
