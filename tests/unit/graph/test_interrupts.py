"""An interrupt in the middle of the driver's work takes effect after it; a second one at once."""

import os
import signal
import threading

import pytest

from retrograph.graph.interrupts import interrupt_held_back


@pytest.fixture(autouse=True)
def _python_handles_interrupts():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_takes_effect_when_the_block_has_ended():
    done = []
    with pytest.raises(KeyboardInterrupt), interrupt_held_back():
        interrupt()
        done.append("the rest of the message")
    assert done == ["the rest of the message"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_counts_for_more_than_what_failed_after_it():
    with pytest.raises(KeyboardInterrupt) as caught, interrupt_held_back():
        interrupt()
        raise OSError
    assert isinstance(caught.value.__context__, OSError)


def test_a_second_interrupt_takes_effect_at_once():
    done = []
    with pytest.raises(KeyboardInterrupt), interrupt_held_back():
        interrupt()
        interrupt()
        done.append("never")
    assert done == []


def test_a_handler_of_somebody_else_stays():
    came = []
    signal.signal(signal.SIGINT, lambda *_: came.append(1))
    with interrupt_held_back():
        interrupt()
        assert came == [1]


def test_other_threads_are_left_alone():
    handlers = []

    def work():
        with interrupt_held_back():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]
