"""Settings: which source wins, what is refused and how it is said, where each value came from."""

import os
from pathlib import Path

import pytest

from retrograph.errors import SettingsError
from retrograph.settings import (
    EngineSettings,
    SettingOrigin,
    Settings,
    config_path,
    provenance,
    unknown_environment,
)


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("RETROGRAPH_"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(Settings, "config_file", tmp_path / "user" / "retrograph.toml")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def origins(config: Path | None = None, **overrides: object) -> dict[str, SettingOrigin]:
    return {origin.name: origin for origin in provenance(config, **overrides)}


def test_argument_wins_over_environment_over_file_over_default(file, monkeypatch):
    file.write_text('bank = "file"\nteam = "file"\nagent = "file"\n')
    monkeypatch.setenv("RETROGRAPH_BANK", "environment")
    monkeypatch.setenv("RETROGRAPH_TEAM", "environment")
    settings = Settings.load(file, bank="argument")
    assert (settings.bank, settings.team, settings.agent, settings.user) == ("argument", "environment", "file", None)


def test_sources_are_merged_within_a_table(file, monkeypatch):
    file.write_text("[engine]\nidle_s = 1\nheap_mib = 300\nbolt_port = 5\n")
    monkeypatch.setenv("RETROGRAPH_ENGINE_HEAP_MIB", "400")
    engine = Settings.load(file, **{"engine.bolt_port": 6}).engine
    assert (engine.idle_s, engine.heap_mib, engine.bolt_port, engine.page_cache_mib) == (1, 400, 6, 256)


@pytest.mark.parametrize("value", [{"idle_s": 7}, EngineSettings(idle_s=7)])
def test_a_table_can_be_given_as_argument(value, monkeypatch):
    monkeypatch.setenv("RETROGRAPH_ENGINE_HEAP_MIB", "400")
    engine = Settings.load(engine=value).engine
    assert (engine.idle_s, engine.heap_mib) == (7, 400)


def test_a_table_in_the_environment_is_json(monkeypatch):
    monkeypatch.setenv("RETROGRAPH_ENGINE", '{"idle_s": 4}')
    assert Settings.load().engine.idle_s == 4


def test_an_empty_variable_counts_as_not_set(monkeypatch):
    monkeypatch.setenv("RETROGRAPH_USER", "")
    assert Settings.load().user is None


def test_a_missing_default_file_is_fine():
    assert Settings.load().bank == "default"


def test_the_user_file_is_read_where_no_other_is_named():
    Settings.config_file.parent.mkdir()
    Settings.config_file.write_text('bank = "银行"', encoding="utf-8")
    assert Settings.load().bank == "银行"


def test_the_variable_names_a_file(file, monkeypatch):
    file.write_text('bank = "named"')
    monkeypatch.setenv("RETROGRAPH_CONFIG", str(file))
    assert Settings.load().bank == "named"
    assert config_path() == (file, True)


def test_a_byte_order_mark_is_no_part_of_the_file(file):
    file.write_bytes(b'\xef\xbb\xbfbank = "x"')
    assert Settings.load(file).bank == "x"


def test_host_names_can_have_commas_between(monkeypatch):
    monkeypatch.setenv("RETROGRAPH_SERVER_ALLOWED_HOSTS", "a.example, b.example,")
    assert Settings.load().server.allowed_hosts == ("a.example", "b.example")


def test_the_constructor_reads_no_file(monkeypatch):
    Settings.config_file.parent.mkdir()
    Settings.config_file.write_text('bank = "file"')
    assert Settings().bank == "default"


@pytest.mark.parametrize(
    ("content", "message", "cure"),
    [
        ("[engine]\nidel_s = 4", "no setting 'engine.idel_s'", "engine.idle_s"),
        ("idle_s = 4", "no setting 'idle_s'", "engine.idle_s"),
        ("bnak = 'x'", "no setting 'bnak'", "bank"),
        ("[enigne]\nidle_s = 4", "no setting 'enigne.idle_s'", "engine.idle_s"),
        ("whatever = 1", "no setting 'whatever'", "retrograph config"),
        ("engine = 3", "engine cannot be one value (int)", "table"),
        ("[bank]\nx = 1", "bank cannot be {'x': 1}", "RETROGRAPH_BANK"),
        ("bank = [", "is not TOML", "Mend"),
        ("[engine]\nidle_s = -1", "engine.idle_s cannot be -1", "RETROGRAPH_ENGINE_IDLE_S"),
        ("[gate]\nborderline_at = 0.9", "the settings of gate do not go together", "retrograph config"),
        ("timezone = 'Asia/Shangai'", "did you mean Asia/Shanghai?", "RETROGRAPH_TIMEZONE"),
        ("timezone = '../../etc/passwd'", "no such time zone", "IANA"),
        ("uri = 'http://x:7687'", "starts with one of bolt://", "RETROGRAPH_URI"),
        ("uri = 'bolt://'", "names no host", "RETROGRAPH_URI"),
        ("encoder = 'sentence-transformers:'", "an encoder is bundled", "RETROGRAPH_ENCODER"),
        ("encoder = 'openai:localhost#m'", "an encoder is bundled", "RETROGRAPH_ENCODER"),
        ("encoder = 'openai:http://h/v1'", "an encoder is bundled", "RETROGRAPH_ENCODER"),
        ("encoder = 'word2vec'", "an encoder is bundled", "RETROGRAPH_ENCODER"),
    ],
)
def test_what_cannot_work_is_named_with_its_file_and_a_cure(file, content, message, cure):
    file.write_text(content)
    with pytest.raises(SettingsError) as caught:
        Settings.load(file)
    assert message in caught.value.message
    assert cure in caught.value.cure + caught.value.message
    assert str(file) in caught.value.message or "go together" in message


@pytest.mark.parametrize("spec", ["bundled", "sentence-transformers:all-MiniLM-L6-v2", "openai:https://h.example/v1#m"])
def test_an_encoder_of_each_form_is_accepted(spec):
    assert Settings.load(encoder=spec).encoder == spec


@pytest.mark.parametrize("scheme", ["bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"])
def test_every_scheme_of_the_driver_is_accepted(scheme):
    assert Settings.load(uri=f"{scheme}://h:1").uri == f"{scheme}://h:1"


def test_a_wrong_environment_value_names_its_variable(monkeypatch):
    monkeypatch.setenv("RETROGRAPH_ENGINE_IDLE_S", "soon")
    with pytest.raises(SettingsError, match=r"'soon' \(environment RETROGRAPH_ENGINE_IDLE_S\)"):
        Settings.load()


def test_a_wrong_argument_is_told_as_one():
    with pytest.raises(SettingsError, match=r"'' \(argument\)"):
        Settings.load(bank="")


def test_an_unknown_argument_is_an_error():
    with pytest.raises(SettingsError) as caught:
        Settings.load(**{"engine.idel_s": 3})
    assert caught.value.cure == "Did you mean engine.idle_s?"


def test_broken_json_in_the_environment_names_its_variable(monkeypatch):
    monkeypatch.setenv("RETROGRAPH_ENGINE", "{bad")
    with pytest.raises(SettingsError, match="RETROGRAPH_ENGINE cannot be read"):
        Settings.load()


@pytest.mark.parametrize("name", ["/nowhere/x.toml", "/dev/null/x.toml"])
def test_a_named_file_that_is_missing_is_an_error(name, monkeypatch):
    monkeypatch.setenv("RETROGRAPH_CONFIG", name)
    with pytest.raises(SettingsError, match="no settings file"):
        Settings.load()


def test_a_folder_is_no_settings_file(tmp_path):
    with pytest.raises(SettingsError, match="cannot be read"):
        Settings.load(tmp_path)


def test_a_file_that_is_not_utf8_is_told_with_the_byte(file):
    file.write_bytes("bank = '银'".encode("gb18030"))
    with pytest.raises(SettingsError, match=r"not UTF-8 text \(byte 8\)"):
        Settings.load(file)


@pytest.mark.parametrize(
    "given",
    [
        {"password": 31337},
        {"server": {"token": 31337}},
        {"uri": "bolt://neo4j:31337@h"},
        {"uri": "http://neo4j:31337@h"},
        {"encoder": "openai:ftp://u:31337@h/v1#m"},
        {"pasword": "31337"},
        {"server": {"tokn": "31337"}},
    ],
)
def test_no_error_shows_a_secret(given):
    with pytest.raises(SettingsError) as caught:
        Settings.load(**given)
    shown = [str(caught.value), repr(caught.value), str(caught.value.__cause__), repr(caught.value.__cause__)]
    assert not any("31337" in text for text in shown)


def test_provenance_names_the_source_of_each_value(file, monkeypatch):
    file.write_text('team = "core"\n[engine]\nidle_s = 1\n')
    monkeypatch.setenv("RETROGRAPH_USER", "ada")
    monkeypatch.setenv("RETROGRAPH_ENGINE_HEAP_MIB", "400")
    found = origins(file, **{"engine.bolt_port": 5}, bank="b")
    assert {name: (o.value, o.origin) for name, o in found.items() if o.origin != "default"} == {
        "bank": ("b", "argument"),
        "user": ("ada", "environment RETROGRAPH_USER"),
        "team": ("core", f"file {file}"),
        "engine.bolt_port": (5, "argument"),
        "engine.heap_mib": (400, "environment RETROGRAPH_ENGINE_HEAP_MIB"),
        "engine.idle_s": (1, f"file {file}"),
    }


def test_provenance_lists_every_setting_with_a_description():
    found = origins()
    groups = ("engine", "gate", "safety", "recall", "ingest", "consolidation", "trajectories", "server")
    expected = {name for name in Settings.model_fields if name not in groups} | {
        f"{group}.{name}" for group in groups for name in Settings.model_fields[group].annotation.model_fields
    }
    assert set(found) == expected
    assert all(origin.description for origin in found.values())


def test_provenance_hides_secrets(monkeypatch):
    monkeypatch.setenv("RETROGRAPH_PASSWORD", "31337")
    monkeypatch.setenv("RETROGRAPH_SERVER_TOKEN", "31337")
    found = origins()
    assert found["password"].value == "(hidden)"
    assert found["server.token"].value == "(hidden)"
    assert "31337" not in repr(found)


def test_unknown_variables_are_named_with_what_is_near(monkeypatch):
    monkeypatch.setenv("RETROGRAPH_BNAK", "x")
    monkeypatch.setenv("RETROGRAPH_ENGINE_IDEL_S", "4")
    monkeypatch.setenv("RETROGRAPH_BANK", "x")
    monkeypatch.setenv("RETROGRAPH_ENGINE", "{}")
    monkeypatch.setenv("RETROGRAPH_TEST_URI", "x")
    assert unknown_environment() == {
        "RETROGRAPH_BNAK": "RETROGRAPH_BANK",
        "RETROGRAPH_ENGINE_IDEL_S": "RETROGRAPH_ENGINE_IDLE_S",
    }
    assert Settings.load().engine.idle_s == 900


def test_identity_is_what_the_settings_name():
    identity = Settings.load(bank="b", agent="a", user="u", team="t", session="s").identity
    assert (identity.bank, identity.agent, identity.user) == ("b", "a", "u")
    assert (identity.team, identity.session) == ("t", "s")


def test_a_shard_that_cannot_work_is_told_without_its_password(monkeypatch):
    monkeypatch.setenv("RETROGRAPH_SHARDS", '{"team-*": {"uri": "http://x", "password": "hunter22"}}')
    with pytest.raises(SettingsError) as refused:
        Settings.load()
    assert "hunter22" not in str(refused.value)
    assert "bolt://" in str(refused.value)


def test_the_first_pattern_that_fits_names_the_shard_of_a_bank():
    shards = {"team-*": {"uri": "bolt://a:1"}, "team-x": {"uri": "bolt://b:1"}, "团队-?": {"uri": "bolt://c:1"}}
    settings = Settings.load(shards=shards)
    assert [settings.shard_of(b) for b in ("team-x", "团队-一", "other")] == ["team-*", "团队-?", None]
    assert settings.at_shard("团队-?").uri == "bolt://c:1"
