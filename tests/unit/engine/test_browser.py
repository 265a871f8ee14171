"""Neo4j Browser's page beside our guide and style, from a jar of three files."""

import zipfile
from pathlib import Path

import pytest

from retrograph.engine.browser import browser_jar, page_settings, prepare_page, put_guide
from retrograph.engine.paths import EnginePaths


@pytest.fixture
def paths(tmp_path: Path) -> EnginePaths:
    paths = EnginePaths(tmp_path / "engine")
    paths.create()
    return paths


def _jar(folder: Path, version: str, index: str) -> Path:
    jar = folder / f"neo4j-browser-{version}.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("browser/index.html", index)
        archive.writestr("browser/preview/index.html", "another page")
        archive.writestr("META-INF/MANIFEST.MF", "")
    return jar


def _guides(paths: EnginePaths) -> list[Path]:
    return list((paths.page / "browser").glob("retrograph-*.html"))


def test_page_is_unpacked_with_style_and_guide_beside_it(paths: EnginePaths, tmp_path: Path) -> None:
    folder = prepare_page(paths, _jar(tmp_path, "5.24.0", "one"))
    assert folder == paths.page
    assert (folder / "browser/index.html").read_text() == "one"
    assert "node.Episodic" in (folder / "browser/retrograph.grass").read_text()
    assert not (folder / "browser/preview").exists()
    (guide,) = _guides(paths)
    assert "Bank: <b>default</b>" in guide.read_text(encoding="utf-8")


def test_page_is_kept_for_the_same_jar_and_made_anew_for_another(paths: EnginePaths, tmp_path: Path) -> None:
    prepare_page(paths, _jar(tmp_path, "5.24.0", "one"))
    put_guide(paths, bank="银行")
    (before,) = _guides(paths)
    prepare_page(paths, _jar(tmp_path, "5.24.0", "two"))
    assert (paths.page / "browser/index.html").read_text() == "one"
    assert _guides(paths) == [before]
    assert "银行" in before.read_text(encoding="utf-8")
    prepare_page(paths, _jar(tmp_path, "5.25.0", "three"))
    assert (paths.page / "browser/index.html").read_text() == "three"
    assert len(_guides(paths)) == 1


def test_page_that_was_unpacked_in_part_is_unpacked_again(paths: EnginePaths, tmp_path: Path) -> None:
    (paths.page / "browser").mkdir(parents=True)
    (paths.page / "browser/half.js").write_text("half")
    prepare_page(paths, _jar(tmp_path, "5.24.0", "one"))
    assert not (paths.page / "browser/half.js").exists()
    assert (paths.page / "browser/index.html").read_text() == "one"


def test_settings_name_guide_and_style_on_loopback(paths: EnginePaths, tmp_path: Path) -> None:
    prepare_page(paths, _jar(tmp_path, "5.24.0", "one"))
    (guide,) = _guides(paths)
    command = page_settings(paths, 4747)["browser.post_connect_cmd"]
    base = "http://127.0.0.1:4747/browser"
    assert command == f"style {base}/retrograph.grass; guide {base}/{guide.name}"


def test_name_of_the_guide_cannot_be_guessed(paths: EnginePaths, tmp_path: Path) -> None:
    names = set()
    for version in ("1", "2", "3"):
        prepare_page(paths, _jar(tmp_path, version, "one"))
        names.add(_guides(paths)[0].stem.removeprefix("retrograph-"))
    assert len(names) == 3
    assert all(len(name) == 32 for name in names)


def test_without_the_page_there_is_no_guide_and_nothing_is_set(paths: EnginePaths, tmp_path: Path) -> None:
    assert put_guide(paths, bank="work") is False
    assert page_settings(paths, 4747) == {}
    assert browser_jar([tmp_path / "neo4j-kernel-1.jar"]) is None
    assert browser_jar([tmp_path / "x.jar", tmp_path / "neo4j-browser-1.jar"]) == tmp_path / "neo4j-browser-1.jar"
