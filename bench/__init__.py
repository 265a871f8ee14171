"""Measurements: what docs/measurements.md says, made again by `make bench`."""
