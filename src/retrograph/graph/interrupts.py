"""Ctrl-C and the driver: cut in the middle of a message, a connection waits for the rest of it without end."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupt_held_back() -> Generator[None]:
    """Lets an interrupt take effect when the block has ended; a second one takes effect at once.

    Does nothing in other threads, which no interrupt reaches, and where somebody else handles interrupts.

    Raises:
        KeyboardInterrupt: One came meanwhile.
    """
    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not is_ours or threading.current_thread() is not threading.main_thread():
        yield
        return
    has_come = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal has_come
        if has_come:
            signal.default_int_handler(number, frame)
        has_come = True

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if has_come:
            raise KeyboardInterrupt
