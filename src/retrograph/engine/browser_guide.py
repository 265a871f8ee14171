"""What a person sees of a bank in Neo4j Browser: queries to click, in a guide, as favourites, and the style."""

import html
import io
import json
import zipfile
from dataclasses import dataclass
from importlib import resources

from retrograph import cypher


@dataclass(frozen=True, slots=True)
class GuideQuery:
    """One query of the guide.

    Attributes:
        name: Its file in `cypher/queries/`.
        title: What it shows, in English.
        chinese: The same in Chinese.
        hint: What to change in it before running it; empty where nothing is to be changed.
    """

    name: str
    title: str
    chinese: str
    hint: str = ""

    def text(self, bank: str) -> str:
        """The statement for one bank; what it can be narrowed to is an empty text to fill in.

        Args:
            bank: The bank's name, whatever letters it has.
        """
        query = cypher.load(self.name)
        text = query.text
        for parameter in query.params:
            text = text.replace(f"${parameter}", json.dumps(bank if parameter == "bank" else "", ensure_ascii=False))
        return text

    def favourite(self) -> str:
        """The statement as a favourite: its title as a remark, the bank as Neo4j Browser's parameter `$bank`."""
        query = cypher.load(self.name)
        text = query.text
        for parameter in query.params.keys() - {"bank"}:
            text = text.replace(f"${parameter}", '""')
        remark = f"// Retrograph: {self.title}" + (f" ({self.hint})" if self.hint else "")
        return f"{remark}\n{text}\n"


CHAPTERS: tuple[tuple[str, tuple[GuideQuery, ...]], ...] = (
    (
        "The bank · 记忆库",
        (
            GuideQuery("draw_bank", "The bank as a graph", "整个记忆库"),
            GuideQuery("browse_newest", "Newest memories", "最新的记忆"),
        ),
    ),
    (
        "Memories · 记忆",
        (
            GuideQuery(
                "browse_memory",
                "One memory and what it is tied to",
                "一条记忆及其邻居",
                "the newest; put an id between the quotes for another",
            ),
            GuideQuery(
                "browse_session",
                "A session as a chain",
                "一次会话的先后",
                "the last one; put a session between the quotes for another",
            ),
        ),
    ),
    (
        "Conflicts · 冲突",
        (
            GuideQuery("browse_conflicts", "What replaced or contradicts what", "谁取代了谁，谁与谁矛盾"),
            GuideQuery("browse_history", "The same as a list, with reasons", "更替的历史与缘由"),
        ),
    ),
    (
        "Entities and recall · 实体与回忆",
        (
            GuideQuery("browse_hubs", "Hubs: what most memories mention", "被提到最多的实体"),
            GuideQuery(
                "browse_entity",
                "An entity's memories and relations",
                "一个实体的记忆与关系",
                "the one most mentioned; put a name between the quotes for another",
            ),
            GuideQuery(
                "browse_path",
                "The path of a recall: from names to a memory",
                "回忆的路径：从名字到记忆",
                "put the name asked for and the memory's id between the quotes; "
                "for one recall exactly, paste what `retrograph explain` prints",
            ),
        ),
    ),
)
"""The guide, chapter by chapter."""


def guide_queries() -> tuple[GuideQuery, ...]:
    """All queries of the guide, in its order."""
    return tuple(query for _, queries in CHAPTERS for query in queries)


def guide_page(bank: str) -> str:
    """The guide for one bank, as Neo4j Browser's side drawer shows it; a click on a query puts it into the editor."""
    slides = "\n".join(_slide(title, queries, bank) for title, queries in CHAPTERS)
    return f'<meta charset="utf-8">\n<title>Retrograph</title>\n<article class="guide">\n{slides}\n</article>\n'


def style() -> str:
    """Captions, colours and sizes, in the form of `:style`: one colour for each layer."""
    return resources.files("retrograph.engine").joinpath("browser.grass").read_text(encoding="utf-8")


def favourites() -> bytes:
    """A zip to drop onto Neo4j Browser: one favourite a query, in a folder `Retrograph`.

    They ask for the bank that `:param bank => "…"` names.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, query in enumerate(guide_queries()):
            # A fixed date: the same queries make the same file.
            entry = zipfile.ZipInfo(f"Retrograph/{number}_{query.name}.cypher", date_time=(2026, 1, 1, 0, 0, 0))
            archive.writestr(entry, query.favourite())
    return packed.getvalue()


def _slide(title: str, queries: tuple[GuideQuery, ...], bank: str) -> str:
    shown = "\n".join(_example(query, bank) for query in queries)
    return f"<slide>\n<h3>{html.escape(title)}</h3>\n<p>Bank: <b>{html.escape(bank)}</b></p>\n{shown}\n</slide>"


def _example(query: GuideQuery, bank: str) -> str:
    hint = f"<p><i>{html.escape(query.hint)}</i></p>\n" if query.hint else ""
    return (
        f"<h4>{html.escape(query.title)}<br>{html.escape(query.chinese)}</h4>\n{hint}"
        f'<pre class="pre-scrollable code runnable">{html.escape(query.text(bank), quote=False)}</pre>'
    )
