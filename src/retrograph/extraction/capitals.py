"""Runs of capitalised words: names and parts of names, for recall alone.

Entities do not overlap, so that "Honda VT500" is one and "Honda" none beside it. Activation goes farther where both are
there: on questions of several hops it is worth seven points of R@5 (docs/recall.md).
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from retrograph.extraction.keys import entity_key
from retrograph.extraction.names import CALENDAR
from retrograph.extraction.vocabulary import is_generic

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_JOINERS = frozenset("-–/")
_NO_FRONT = frozenset({"DET", "PRON", "ADP", "ADV", "CCONJ", "SCONJ", "AUX", "INTJ", "PART", "VERB"})
_SHORTEST_KEY = 3


def capital_runs(doc: "Doc") -> list[str]:
    """Runs of capitalised words and the numbers behind them, each with a proper noun in it, each once.

    Args:
        doc: Tagged English text.
    """
    found: dict[str, str] = {}
    for run in _runs(doc):
        name = doc.text[run[0].idx : run[-1].idx + len(run[-1].text)]
        key = entity_key(name)
        dated = all(t.text.lower() in CALENDAR or t.text.isdigit() for t in run)
        if len(key) >= _SHORTEST_KEY and not dated and not is_generic(name) and any(t.pos_ == "PROPN" for t in run):
            found.setdefault(key, name)
    return list(found.values())


def _runs(doc: "Doc") -> Iterable["list[Token]"]:
    run: list[Token] = []
    for token in doc:
        opens = token.text[:1].isupper() and (run or not _leads_only(token))
        joins = run and (token.text in _JOINERS or (token.text.isdigit() and run[-1].text not in _JOINERS))
        if opens or joins:
            run.append(token)
        else:
            yield from _closed(run)
            run = []
    yield from _closed(run)


def _leads_only(token: "Token") -> bool:
    """A word that has a capital because it opens a sentence."""
    return token.pos_ in _NO_FRONT or token.is_stop


def _closed(run: "list[Token]") -> "Iterable[list[Token]]":
    while run and run[-1].text in _JOINERS:
        run = run[:-1]
    if run:
        yield run
