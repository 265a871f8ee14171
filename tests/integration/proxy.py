"""A TCP proxy on loopback between a client and a database, which delays, cuts and loses as a test asks."""

import socket
import threading
import time
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

COMMIT = b"\x00\x02\xb0\x12\x00\x00"
"""The message by which a client of Bolt commits: a chunk of two bytes, and its end. Source: the Bolt specification."""
_BEGIN = b"\xb1\x11"
_READS = b"\x84mode\x81r"


class Proxy:
    """Passes bytes on between clients and a database.

    Args:
        uri: Where the database is, `bolt://host:port`.

    Attributes:
        delay_s: Before each piece of an answer, seconds.
        is_silent: Takes what clients say, and neither passes it on nor answers.
        is_shut: Cuts every new connection at once.
        loses: So many commits reach the database, and their answers never come back: the connection is cut.
        drops: So many commits do not reach it: the connection is cut before.
        only_writes: Loses and drops none but the commits of transactions that write.
        loses_every_other: The answer of every other commit is lost, beginning with the next.
        lost: How many answers of commits were lost.
        dropped: How many commits were.
    """

    def __init__(self, uri: str) -> None:
        at = urlsplit(uri)
        self._target = (at.hostname or "127.0.0.1", at.port or 7687)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._seen = 0
        self.delay_s = 0.0
        self.is_silent = False
        self.is_shut = False
        self.loses = 0
        self.drops = 0
        self.only_writes = False
        self.loses_every_other = False
        self.lost = 0
        self.dropped = 0

    @property
    def uri(self) -> str:
        """Where clients reach the database through it."""
        host, port = self._listener.getsockname()
        return f"bolt://{host}:{port}"

    def cut(self) -> None:
        """Cuts all connections."""
        with self._lock:
            for end in self._open:
                _shut(end)

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _shut(self._listener)
        self._listener.close()
        self.cut()
        for thread in self._threads:
            thread.join(10)

    def _start(self, work: object, *args: object) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True, name="proxy")  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.is_shut:
                client.close()
                continue
            server = socket.create_connection(self._target)
            with self._lock:
                self._open |= {client, server}
            losing = threading.Event()
            self._start(self._to_server, client, server, losing)
            self._start(self._to_client, server, client, losing)

    def _to_server(self, client: socket.socket, server: socket.socket, losing: threading.Event) -> None:
        reads = False
        try:
            while piece := client.recv(1 << 16):
                if self.is_silent:
                    continue
                if _BEGIN in piece:
                    reads = _READS in piece
                if COMMIT in piece and not (reads and self.only_writes):
                    if self._drops():
                        break
                    if self._loses():
                        losing.set()
                server.sendall(piece)
        except OSError:
            pass
        self._end(client, server)

    def _to_client(self, server: socket.socket, client: socket.socket, losing: threading.Event) -> None:
        try:
            while piece := server.recv(1 << 16):
                if losing.is_set():
                    # It is done by now, and nobody will know.
                    self.lost += 1
                    break
                if self.delay_s:
                    time.sleep(self.delay_s)
                client.sendall(piece)
        except OSError:
            pass
        self._end(client, server)

    def _drops(self) -> bool:
        with self._lock:
            if not self.drops:
                return False
            self.drops -= 1
            self.dropped += 1
            return True

    def _loses(self) -> bool:
        with self._lock:
            if self.loses_every_other:
                self._seen += 1
                return self._seen % 2 == 1
            if not self.loses:
                return False
            self.loses -= 1
            return True

    def _end(self, *ends: socket.socket) -> None:
        with self._lock:
            for end in ends:
                if end in self._open:
                    self._open.remove(end)
                    _shut(end)
                    end.close()


def _shut(end: socket.socket) -> None:
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
