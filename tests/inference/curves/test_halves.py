"""The best so far of two samplers, by the half that each was told and by the other one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

import earnest as en
from earnest.core import Guides
from earnest.inference import trace_halves
from earnest.plotting import both_halves

N, CONFIGS = 60, 14
ORACLES = {"roc_auc": (1.0, roc_auc_score), "log_loss": (-1.0, log_loss)}


def crossed_table(codes: list[int], seed: int = 4) -> en.Predictions:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], N // 2)
    halves = (np.arange(N) // 2 % 2).astype(np.int8)
    pi = en.Predictions.from_arrays(
        y, rng.uniform(0.05, 0.95, (N, len(codes))), np.arange(N) // 4 % 5, response="probability"
    )
    return replace(pi, guides=Guides(halves, np.array(codes, np.int8)))


@pytest.mark.parametrize("name", list(ORACLES))
def test_curves_are_those_of_a_plain_loop(name: str) -> None:
    codes = [-1, -1, *([0, 1] * 6)]
    pi, (sign, oracle) = crossed_table(codes), ORACLES[name]
    curves = trace_halves(pi, en.metric(name))
    assert curves is not None
    assert pi.guides is not None
    assert curves.tried.tolist() == list(range(4, CONFIGS + 1))
    for half in (0, 1):
        guiding, judging = (pi.guides.halves == each for each in (half, 1 - half))
        for place, count in enumerate(curves.tried.tolist()):
            mine = [c for c in range(count) if codes[c] == half]
            y, p = pi.target.y, pi.responses[:, :, 0]
            best = max(mine, key=lambda c: sign * oracle(y[guiding], p[guiding, c]))
            assert curves.guiding[half, place] == pytest.approx(
                oracle(y[guiding], p[guiding, best])
            )
            assert curves.judging[half, place] == pytest.approx(
                oracle(y[judging], p[judging, best])
            )
    np.testing.assert_allclose(curves.means[0], curves.guiding.mean(axis=0))


def test_without_two_halves_that_guided_there_are_no_curves() -> None:
    metric = en.metric("roc_auc")
    for codes in ([-1] * 4, [0, 0, 0], [-1, 1, 1]):
        assert trace_halves(crossed_table(codes), metric) is None
    assert trace_halves(replace(crossed_table([0, 1]), guides=None), metric) is None
    none_of_half_1 = replace(
        crossed_table([0, 1]), guides=Guides(np.zeros(N, np.int8), np.array([0, 1], np.int8))
    )
    assert trace_halves(none_of_half_1, metric) is None


@pytest.mark.parametrize("codes", [[0, 1], [0, 1, 1, 0, 1, 0], [0, 1] * 100])
def test_the_figure_holds_every_number_of_its_curves_within_its_paper(codes: list[int]) -> None:
    curves = trace_halves(crossed_table(codes), en.metric("roc_auc"))
    assert curves is not None
    figure = both_halves(curves, name="halves", metric="ROC AUC", limits=(0.0, 1.0), width=350)
    assert 1 < len(figure.table) <= 13
    assert figure.table[-1][0] == str(len(codes))
    assert "NaN" not in figure.svg
    assert "nan" not in figure.svg


def test_a_report_of_a_crossed_search_shows_both_halves() -> None:
    pi = crossed_table([-1, -1, *([0, 1] * 6)])
    for table, there in ((pi, True), (replace(pi, guides=None), False)):
        content = en.report(table, metric="roc_auc", explain=False, rng=0).content
        assert content.gain is not None
        assert (content.gain.halves is not None) is there
