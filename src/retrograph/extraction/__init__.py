"""What a text says, read offline: language, entities and relations, in English, Chinese and mixed text."""

from retrograph.extraction.extractor import Extractor, ExtractsText, KnownNames
from retrograph.extraction.keys import NameLikeness, aliases_in, entity_key, near_names
from retrograph.extraction.language import detect_language
from retrograph.extraction.vocabulary import is_generic, is_single_valued

__all__ = [
    "Extractor",
    "ExtractsText",
    "KnownNames",
    "NameLikeness",
    "aliases_in",
    "detect_language",
    "entity_key",
    "is_generic",
    "is_single_valued",
    "near_names",
]
