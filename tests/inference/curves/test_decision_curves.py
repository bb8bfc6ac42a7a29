"""Decision curves: held to dcurves, standardized, and compared with another rule."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from earnest.core.results.base import find_longest_run
from earnest.errors import EvidenceError, InputError
from earnest.inference import choose_winners
from earnest.kernels import score_table
from earnest.resampling import Weights
from earnest.results import Thresholds

GOLDEN = json.loads((Path(__file__).parent / "golden" / "dcurves.json").read_text())
AS_DCURVES = 1e-8


@pytest.fixture(scope="module")
def recorded() -> en.Predictions:
    scores = np.column_stack([GOLDEN["p"], GOLDEN["q"]])
    return en.Predictions.from_arrays(GOLDEN["y"], scores, configs=["p", "q"])


def ask(pi: en.Predictions, **more: object) -> Thresholds:
    return en.thresholds(
        pi, metric="brier", thresholds=GOLDEN["thresholds"], n_resamples=50, rng=1, **more
    )  # type: ignore[arg-type]


@pytest.mark.parametrize("model", ["p", "q"])
def test_naive_net_benefits_are_those_of_dcurves(recorded: en.Predictions, model: str) -> None:
    table = ask(recorded.select(model))
    places = [table.thresholds.index(cut) for cut in GOLDEN["thresholds"]]
    naive = np.array(table.curves["net_benefit"].naive, dtype=float)[places]
    np.testing.assert_allclose(naive, GOLDEN[f"net_benefit_{model}"], atol=AS_DCURVES, rtol=0)
    every = [table.treat_all(cut) for cut in GOLDEN["thresholds"]]
    np.testing.assert_allclose(every, GOLDEN["net_benefit_all"], atol=AS_DCURVES, rtol=0)


def test_a_standardized_net_benefit_is_a_share_of_the_prevalence(recorded: en.Predictions) -> None:
    table = ask(recorded.select("p"))
    plain, share = (
        np.array(table.curves[name].naive, dtype=float)
        for name in ("net_benefit", "standardized_net_benefit")
    )
    np.testing.assert_allclose(share, plain / table.prevalence, atol=1e-12)
    low, value, high = (
        np.array(getattr(table.curves["standardized_net_benefit"], end), dtype=float)
        for end in ("low", "value", "high")
    )
    assert (low <= value).all()
    assert (value <= high).all()


def test_a_difference_of_net_benefits_is_that_of_dcurves(recorded: en.Predictions) -> None:
    both = ask(recorded, against="q")
    winner = both.winner
    assert both.against is not None
    places = [both.thresholds.index(cut) for cut in GOLDEN["thresholds"]]
    naive = np.array(both.against.curve.naive, dtype=float)[places]
    expected = np.array(GOLDEN[f"net_benefit_{winner}"]) - np.array(GOLDEN["net_benefit_q"])
    np.testing.assert_allclose(naive, expected, atol=AS_DCURVES, rtol=0)
    alone = ask(recorded.select("p"), against="treat_all")
    assert alone.against is not None
    naive = np.array(alone.against.curve.naive, dtype=float)[places]
    expected = np.array(GOLDEN["net_benefit_p"]) - np.array(GOLDEN["net_benefit_all"])
    np.testing.assert_allclose(naive, expected, atol=AS_DCURVES, rtol=0)


@pytest.fixture(scope="module")
def searched() -> en.Predictions:
    rng = np.random.default_rng(2)
    odds = rng.normal(size=150) - 0.5
    y = (rng.random(150) < 1 / (1 + np.exp(-odds))).astype(int)
    noisy = odds[:, None] + rng.normal(size=(150, 6))
    return en.Predictions.from_arrays(y, 1 / (1 + np.exp(-noisy)), np.arange(150) % 5)


def test_against_is_the_winner_s_own_less_what_its_choice_adds(
    searched: en.Predictions,
) -> None:
    """The slow way: the resamples again, winners and counts by plain loops."""
    table = en.thresholds(searched, metric="brier", against="c2", n_resamples=40, rng=3)
    estimate = en.estimate(searched, metric="brier", n_resamples=40, rng=3)
    winners = estimate.details.winners
    draws = table.draws
    assert draws is not None
    from earnest.core import Seeds
    from earnest.inference import choose_resampler, resample_statistic
    from earnest.resampling import UndefinedRule, every_class_on_both_sides

    seen: list[np.ndarray] = []

    def keep(weights: Weights) -> np.ndarray:
        seen.append(weights.values.copy())
        return np.zeros((len(weights.values), 1))

    resample_statistic(
        keep,
        searched.target,
        choose_resampler(None, searched.target, UndefinedRule.REDRAW),
        40,
        Seeds.of(3),
        accept=every_class_on_both_sides(searched.target)
        if draws.totals.min() > 0 and en.metric("brier").needs_all_classes
        else None,
        redraw=True,
    )
    inbag = np.concatenate(seen)
    again = choose_winners(searched, en.metric("brier"), Weights(inbag), en.rules.Pooled())
    np.testing.assert_array_equal(again, winners)
    y, p = searched.target.y, searched.responses[:, :, 0]
    cut = 0.3
    expected = 0.0
    rule = np.full(len(winners), 2)
    for chosen, last, sign in ((winners, winner_of(table), 1.0), (rule, 2, -1.0)):
        for label, price in ((1, 1.0), (0, -cut / (1 - cut))):
            shares = []
            for weights in (inbag, inbag == 0):
                above = total = 0.0
                for row, config in zip(weights, chosen, strict=True):
                    above += row[(p[:, config] > cut) & (y == label)].sum()
                    total += row[y == label].sum()
                shares.append(above / total)
            naive = (p[y == label, last] > cut).mean()
            fair = naive - (shares[0] - shares[1]) / np.sqrt(2)
            expected += sign * price * (y == label).mean() * fair
    assert table.against is not None
    value = table.against.curve.at(table.thresholds.index(cut)).value
    assert value == pytest.approx(expected, abs=1e-12)


def winner_of(table: Thresholds) -> int:
    """Return the column of a winner."""
    return int(table.winner.removeprefix("c"))


def test_against_itself_nothing_differs_and_nothing_is_claimed(searched: en.Predictions) -> None:
    table = en.thresholds(searched.select(0), metric="brier", against="c0", n_resamples=30, rng=0)
    assert table.against is not None
    assert set(table.against.curve.value) == {0.0}
    assert table.against.better is None
    assert table.against.worse is None


def test_a_gain_survives_plain_data(searched: en.Predictions) -> None:
    table = en.thresholds(searched, metric="brier", against="treat_all", n_resamples=30, rng=0)
    assert Thresholds.from_dict(table.to_dict()) == table
    assert table.against is not None
    curve = table.against.curve
    pairs = zip(curve.low, curve.pointwise_low, strict=True)
    assert all(wide <= narrow for wide, narrow in pairs)  # type: ignore[operator]


def test_only_probabilities_and_known_rules_are_compared(searched: en.Predictions) -> None:
    with pytest.raises(InputError):
        en.thresholds(searched, metric="brier", against="nobody")
    values = en.Predictions.from_arrays(
        searched.target.y, 10 * searched.responses[:, :, 0], response="decision"
    )
    with pytest.raises(EvidenceError):
        en.thresholds(values, metric="roc_auc", against="treat_all")


def test_the_longest_run_is_found() -> None:
    cuts = (0.1, 0.2, 0.3, 0.4, 0.5)
    assert find_longest_run(cuts, [True, False, True, True, False]) == (0.3, 0.4)
    assert find_longest_run(cuts, [False] * 5) is None


def test_the_winner_s_own_score_is_untouched_by_a_rule(searched: en.Predictions) -> None:
    plain = en.thresholds(searched, metric="brier", n_resamples=30, rng=5)
    beside = en.thresholds(searched, metric="brier", against="c1", n_resamples=30, rng=5)
    assert plain.curves == beside.curves
    assert score_table(searched, "brier", np.ones((1, 150))).shape == (1, 6)
