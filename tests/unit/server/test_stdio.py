"""Standard input mended line by line."""

import io
import json
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrograph.server.stdio import MendedLines, mend


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        (rb'"half \ud83d"', rb'"half \ufffd"'),
        (rb'"\uDE00 other half"', rb'"\ufffd other half"'),
        (rb'"\ude00\ud83d"', rb'"\ufffd\ufffd"'),
        (rb'"whole \ud83d\ude00"', rb'"whole \ud83d\ude00"'),
        (rb'"\ud83d\ud83d\ude00"', rb'"\ufffd\ud83d\ude00"'),
        (rb'"C:\\ud83d"', rb'"C:\\ud83d"'),
        (rb'"\\\ud83d"', rb'"\\\ufffd"'),
        (rb'"\u4f60\n\d7ff"', rb'"\u4f60\n\d7ff"'),
        ('"你好 😀"'.encode(), '"你好 😀"'.encode()),
    ],
)
def test_only_half_characters_are_replaced(line, mended):
    assert mend(line) == mended


@given(st.text(st.characters(codec=None)))
def test_every_message_becomes_readable_and_whole_text_stays(text):
    line = json.dumps(text).encode("ascii")
    read = json.loads(mend(line))
    read.encode("utf-8")
    assert read == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(st.lists(st.binary(max_size=300).map(lambda line: line.replace(b"\n", b"") + b"\n")), st.integers(1, 50))
def test_the_stream_is_the_mended_lines_whatever_is_read_at_once(lines, size):
    with _stream(b"".join(lines)) as stream:
        read = b"".join(iter(lambda: stream.read(size), b""))
    assert read == b"".join(mend(line) for line in lines)


def test_a_last_line_without_an_end_is_read():
    with _stream(b"one\ntwo") as stream:
        assert stream.readall() == b"one\ntwo"


def test_a_long_line_is_read_whole():
    line = ("长" * 400_000).encode() + b"\n"
    reading, writing = os.pipe()
    feeder = threading.Thread(target=_feed, args=(writing, line))
    feeder.start()
    with MendedLines(reading) as stream:
        assert io.BufferedReader(stream).readline() == line
    feeder.join()


def test_a_reader_that_waits_finds_the_end_when_told_to_stop():
    reading, writing = os.pipe()
    with MendedLines(reading) as stream:
        found = []
        reader = threading.Thread(target=lambda: found.append(stream.read(10)))
        reader.start()
        stream.end()
        reader.join(10)
        assert found == [b""]
        assert stream.read(10) == b""
    os.close(writing)


def _feed(writing, data):
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(data)


def _stream(data):
    reading, writing = os.pipe()
    _feed(writing, data)
    return MendedLines(reading)
