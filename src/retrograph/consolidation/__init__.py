"""Consolidation: the batch job that keeps a bank healthy."""
