"""The bar says how many are done, skipped and failed, and how long it takes still."""

from __future__ import annotations

import io
import subprocess
import sys
import time

import pytest
from rich.console import Console

from earnest.core.base.protocols import Outcome
from earnest.engine.progress import ProgressBar


def recorded(width: int = 100, *, terminal: bool = True) -> tuple[ProgressBar, io.StringIO]:
    out = io.StringIO()
    return ProgressBar(Console(file=out, width=width, force_terminal=terminal)), out


def test_the_bar_shows_every_count() -> None:
    bar, out = recorded()
    with bar:
        bar.start(10, "searching")
        bar.advance(Outcome((0,)), stored=True)
        bar.advance(Outcome((1,)))
        bar.advance(Outcome((2,), error="ValueError"))
        bar.drop(4)
        bar.message("dropped [svm] after fold 3")
    text = out.getvalue()
    assert "searching" in text
    assert "3 of 6 fits, 1 stored, 4 skipped, 1 failed" in text
    assert "left" in text
    assert "dropped [svm] after fold 3" in text


def test_what_is_zero_is_left_out() -> None:
    bar, out = recorded()
    with bar:
        bar.start(1)
        bar.advance(Outcome((0,)))
    assert bar.status() == "1 of 1 fits"
    assert "failed" not in out.getvalue()


def test_the_time_left_goes_by_what_was_run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    bar, _ = recorded()
    with bar:
        bar.start(100)
        assert bar.seconds_left() is None
        for number in range(50):
            bar.advance(Outcome((number,)), stored=True)
        assert bar.seconds_left() is None  # stored ones tell nothing
        now += 20.0
        bar.advance(Outcome((50,)))
        bar.advance(Outcome((51,)))
        assert bar.seconds_left() == pytest.approx(48 * 10.0)
        bar.drop(24)
        assert bar.seconds_left() == pytest.approx(24 * 10.0)
        assert bar.status().endswith("4:00 left")


def test_a_pipe_gets_the_last_state_and_no_control_characters() -> None:
    bar, out = recorded(terminal=False)
    with bar:
        bar.start(2)
        for number in range(2):
            bar.advance(Outcome((number,)))
    assert "\x1b" not in out.getvalue()
    assert out.getvalue().count("2 of 2 fits") == 1


def test_finishing_and_starting_again() -> None:
    bar, out = recorded()
    bar.finish()
    bar.start(1)
    bar.advance(Outcome((0,), error="no"))
    bar.start(5)
    assert bar.status() == "0 of 5 fits"
    bar.finish()
    bar.finish()
    assert out.getvalue()


def test_rich_is_loaded_when_a_bar_is_shown() -> None:
    script = "import earnest.engine.run, earnest.engine.progress, sys; print('rich' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
