"""How much memory a Neo4j should have for what it holds."""

from dataclasses import dataclass
from math import ceil

_LEAST_HEAP_MIB, _LEAST_PAGE_CACHE_MIB = 1024, 256
_STEP_MIB = 256
_HEAP_KIB, _PAGE_CACHE_KIB = 4.0, 3.0
_WORDS_KIB = 1.0
_BYTES_OF_A_NUMBER = 4
_JAVA_MIB = 300


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a Neo4j should have.

    Attributes:
        heap_mib: Largest Java heap, MiB.
        page_cache_mib: Page cache, MiB: the nodes and edges.
        whole_mib: With Java itself, and the indexes of vectors and words that the system maps beside them, MiB.
    """

    heap_mib: int
    page_cache_mib: int
    whole_mib: int


def sizes_for(memories: int, *, dimensions: int) -> Sizes:
    """Sizes for a number of memories.

    A heap of 4 KiB and a page cache of 3 KiB a memory beyond the first ones (a million ran with 5 GiB and 3 GiB), and
    what is mapped: the vectors and 1 KiB of words a memory. docs/operations.md has the table.

    Args:
        memories: Of all banks, the archive too.
        dimensions: Length of a vector.
    """
    heap = _rounded(_LEAST_HEAP_MIB + _HEAP_KIB * max(0, memories - 20_000) / 1024)
    page_cache = _rounded(max(_LEAST_PAGE_CACHE_MIB, _PAGE_CACHE_KIB * memories / 1024))
    mapped = memories * (dimensions * _BYTES_OF_A_NUMBER / 1024 + _WORDS_KIB) / 1024
    return Sizes(heap, page_cache, ceil(heap + page_cache + mapped + _JAVA_MIB))


def _rounded(mib: float) -> int:
    return _STEP_MIB * ceil(mib / _STEP_MIB)
