"""docs/settings.md lists every setting as it is."""

import re
from pathlib import Path

from retrograph.settings import Settings, provenance

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
ROW = re.compile(r"^\| `(?P<name>[a-z_.]+)` \| (?P<default>.+?) \| (?P<description>.+) \|$", re.MULTILINE)


def default_of(name: str) -> object:
    place: object = Settings
    *groups, last = name.split(".")
    for group in groups:
        place = Settings.model_fields[group].annotation
    return place.model_fields[last].default


def test_the_page_lists_every_setting_in_order_with_its_default_and_meaning(monkeypatch):
    monkeypatch.setattr(Settings, "config_file", Path("/nowhere/retrograph.toml"))
    rows = {row["name"]: row for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))}
    settings = {origin.name: origin for origin in provenance()}
    assert list(rows) == list(settings)
    for name, row in rows.items():
        assert row["description"] == settings[name].description
        default = default_of(name)
        if name in ("data_dir", "cache_dir"):
            continue  # They differ from user to user.
        if name == "shards":
            assert row["default"] == "none"
            continue
        assert row["default"] == {None: "–", (): "none"}.get(default, f"`{default}`"), name
