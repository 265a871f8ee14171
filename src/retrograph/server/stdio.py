"""Standard input made safe to parse: half characters are replaced, and no child process can read it."""

import io
import os
import re
import select
import sys
from collections.abc import Callable

_CHUNK = 1 << 16

# Escapes from left to right, so that a backslash that is itself escaped opens nothing: a whole pair, half of
# one, anything else.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)


def divert_stdin() -> Callable[[], None]:
    """Puts in place of `sys.stdin` one that can be ended and whose messages always parse.

    Of the descriptor it makes the null device, so that no child process reads what is meant for the server.

    JavaScript writes half of a surrogate pair (an emoji cut by a length limit) as an escape that strict JSON
    readers refuse. A message that does not parse is never answered, because its id is not known: the client
    would wait for ever. So half a character becomes U+FFFD, as bytes that are no UTF-8 do.

    Returns:
        Ends the input, as if the client had hung up; may be called from a signal handler.
    """
    wire = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    lines = MendedLines(wire)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(lines), encoding="utf-8", errors="replace")
    return lines.end


def mend(line: bytes) -> bytes:
    r"""A line of JSON in which `\ud83d` without its other half reads `\ufffd`."""
    if b"\\u" not in line:
        return line
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], line)


class MendedLines(io.RawIOBase):
    """A stream of mended lines.

    Args:
        wire: Descriptor that the lines come from.
    """

    def __init__(self, wire: int) -> None:
        super().__init__()
        self._wire = wire
        self._ended, self._ending = os.pipe()
        self._read = bytearray()
        self._line = memoryview(b"")

    def readable(self) -> bool:
        """It is."""
        return True

    def end(self) -> None:
        """Makes a reader that waits, or the next one, find the end; from any thread or signal handler."""
        os.write(self._ending, b".")

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Reads at most the rest of one line; waits for one where there is none; 0 at the end."""
        if not self._line:
            self._line = memoryview(mend(self._next_line()))
        size = min(len(buffer), len(self._line))
        buffer[:size] = self._line[:size]
        self._line = self._line[size:]
        return size

    def close(self) -> None:
        """Gives the descriptors back."""
        if not self.closed:
            for descriptor in (self._wire, self._ended, self._ending):
                os.close(descriptor)
        super().close()

    def _next_line(self) -> bytes:
        searched = 0
        while (at := self._read.find(b"\n", searched)) < 0:
            searched = len(self._read)
            if not self._is_ready() or not (chunk := os.read(self._wire, _CHUNK)):
                at = searched - 1
                break
            self._read += chunk
        line = bytes(self._read[: at + 1])
        del self._read[: at + 1]
        return line

    def _is_ready(self) -> bool:
        """Waits for input; False where the end was asked for."""
        if os.name == "nt":  # select knows only sockets there, so a signal is seen at the next message
            return True
        ready, _, _ = select.select([self._wire, self._ended], [], [])
        return self._ended not in ready
