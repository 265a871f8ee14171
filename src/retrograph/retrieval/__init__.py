"""Recall: seeds, spreading activation, blend, cut, explanation, rendering."""

from retrograph.retrieval.options import SearchOptions
from retrograph.retrieval.reading import QueryReader
from retrograph.retrieval.recall import Recaller

__all__ = ["QueryReader", "Recaller", "SearchOptions"]
