"""A bank on the move: into a file, out of one, and into the space of another encoder."""

from retrograph.transfer.exporting import ExportReport, export_bank
from retrograph.transfer.importing import ImportReport, import_bank
from retrograph.transfer.moving import MoveReport, Place, move_bank
from retrograph.transfer.reembedding import ReembedReport, reembed_bank

__all__ = [
    "ExportReport",
    "ImportReport",
    "MoveReport",
    "Place",
    "ReembedReport",
    "export_bank",
    "import_bank",
    "move_bank",
    "reembed_bank",
]
