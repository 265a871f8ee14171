"""Consolidation: the batch job that keeps a bank healthy. It stands above `memory` and uses its parts."""

from retrograph.consolidation.report import Change, ConsolidationReport, JobReport, RunView, UndoReport
from retrograph.consolidation.runner import JOBS, NEEDS, Consolidator
from retrograph.consolidation.undoing import undo_run

__all__ = [
    "JOBS",
    "NEEDS",
    "Change",
    "ConsolidationReport",
    "Consolidator",
    "JobReport",
    "RunView",
    "UndoReport",
    "undo_run",
]
