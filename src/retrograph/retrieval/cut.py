"""The cut: near-copies out, then `limit` and `max_tokens` over the whole payload."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from retrograph.models import Hit, MemoryRecord
from retrograph.retrieval.options import SearchOptions
from retrograph.retrieval.render import block_line, widest_frame

_PIECE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w{1,4}|[^\w\s]")


def cut(
    hits: Sequence[Hit], options: SearchOptions, *, similar: Callable[[str, str], bool]
) -> tuple[tuple[Hit, ...], int, int]:
    """The hits to answer with.

    Args:
        hits: Best first.
        options: `limit`, `max_tokens`, `diversity`, and whether a prompt-ready block goes out as well.
        similar: Whether two contents are near-copies.

    Returns:
        What is kept, how many were left out, and the tokens of what is kept.
    """
    limit = options.limit or len(hits)
    kept: list[Hit] = []
    tokens = estimate_tokens(widest_frame()) if options.text else 0
    for hit in hits:
        if len(kept) == limit:
            break
        if options.diversity and any(similar(hit.memory.content, other.memory.content) for other in kept):
            continue
        cost = payload_tokens(hit) + (estimate_tokens(block_line(hit.memory)) if options.text else 0)
        if options.max_tokens is not None and tokens + cost > options.max_tokens:
            continue
        kept.append(hit)
        tokens += cost
    return tuple(kept), len(hits) - len(kept), tokens if kept else 0


def payload_tokens(part: Hit | MemoryRecord) -> int:
    """Estimated tokens of a part of an answer as it is sent: content, metadata, tags, terms, path, and their names."""
    return estimate_tokens(json.dumps(part, ensure_ascii=False, default=_plain))


def estimate_tokens(text: str) -> int:
    """Estimated tokens of a text: a Chinese character, a sign, or up to four letters are one.

    It errs on the high side for English prose, so that a budget holds for any common tokeniser.
    """
    return len(_PIECE.findall(text))


def _plain(value: Any) -> Any:
    """Field by field as JSON comes to it: `asdict` would copy all first, and costs more than the writing."""
    return {f.name: getattr(value, f.name) for f in fields(value)} if is_dataclass(value) else str(value)
