"""Neo4j Browser's page on the local engine, with a guide and a style beside it.

The page is unpacked from its jar so that guide and style lie in the same folder: Neo4j serves all three from one
address, no second server runs, and the page needs to talk to nobody else.
"""

import secrets
import shutil
import zipfile
from pathlib import Path

from retrograph.engine.browser_guide import guide_page, style
from retrograph.engine.paths import EnginePaths

STYLE = "retrograph.grass"
_PAGE = "browser"
"""Neo4j looks for this folder on its class path, and serves it under the same name."""
_BETA = "browser/preview/"
"""A second page in the jar, twice as large, that nothing here leads to."""


def browser_jar(jars: list[Path]) -> Path | None:
    """The jar of Neo4j Browser among the engine's, or None."""
    return next((jar for jar in jars if jar.name.startswith("neo4j-browser-")), None)


def prepare_page(paths: EnginePaths, jar: Path) -> Path:
    """Makes the page's folder be there; to be called before the engine starts.

    Args:
        paths: The engine's files.
        jar: Neo4j Browser's.

    Returns:
        The folder to put on the class path, before the jar.
    """
    mark = paths.page / "version"
    if not mark.exists() or mark.read_text(encoding="utf-8") != jar.name:
        shutil.rmtree(paths.page, ignore_errors=True)
        with zipfile.ZipFile(jar) as archive:
            wanted = [name for name in archive.namelist() if name.startswith(f"{_PAGE}/") and _BETA not in name]
            archive.extractall(paths.page, wanted)
        # Neo4j serves the page to whoever asks for it, and a guide names its bank: nobody guesses where it lies.
        (paths.page / _PAGE / f"retrograph-{secrets.token_hex(16)}.html").touch()
        put_guide(paths, bank="default")
        # Last: what was broken off is unpacked again.
        mark.write_text(jar.name, encoding="utf-8")
    (paths.page / _PAGE / STYLE).write_text(style(), encoding="utf-8")
    return paths.page


def put_guide(paths: EnginePaths, *, bank: str) -> bool:
    """Writes the guide of a bank; the page shows it after the next sign-in or reload.

    Returns:
        Whether there is a page to show it; an engine that has run since an older version has none.
    """
    guide = _guide(paths)
    if guide is None:
        return False
    guide.write_text(guide_page(bank), encoding="utf-8")
    return True


def page_settings(paths: EnginePaths, http_port: int) -> dict[str, str]:
    """Neo4j's settings that show guide and style after the sign-in.

    Args:
        paths: The engine's files; none are set where the page was not prepared.
        http_port: Port of the page.
    """
    guide = _guide(paths)
    if guide is None:
        return {}
    base = f"http://127.0.0.1:{http_port}/{_PAGE}"
    return {
        "browser.remote_content_hostname_whitelist": "127.0.0.1,localhost",
        "browser.post_connect_cmd": f"style {base}/{STYLE}; guide {base}/{guide.name}",
    }


def _guide(paths: EnginePaths) -> Path | None:
    return next((paths.page / _PAGE).glob("retrograph-*.html"), None)
