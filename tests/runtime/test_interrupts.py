"""Ctrl-C in a program of one's own; and what happens where the system refuses threads."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

import dicelab as library
from dicelab.compile.kernels import cache
from dicelab.interface.cli.main import main
from dicelab.runtime.interrupts import Stopped, held_interrupts, on_another_thread
from dicelab.translation.translator import NotTranslatable

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent to this process")


def loop_after(times):
    """Interrupt this process so often, then loop."""
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
    began = time.perf_counter()
    while time.perf_counter() - began < 60:
        pass


def test_work_is_interrupted_once_it_has_had_its_time(limits):
    limits(interrupt_seconds=0.2)
    with pytest.raises(KeyboardInterrupt), held_interrupts():
        loop_after(1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_work_that_ends_in_time_is_not_interrupted(limits):
    limits(interrupt_seconds=0.2)
    with held_interrupts() as stopped:
        os.kill(os.getpid(), signal.SIGINT)
        while not stopped():
            time.sleep(0.01)
    time.sleep(0.4)


def test_the_second_ctrl_c_is_raised_at_once(limits):
    limits(interrupt_seconds=600.0)
    with pytest.raises(KeyboardInterrupt), held_interrupts():
        loop_after(2)


def test_work_on_another_thread_is_left_behind():
    go_on = threading.Event()

    def work():
        os.kill(os.getpid(), signal.SIGINT)
        go_on.wait(60)

    with pytest.raises(Stopped), held_interrupts():
        on_another_thread(work)
    go_on.set()


def test_work_on_another_thread_returns_and_raises():
    assert on_another_thread(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        on_another_thread(lambda: 1 // 0)


def refuse(self):
    raise RuntimeError("can't start new thread")


def test_games_are_played_without_threads_where_there_are_none(monkeypatch):
    expected = library.simulate("hazard", games=5000, seed=1, engine="compiled", threads=2)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert library.simulate("hazard", games=5000, seed=1, engine="compiled", threads=2).tallied == expected.tallied
    assert on_another_thread(lambda: 3) == 3


def test_too_few_threads_are_a_failure_in_words(monkeypatch, capsys):
    monkeypatch.setattr("dicelab.questions.exact.remembered", lambda *words, **more: refuse(None))
    with pytest.raises(SystemExit) as ended:
        main(["exact", "hazard"])
    assert ended.value.code == 1
    assert "no more threads" in capsys.readouterr().err


def test_what_numba_refuses_as_bytecode_is_not_translated():
    from numba.core.errors import UnsupportedBytecodeError

    def play_none():
        raise UnsupportedBytecodeError("Use of unsupported opcode (LOAD_X) found")

    with pytest.raises(NotTranslatable, match="Numba can't compile the rules of pig: Use of unsupported opcode"):
        cache.compile_now("text", play_none, "pig", {})
