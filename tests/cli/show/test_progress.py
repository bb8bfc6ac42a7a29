"""The line of a search: rewritten on a terminal, one line per step elsewhere."""

from __future__ import annotations

import io
import time

import numpy as np
import pytest

import earnest as en
from earnest.cli.show.progress import FoldLine, patiently, waiting
from earnest.core import TaskOutcome
from earnest.engine import Meter
from earnest.resampling.bootstrap import DRAWN


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Plain(Terminal):
    encoding = "ascii"


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("earnest.cli.show.progress.PATIENCE", 0.0)


def test_what_has_no_count_stands_on_a_terminal_until_it_is_over():
    stream, file = Terminal(), io.StringIO()
    with waiting(stream, "Thinking"), waiting(file, "Thinking"), waiting(None, "Thinking"):
        assert stream.getvalue() == "\r\x1b[2KThinking ..."
    assert stream.getvalue() == "\r\x1b[2KThinking ...\r\x1b[2K"
    assert file.getvalue() == ""


def wait_for(stream: io.StringIO, lines: int) -> list[str]:
    """Wait until a stream has so many lines; a minute is far more than they take."""
    limit = time.monotonic() + 60.0
    while len(shown := stream.getvalue().replace("\r\x1b[2K", "\n").splitlines()) < lines:
        assert time.monotonic() < limit
        time.sleep(0.005)
    return shown


def test_what_takes_long_is_told_again_and_again(monkeypatch):
    monkeypatch.setattr("earnest.cli.show.progress.LONG", 0.01)
    file, terminal = io.StringIO(), Terminal()
    with patiently(file, "Reading"):
        assert wait_for(file, 3)[:3] == ["Reading, 1 s so far"] * 3
    with patiently(terminal, "Reading", now=True):
        assert wait_for(terminal, 3)[1:3] == ["Reading ...", "Reading, 1 s so far"]
    assert terminal.getvalue().endswith("\r\x1b[2K")
    assert "\n" not in terminal.getvalue()


def test_a_long_estimate_tells_how_many_of_its_resamples_are_scored(monkeypatch):
    monkeypatch.setattr("earnest.cli.show.progress.LONG", 0.01)
    monkeypatch.setattr("earnest.resampling.bootstrap.BATCH_BYTES", 64 * 40)  # a block per batch
    monkeypatch.setattr("earnest.resampling.bootstrap.LEAST_BLOCKS", 1)
    counts = []

    def share_right(truth, label):
        counts.append(DRAWN.get().done)
        return float((truth == label).mean())

    y, rng = np.tile([0, 1], 20), np.random.default_rng(0)
    pi = en.Predictions.from_arrays(y, rng.random((40, 2)), np.arange(40) % 4)
    file = io.StringIO()
    with patiently(file, "Estimating"):
        en.estimate(pi, metric=share_right, n_resamples=256, rng=0)
        shown = wait_for(file, len(file.getvalue().splitlines()) + 2)
    assert set(range(0, 256, 4)) <= set(counts)  # every batch, and inside of each
    assert shown[-1].endswith(", 256 of 256 resamples")
    assert DRAWN.get() is None


def test_what_does_not_take_long_is_not_told():
    file = io.StringIO()
    with patiently(file, "Reading"), patiently(None, "Reading"):
        pass
    assert file.getvalue() == ""
    with patiently(file, "Reading", now=True):
        assert file.getvalue() == "Reading\n"


def run(line: FoldLine, configs: int = 2, folds: int = 5) -> None:
    meter = Meter([line])
    meter.expect(n_configs=configs, n_splits=folds)
    meter.start(configs * folds)
    for fold in range(folds):
        for config in range(configs):
            meter.advance(TaskOutcome((config, 0, fold)))
    meter.finish()
    meter.finish()  # twice is nothing


def test_a_terminal_has_one_line_that_is_rewritten():
    stream = Terminal()
    run(FoldLine(stream, by_fold=True))
    shown = stream.getvalue()
    assert shown.count("\n") == 1
    states = shown.split("\r\x1b[2K")
    assert states[1].startswith("Fold  1/5 ────────────────────   0 %  0 of 10 fits")
    assert "Fold  3/5 ━━━━━━━━━━━━────────  60 %  6 of 10 fits  1 s left" in states
    assert states[-1].startswith("Fold  5/5 ━━━━━━━━━━━━━━━━━━━━ 100 %  10 of 10 fits  in ")


def test_a_run_with_a_budget_counts_it_down_to_the_last_file():
    now = 100.0
    stream = Terminal()
    meter = Meter([FoldLine(stream)], budget=60.0, began=100.0, lasts=True, clock=lambda: now)
    meter.expect(n_configs=3, n_splits=2)
    with meter:
        meter.start(20, "Search")
        for key in range(4):
            now += 12.5
            meter.advance(TaskOutcome((key // 2, 0, key % 2)))
        meter.finish()
        now += 7.5
        meter.say("Writing the report")
        now += 1.5
    states = stream.getvalue().split("\r\x1b[2K")
    assert [state.rpartition("  ")[2] for state in states[1:-1]] == [
        "1:00 left", "48 s left", "35 s left", "23 s left", "10 s left", "3 s left",
    ]  # fmt: skip
    assert "2 of 3 planned configurations" in states[-1]
    assert states[-2].startswith("Writing the report ━━━━━━━━━━━━━━━━━━━─  95 %")
    assert states[-1].startswith("Search ━━━━━━━━━━━━━━━━━━━━ 100 %")
    assert states[-1].endswith("in 59 s\n")


def test_a_narrow_terminal_gets_a_line_that_does_not_wrap(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    run(FoldLine(stream))
    assert max(len(state) for state in stream.getvalue().split("\r\x1b[2K")) <= 40


def test_an_ascii_terminal_gets_ascii():
    stream = Plain()
    run(FoldLine(stream))
    assert stream.getvalue().isascii()


@pytest.mark.parametrize(("by_fold", "lines"), [(True, 5), (False, 10)])
def test_without_a_terminal_there_is_a_line_a_fold_or_a_tenth(by_fold, lines):
    stream = io.StringIO()
    run(FoldLine(stream, by_fold=by_fold))
    assert len(stream.getvalue().splitlines()) == lines
    assert "\r" not in stream.getvalue()


def test_a_dumb_terminal_is_none(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    run(FoldLine(stream))
    assert "\x1b" not in stream.getvalue()


def test_a_closed_stream_is_nobody():
    run(FoldLine(None))


def test_counts_tell_stored_skipped_and_failed(golden):
    stream = io.StringIO()
    meter = Meter([FoldLine(stream)])
    meter.start(1200, "Search")
    meter.advance(TaskOutcome((0, 0, 0)), stored=True)
    meter.advance(TaskOutcome((1, 0, 0), error="no"))
    meter.drop(1000)
    meter.finish()
    golden.check(stream.getvalue(), hide=r"(?<= in ).*")
