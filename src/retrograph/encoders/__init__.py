"""Encoders: texts to vectors, each encoder named by a string. Importing this loads no model."""

from retrograph.encoders.bundled import BundledEncoder
from retrograph.encoders.calibration import Calibration
from retrograph.encoders.open import open_encoder
from retrograph.encoders.protocol import MAX_CHARS, QUERY_CACHE, Encoder, Vectors

__all__ = ["MAX_CHARS", "QUERY_CACHE", "BundledEncoder", "Calibration", "Encoder", "Vectors", "open_encoder"]
