"""The page of a search that is under way: every state in words, and users' words as text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from earnest.reporting.live import draw_live_page, show_state
from earnest.training.search.live import Leader, LiveFailure, LiveState, Standing, Status

HOSTILE = '<script>alert(1)</script>"&'


def standing(corrected: bool = True, name: str = "c1") -> Standing:
    naive = np.maximum.accumulate(np.random.default_rng(2).uniform(0.6, 0.8, 40))
    leaders = tuple(
        Leader(f"{name}-{i}", f"{name}, C {i}", 0.8 - i / 50, 0.7, 0.9) for i in range(8)
    )
    return Standing(
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


def state(**parts: object) -> LiveState:
    given = {
        "title": "patients.csv, relapse",
        "written": 1_800_000_000.0,
        "seconds": 65.0,
        "planned": 1000,
        "n_configs_planned": 100,
        "done": 410,
        "failed": 1,
        "left": 90.0,
        "failures": (LiveFailure("c7", 0, 2, "ValueError: no"),),
        "standing": standing(),
        "again": "The same command with --resume goes on.",
    }
    return LiveState(**(given | parts))


def test_what_users_write_is_text() -> None:
    bad = (LiveFailure(HOSTILE, 0, 1, HOSTILE),)
    page = draw_live_page(
        state(title=HOSTILE, standing=standing(name=HOSTILE), failures=bad, doing=HOSTILE)
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
    text = "".join(span.text for span in show_state(state(n_configs_planned=planned)).headline)
    assert ("40 of 41" in text) == shown
    assert "40 of 40" not in text


def test_what_is_zero_or_unknown_is_not_counted() -> None:
    words = [words for words, _, _ in show_state(state()).counts]
    assert words == ["of 1,000 fits", "failed", "so far", "left"]
    fresh = show_state(replace(LiveState(doing="Timing"), written=1.0))
    assert [words for words, _, _ in fresh.counts] == ["so far"]
    assert fresh.percent is None
    assert fresh.curve is None
