"""How the server is started: where it may listen, and what it must not say."""

import logging
import socket

import pytest

import retrograph.server.serving as serving
from retrograph.errors import SettingsError
from retrograph.server import serve

pytestmark = pytest.mark.usefixtures("logging_as_before")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "memory.example.com", "127.0.0.1.example"])
def test_an_address_others_reach_is_refused_without_a_token(memory, host):
    with pytest.raises(SettingsError, match="without a token") as raised:
        serve(memory.settings, transport="http", host=host, port=0)
    assert "RETROGRAPH_SERVER_TOKEN" in raised.value.cure


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"])
def test_loopback_needs_no_token(memory, host):
    serving.require_token_beyond_loopback(memory.settings, host)


def test_an_address_others_reach_is_accepted_with_a_token(make_memory):
    settings = make_memory(server={"token": "long and random"}).settings
    serving.require_token_beyond_loopback(settings, "0.0.0.0")


def test_a_taken_port_is_named_with_a_cure(memory):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=f"port {port}") as raised:
            serve(memory.settings, transport="http", port=port)
    assert "port 0" in raised.value.cure


def test_an_address_that_is_not_this_machine_s_is_named(make_memory):
    settings = make_memory(server={"token": "t"}).settings
    with pytest.raises(SettingsError, match="cannot listen"):
        serve(settings, transport="http", host="192.0.2.1", port=0)


def test_the_frameworks_log_through_the_root_to_stderr(capsys):
    serving.log_to_stderr("warning")
    for name in ("fastmcp", "mcp", "uvicorn"):
        logging.getLogger(name).info("chatter of %s", name)
        logging.getLogger(name).warning("trouble in %s", name)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "chatter" not in captured.err
    assert [line.split()[-1] for line in captured.err.splitlines()] == ["fastmcp", "mcp", "uvicorn"]
