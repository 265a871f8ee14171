"""`python -m retrograph` is the `retrograph` command."""

from retrograph.cli import main

main()
