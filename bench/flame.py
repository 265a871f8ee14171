"""Flame graphs: stacks and how often each was met, as one small SVG without scripts.

Width is time, what calls lies under what it calls; parts too small to see are left out, so that a picture of a long
run stays small enough to keep.
"""

import html
import re
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

Stack = tuple[str, ...]
"""Frames, the outermost first, each `function (file)`."""

WIDTH, ROW, LETTER = 1_200, 17, 6.4
LEAST = 0.003
"""Share of the whole below which a part is not drawn."""
_LINE = re.compile(r":\d+\)$")


@dataclass
class _Part:
    count: int = 0
    inner: dict[str, "_Part"] = field(default_factory=dict)


def read_collapsed(text: str) -> Counter[Stack]:
    """Stacks as py-spy writes them raw (`outer;inner COUNT`), lines of one function taken together."""
    stacks: Counter[Stack] = Counter()
    for line in text.splitlines():
        frames, _, count = line.rpartition(" ")
        if frames and count.isdigit():
            stacks[tuple(_LINE.sub(")", frame) for frame in frames.split(";"))] += int(count)
    return stacks


def draw(stacks: Mapping[Stack, int], *, title: str) -> str:
    """The picture.

    Args:
        stacks: How often each was met.
        title: What it says on top.
    """
    whole = _Part()
    for stack, count in stacks.items():
        part = whole
        part.count += count
        for frame in stack:
            part = part.inner.setdefault(frame, _Part())
            part.count += count
    rows: list[str] = []
    deepest = _drawn(whole, rows, total=max(1, whole.count), at=0.0, depth=0)
    height = ROW * (deepest + 2)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" '
        f'font-size="11"><rect width="{WIDTH}" height="{height}" fill="#fff"/>'
        f'<text x="4" y="13">{html.escape(title)}, {whole.count:,} samples</text>'
    )
    turned = f'<g transform="translate(0 {ROW + 4})">'
    return "\n".join([head, turned, *rows, "</g></svg>", ""])


def _drawn(part: _Part, rows: list[str], *, total: int, at: float, depth: int) -> int:
    """Draws what lies in a part, the widest first; how deep it went."""
    deepest = depth
    for frame, inner in sorted(part.inner.items(), key=lambda item: (-item[1].count, item[0])):
        share = inner.count / total
        if share < LEAST:
            continue
        width = share * WIDTH
        letters = int(width / LETTER) - 1
        # crc32 and not hash: the same colour in every run.
        hue = zlib.crc32(frame.rpartition("(")[2].partition("/")[0].encode()) % 360
        label = frame if len(frame) <= letters else frame[: max(0, letters - 1)] + "…"
        text = f'<text x="{at + 3:.1f}" y="{depth * ROW + 12}">{html.escape(label)}</text>' if letters > 2 else ""
        rows.append(
            f'<g><title>{html.escape(frame)} {100 * share:.1f} %</title><rect x="{at:.1f}" y="{depth * ROW}" '
            f'width="{max(0.5, width - 0.5):.1f}" height="{ROW - 1}" fill="hsl({hue} 65% 78%)"/>{text}</g>'
        )
        deepest = max(deepest, _drawn(inner, rows, total=total, at=at, depth=depth + 1))
        at += width
    return deepest
