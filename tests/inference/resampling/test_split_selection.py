"""Choosing on one part and evaluating on the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from earnest import Predictions, metric
from earnest.core import Seeds
from earnest.errors import EvidenceError, MetricError
from earnest.inference import Choice, SplitKnobs, choose_on_split
from earnest.rules import MeanOfFolds, OneStandardError, Pooled
from earnest.testing import example_predictions
from tests.snapshots import Golden

AUC = metric("roc_auc").on("binary")


def made(
    pi: Predictions,
    *,
    preselect: float | None = None,
    seed: int = 0,
    measure: Any = AUC,
    **knobs: Any,
) -> Choice:
    return choose_on_split(
        pi, measure, SplitKnobs(**knobs), MeanOfFolds(), Seeds(seed), preselect=preselect
    )


def auc(y: np.ndarray, score: np.ndarray) -> float:
    pairs = score[y == 1][:, None] - score[y == 0][None]
    return float(((pairs > 0) + 0.5 * (pairs == 0)).mean())


@pytest.fixture(scope="module")
def pi() -> Predictions:
    return example_predictions("binary", n_cases=200, n_configs=25, n_folds=5)


def learning(pi: Predictions, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(pi.n_cases) < 0.7


def test_choice_and_candidates_are_those_of_a_plain_loop(pi: Predictions) -> None:
    learn = learning(pi)
    y, s, fold = pi.target.y, pi.responses[:, :, 0], pi.folds[:, 0]
    valid = np.array(
        [
            np.mean([auc(y[r], s[r, c]) for r in ((fold == k) & learn for k in range(5))])
            for c in range(25)
        ]
    )
    top = [c for c in range(25) if valid[c] >= np.quantile(valid, 0.9)]
    judged = [auc(y[~learn], s[~learn, c]) for c in range(25)]
    plain, elected = made(pi, learn=learn), made(pi, learn=learn, preselect=0.1)
    assert plain.chosen == valid.argmax()
    assert plain.candidates.tolist() == [valid.argmax()]
    assert plain.value == pytest.approx(judged[plain.chosen], abs=1e-12)
    assert plain.naive == pytest.approx(valid.max(), abs=1e-12)
    assert sorted(elected.candidates) == top
    assert elected.chosen == max(top, key=lambda c: judged[c])
    assert elected.values == pytest.approx([judged[c] for c in elected.candidates], abs=1e-12)


def test_ties_at_the_edge_of_the_top_tenth_are_kept(pi: Predictions) -> None:
    first = made(pi, learn=learning(pi)).chosen
    columns = [first] * 3 + [c for c in range(25) if c != first][:17]
    same = Predictions.from_arrays(pi.target.y, pi.responses[:, columns, 0], pi.folds[:, 0])
    choice = made(same, learn=learning(pi), preselect=0.1)
    assert choice.candidates.tolist() == [0, 1, 2]


def test_losses_choose_as_their_negation(pi: Predictions) -> None:
    brier = metric("brier").on("binary")
    choice = made(pi, measure=brier, preselect=0.1, learn=learning(pi))
    assert choice.value == choice.values.min()
    assert choice.naive is not None
    assert choice.scores is not None
    assert choice.naive <= np.quantile(choice.scores, 0.1) + 1e-12


def test_one_configuration_is_evaluated_whole_unless_a_split_is_given(pi: Predictions) -> None:
    one = pi.select(3)
    whole, part = made(one), made(one, learn=learning(pi))
    assert whole.part.n_cases == 200
    assert whole.naive is None
    assert part.part.n_cases == int((~learning(pi)).sum())


def test_an_impossible_published_split_is_refused(golden: Golden) -> None:
    y = np.r_[np.ones(4, int), np.zeros(36, int)]
    pi = Predictions.from_arrays(y, np.random.default_rng(0).random((40, 3)), np.arange(40) % 4)
    with golden.raises(EvidenceError):
        made(pi, split="unstratified")
    assert made(pi).part.n_cases == 10


def test_a_split_is_the_same_for_the_same_seed_and_another_for_another(pi: Predictions) -> None:
    first, again, other = (made(pi, seed=s).part.target.y for s in (1, 1, 2))
    ids = [made(pi, seed=s).part.responses[:, 0, 0].tolist() for s in (1, 1, 2)]
    assert len(first) == len(again) == len(other)
    assert ids[0] == ids[1] != ids[2]


def test_the_automatic_direction_turns_scores_around_in_folds_and_evaluation() -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 60)
    pi = Predictions.from_arrays(
        y, -2.0 * y[:, None] + rng.normal(size=(120, 3)), np.arange(120) // 2 % 4
    )
    fixed, auto = made(pi), made(pi, direction="auto")
    assert fixed.value < 0.5 < auto.value
    assert auto.turned.all()
    assert not fixed.turned.any()
    pooled = choose_on_split(
        pi, AUC, SplitKnobs(direction="auto"), Pooled(), Seeds(0), preselect=None
    )
    assert pooled.naive is not None
    assert pooled.naive > 0.5


def test_a_direction_is_for_the_auc_only(pi: Predictions) -> None:
    with pytest.raises(MetricError, match="AUC of two classes"):
        made(pi, measure=metric("accuracy").on("binary"), direction="auto")


def test_an_evaluation_part_without_a_class_is_refused(pi: Predictions, golden: Golden) -> None:
    with golden.raises(EvidenceError):
        made(pi, learn=(pi.target.y == 1) | learning(pi))


def test_the_winner_of_the_learning_part_stands_for_election_whatever_its_rank() -> None:
    # the simplest of twenty lies within one standard error of the best, and below the top tenth
    rng = np.random.default_rng(0)
    y, fold = np.tile([0, 1], 100), np.arange(200) // 2 % 5
    own = np.linspace(0.5, 0.1, 20) * rng.normal(size=(200, 20))
    scores = y[:, None] + rng.normal(size=(200, 1)) + own
    pi = Predictions.from_arrays(y, scores, fold)
    knobs = SplitKnobs(learn=learning(pi))
    means = made(pi, learn=learning(pi)).scores
    assert means is not None
    first, elected = (
        choose_on_split(pi, AUC, knobs, OneStandardError(), Seeds(0), preselect=preselect)
        for preselect in (None, 0.1)
    )
    assert means[first.chosen] < np.quantile(means, 0.9)
    assert first.chosen in elected.candidates
    assert len(elected.candidates) == 3


def test_a_direction_for_another_metric_is_answered_with_what_helps(pi: Predictions) -> None:
    with pytest.raises(MetricError) as refusal:
        made(pi, measure=metric("accuracy").on("binary"), direction="auto")
    assert "Leave `direction` out" in refusal.value.cure
    assert "tilted" not in refusal.value.cure
