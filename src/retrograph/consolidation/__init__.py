"""Consolidation: the batch job that keeps a bank healthy. It stands above `memory` and uses its parts."""

from retrograph.consolidation.checking import CHECKS, CheckReport, Fault, check_bank
from retrograph.consolidation.report import Change, ConsolidationReport, JobReport, RunView, UndoReport
from retrograph.consolidation.runner import JOBS, NEEDS, Consolidator
from retrograph.consolidation.undoing import undo_run

__all__ = [
    "CHECKS",
    "JOBS",
    "NEEDS",
    "Change",
    "CheckReport",
    "ConsolidationReport",
    "Consolidator",
    "Fault",
    "JobReport",
    "RunView",
    "UndoReport",
    "check_bank",
    "undo_run",
]
