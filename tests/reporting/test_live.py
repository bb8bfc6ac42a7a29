"""The page of a search that is under way: every state in words, and users' words as text."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from earnest.cli.show.progress import FoldLine
from earnest.core import Counts, TaskOutcome
from earnest.engine import Meter, ProgressState
from earnest.reporting.live import draw_live_page, show_state
from earnest.training.search.live import (
    Leader,
    LiveFailure,
    LivePage,
    LiveStanding,
    LiveState,
    Status,
)

HOSTILE = '<script>alert(1)</script>"&'


def standing(corrected: bool = True, name: str = "c1") -> LiveStanding:
    naive = np.maximum.accumulate(np.random.default_rng(2).uniform(0.6, 0.8, 40))
    leaders = tuple(
        Leader(f"{name}-{i}", f"{name}, C {i}", 0.8 - i / 50, 0.7, 0.9) for i in range(8)
    )
    return LiveStanding(
        metric="roc_auc",
        greater_is_better=True,
        limits=(0.0, 1.0),
        n_configs=40,
        n_cases=150,
        naive=naive,
        leaders=leaders,
        corrected=naive - 0.05 if corrected else None,
        low=0.6 if corrected else np.nan,
        high=0.8 if corrected else np.nan,
    )


def progress(**parts: object) -> ProgressState:
    given = {
        "counts": Counts(planned=100),
        "fits": 410,
        "fits_planned": 1000,
        "fits_failed": 1,
        "elapsed": 65.0,
        "fraction": 0.41,
        "seconds_left": 90.0,
    }
    return ProgressState(**(given | parts))


def state(**parts: object) -> LiveState:
    given = {
        "title": "patients.csv, relapse",
        "written": 1_800_000_000.0,
        "progress": progress(),
        "failures": (LiveFailure("c7", 0, 2, "ValueError: no"),),
        "standing": standing(),
        "again": "The same command with --resume goes on.",
    }
    return LiveState(**(given | parts))


def test_what_users_write_is_text() -> None:
    bad = (LiveFailure(HOSTILE, 0, 1, HOSTILE),)
    page = draw_live_page(
        state(
            title=HOSTILE,
            standing=standing(name=HOSTILE),
            failures=bad,
            error=HOSTILE,
            progress=progress(doing=HOSTILE),
        )
    )
    assert "alert(1)" in page
    assert "<script>alert" not in page


def test_a_page_loads_nothing_from_elsewhere() -> None:
    page = draw_live_page(state())
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page
    assert "src=" not in page


@pytest.mark.parametrize("status", list(Status))
def test_only_a_running_search_reloads_its_page(status: Status) -> None:
    shown, page = show_state(state(status=status)), draw_live_page(state(status=status))
    running = status is Status.RUNNING
    assert shown.reloads == running
    assert ("location.reload" in page) == running
    assert ('http-equiv="refresh"' in page) == running
    assert bool(shown.ended) == (status in (Status.STOPPED, Status.FAILED))


def test_the_headline_has_the_corrected_score_before_the_naive_one() -> None:
    spans = show_state(state()).headline
    kinds = {span.kind: span.text for span in spans if span.kind}
    found = standing()
    assert found.corrected is not None
    assert kinds == {"honest": f"{found.corrected[-1]:.3f}", "naive": "0.800"}
    alone = show_state(state(standing=standing(corrected=False))).headline
    assert [span.kind for span in alone if span.kind] == ["naive"]


@pytest.mark.parametrize(("planned", "shown"), [(41, True), (40, False), (0, False)])
def test_the_headline_tells_of_configurations_to_come_only(planned: int, shown: bool) -> None:
    text = "".join(
        span.text
        for span in show_state(state(progress=progress(counts=Counts(planned=planned)))).headline
    )
    assert ("40 of 41" in text) == shown
    assert "40 of 40" not in text


def test_what_is_zero_or_unknown_is_not_counted() -> None:
    words = [words for words, _, _ in show_state(state()).counts]
    assert words == ["of 1,000 fits", "failed", "so far", "left"]
    fresh = show_state(LiveState(progress=ProgressState(doing="Timing"), written=1.0))
    assert [words for words, _, _ in fresh.counts] == ["so far"]
    assert fresh.percent is None
    assert show_state(state()).percent == 41
    assert fresh.curve is None


class Stream(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("budget", [None, 60.0])
def test_the_page_and_the_terminal_show_the_same_numbers(
    budget: float | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("earnest.cli.show.progress.PATIENCE", 0.0)
    now, stream = 100.0, Stream()
    meter = Meter([FoldLine(stream)], budget=budget, began=90.0, clock=lambda: now)
    meter.expect(n_configs=5, n_splits=2)
    page = LivePage(tmp_path / "page.html")
    page.meter = meter
    meter.start(10)
    for fit in range(7):
        now += 4.0
        meter.advance(TaskOutcome((fit // 2, 0, fit % 2), error="no" if fit == 3 else None))
        line = stream.getvalue().rpartition("\r\x1b[2K")[2]
        shown = show_state(page.state)
        counts = {words: number for words, number, _ in shown.counts}
        assert f" {shown.percent} %" in line
        planned = "of 5 planned configurations" if budget else "of 10 fits"
        assert f"{counts[planned]} {planned}" in line
        assert ("left" in counts) == ("left" in line)
        if "left" in counts:
            assert f"{counts['left']} left" in line
        assert (counts.get("failed"), "1 failed" in line) in ((None, False), ("1", True))
