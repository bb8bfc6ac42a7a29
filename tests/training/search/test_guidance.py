"""Two samplers, each told the scores of one half of the cases, and the other half that judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from optuna.distributions import FloatDistribution
from optuna.samplers import NSGAIISampler, RandomSampler, TPESampler
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

import earnest as en
from earnest import SearchCV, optuna_candidates
from earnest.core.base.rng import Seeds
from earnest.core.data.guides import split_halves
from earnest.errors import InputError
from earnest.inference import ResampledSelection, mean_curves
from earnest.store import MemoryStore
from earnest.training.search.estimate import EstimateQuestion
from earnest.training.search.guidance import CrossedAsker, Proposal


@dataclass(frozen=True)
class Climber:
    """A search that moves from the best so far."""

    trials: int = 12
    batch: int = 3
    greedy: bool = False

    def limit(self) -> int:
        return self.trials

    def start(self, seed: int) -> Climb:
        return Climb(self, seed)


@dataclass
class Climb:
    knobs: Climber
    seed: int
    best: float = 1.0
    top: float = -np.inf
    asked: list[float] = field(default_factory=list)
    count: int = 0

    def ask(self) -> Sequence[dict[str, object]]:
        rng = np.random.default_rng([self.seed, self.count])
        size = min(self.knobs.batch, self.knobs.trials - self.count)
        self.asked = [float(self.best * np.exp(rng.standard_normal())) for _ in range(size)]
        self.count += size
        return [{"C": C} for C in self.asked]

    def tell(self, scores: Sequence[float]) -> None:
        for C, score in zip(self.asked, scores, strict=True):
            if score > self.top:
                self.top, self.best = score, C


class Listening(Climber):
    """The same, and writes down what it is told."""

    heard: ClassVar[list[list[float]]] = []

    def start(self, seed: int) -> Climb:
        climb = super().start(seed)
        learn = climb.tell

        def tell(scores: Sequence[float]) -> None:
            self.heard.append(list(scores))
            learn(scores)

        climb.tell = tell  # type: ignore[method-assign]
        return climb


def data(n: int = 80) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    y = np.tile([0, 1], n // 2)
    return y[:, None] * 0.7 + rng.standard_normal((n, 6)), y


def searched(candidates: object, **options: Any) -> SearchCV:
    settings: dict[str, Any] = {"scoring": "roc_auc", "cv": 4, "random_state": 3} | options
    return SearchCV(LogisticRegression(), candidates, **settings).fit(*data())


def crossed(**options: Any) -> SearchCV:
    return searched(Climber(), guide="crossed", **options)


def test_samplers_take_turns_and_the_limit_is_that_of_both() -> None:
    search = crossed()
    guides = search.predictions_.guides
    assert guides is not None
    assert guides.guided_by.tolist() == [-1] * 6 + [0, 1] * 3  # the first batches knew nothing
    assert len(search.trials_) == 12
    assert search.estimate_.guide == "crossed"


def test_each_sampler_is_told_the_score_on_its_own_half() -> None:
    pi = searched(Listening(), guide="crossed").predictions_
    guides = pi.guides
    assert guides is not None
    first, second = Listening.heard[:2]
    for told, half in ((first, 0), (second, 1)):
        cases = guides.halves == half
        columns = [half, half + 2, half + 4]  # they take turns
        oracle = [roc_auc_score(pi.target.y[cases], pi.responses[cases, c, 0]) for c in columns]
        np.testing.assert_allclose(told, oracle, atol=1e-12)


def test_what_a_sampler_proposes_depends_on_nothing_of_the_other_half() -> None:
    """Other predictions of half 1 change the proposals of sampler 1 alone."""

    def proposals(noise: float) -> list[Proposal]:
        asker, every = CrossedAsker(Climber(trials=24), Seeds(1)), []
        while asked := asker.ask():
            every += asked
            points = [abs(np.log(float(str(each.params["C"])))) for each in asked]
            halves = [each.half for each in asked]
            asker.tell(halves, [-x * (1 - h * noise) for x, h in zip(points, halves, strict=True)])
        return every

    fair, other = proposals(0.0), proposals(3.0)
    for half, alike in ((0, True), (1, False)):
        first, second = ([p.params for p in run if p.half == half] for run in (fair, other))
        assert (first == second) is alike
    assert {each.guided_by for each in fair[:6]} == {-1}
    assert [each.guided_by for each in fair[6:]] == [each.half for each in fair[6:]]


def test_the_value_is_that_of_a_plain_loop_over_the_unseen_half() -> None:
    from earnest.resampling import every_class_on_both_sides
    from tests.methods import oracles

    pi = crossed().predictions_
    guides, y, scores = pi.guides, pi.target.y, pi.responses[:, :, 0]
    assert guides is not None
    counts = oracles.counts_of(pi, 80, 7, every_class_on_both_sides(pi.target))
    draws = []
    for count in counts:
        inside = np.repeat(np.arange(len(y)), count)
        gains = [oracles.auc(y[inside], scores[inside, c]) for c in range(scores.shape[1])]
        best = oracles.first_best(gains)
        judges = (count == 0) & (guides.halves != guides.guided_by[best])
        draws.append(oracles.auc(y[judges], scores[judges, best]))
    estimate = en.estimate(pi, method=en.methods.BBC(n_resamples=80), metric="roc_auc", rng=7)
    assert estimate.value == pytest.approx(np.nanmean(draws), abs=1e-12)


@pytest.mark.parametrize("options", [{"n_jobs": 2}, {"n_repeats": 2, "n_jobs": 2}])
def test_workers_change_nothing(options: dict[str, Any]) -> None:
    repeats = {"n_repeats": options.get("n_repeats", 1)}
    assert (
        crossed(**options).predictions_.fingerprint == crossed(**repeats).predictions_.fingerprint
    )


def test_a_killed_search_goes_on_as_it_would_have(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    class Killed(MemoryStore):
        def put(self, outcome: Any) -> None:
            super().put(outcome)
            if len(self.done()) == 20:
                raise Stop

    store = Killed()
    with pytest.raises(Stop):
        crossed(store=store)
    resumed = MemoryStore()
    vars(resumed).update(vars(store))
    whole = crossed(store=tmp_path / "run.db")
    assert crossed(store=resumed).predictions_.fingerprint == whole.predictions_.fingerprint
    read = en.predictions_from(tmp_path / "run.db", y=data()[1])
    assert read.guides is not None
    assert whole.predictions_.guides is not None
    assert read.guides.to_text() == whole.predictions_.guides.to_text()


def test_another_guide_is_another_search(tmp_path: Path) -> None:
    crossed(store=tmp_path / "run.db")
    with pytest.raises(en.errors.EarnestError, match="guide"):
        searched(Climber(), guide="all", store=tmp_path / "run.db")


def test_a_greedy_search_is_crossed_unless_someone_says_otherwise() -> None:
    assert searched(Climber(greedy=True)).estimate_.guide == "crossed"
    assert searched(Climber(greedy=True), guide="all").estimate_.guide == "all"
    assert searched(Climber()).estimate_.guide == "all"
    assert searched({"C": [1.0, 2.0]}).estimate_.guide is None
    space = {"C": FloatDistribution(0.01, 10, log=True)}
    assert optuna_candidates(space, NSGAIISampler).greedy
    assert not optuna_candidates(space, TPESampler).greedy
    assert not optuna_candidates(space, RandomSampler).greedy


def test_crossing_is_refused_where_there_is_nothing_to_cross() -> None:
    with pytest.raises(InputError, match="no score guides"):
        searched({"C": [1.0, 2.0]}, guide="crossed")
    with pytest.raises(InputError, match="needs predictions"):
        searched(Climber(), guide="crossed", scoring=lambda model, X, y: 0.0)
    with pytest.raises(InputError, match="guide"):
        searched(Climber(), guide="half")
    space = {"C": FloatDistribution(0.01, 10, log=True)}
    with pytest.raises(InputError, match="its own seed"):
        searched(optuna_candidates(space, TPESampler(seed=1)), guide="crossed")


@pytest.mark.parametrize("seed", range(5))
def test_halves_are_alike_in_classes_and_folds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = (rng.random(101) < 0.3).astype(int)
    pi = en.Predictions.from_arrays(y, rng.random(101), np.arange(101) % 5)
    halves = split_halves(pi.target, pi.folds, Seeds(seed))
    for cases in (y == 0, y == 1):
        assert abs(int((2 * halves[cases] - 1).sum())) <= 1
    for label in (0, 1):
        for fold in range(5):
            assert abs(int((2 * halves[(y == label) & (pi.folds[:, 0] == fold)] - 1).sum())) <= 2
    again = split_halves(pi.target, pi.folds, Seeds(seed))
    np.testing.assert_array_equal(halves, again)


def test_groups_stay_together_and_halves_are_about_equal() -> None:
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(40), rng.integers(1, 8, 40))
    y = (rng.random(len(groups)) < 0.4).astype(int)
    fold = np.empty(len(groups), dtype=int)
    for k, (_, test) in enumerate(GroupKFold(5).split(groups, y, groups)):
        fold[test] = k
    pi = en.Predictions.from_arrays(y, rng.random(len(y)), fold, groups=groups)
    halves = split_halves(pi.target, pi.folds, Seeds(0))
    assert all(len(set(halves[groups == group].tolist())) == 1 for group in range(40))
    assert abs(float(halves.mean()) - 0.5) < 0.05
    assert abs(float(halves[y == 1].mean()) - 0.5) < 0.1


def test_halves_of_numbers_have_about_the_same_distribution() -> None:
    y = np.random.default_rng(0).exponential(size=200)
    pi = en.Predictions.from_arrays(y, y, np.arange(200) % 5)
    halves = split_halves(pi.target, pi.folds, Seeds(0))
    assert int(halves.sum()) == 100
    assert abs(y[halves == 0].mean() - y[halves == 1].mean()) < 0.15


@pytest.fixture(scope="module")
def crossed_pi() -> en.Predictions:
    return crossed().predictions_


def plain(pi: en.Predictions) -> en.Predictions:
    return replace(pi, guides=None)


@pytest.mark.parametrize(
    "selector", ["top_average", en.rules.GreedyEnsemble(size=5), en.rules.StackedEnsemble()]
)
def test_an_ensemble_has_members_of_both_halves_and_is_judged_by_all_cases(
    selector: Any, crossed_pi: en.Predictions
) -> None:
    bbc = en.methods.BBC(n_resamples=60, selector=selector)
    pi = pick_probabilities(crossed_pi)
    estimate = en.estimate(pi, method=bbc, metric="roc_auc", rng=0)
    oracle = en.estimate(plain(pi), method=bbc, metric="roc_auc", rng=0)
    assert (estimate.value, estimate.interval) == (oracle.value, oracle.interval)
    assert (estimate.guide, oracle.guide) == ("mixed", "all")
    assert [c.facts["crossed"] for c in estimate.cautions if c.code == "EN006"] == [True]


def pick_probabilities(pi: en.Predictions) -> en.Predictions:
    """Return the same with decisions squeezed into chances, which ensembles average."""
    return replace(pi, responses=1 / (1 + np.exp(-pi.responses)), kind="probability")


def test_a_crossed_search_may_deliver_an_ensemble() -> None:
    search = crossed(refit=en.rules.GreedyEnsemble(size=5))
    assert search.estimate_.guide == "mixed"
    assert en.report(search, explain=False).content.answer is not None


@pytest.mark.parametrize("method", ["near_winner", "bbc_fold", "naive", "cv"])
def test_other_methods_judge_by_all_cases_and_say_so(
    method: str, crossed_pi: en.Predictions
) -> None:
    estimate = en.estimate(crossed_pi, method=method, metric="roc_auc", rng=0)
    oracle = en.estimate(plain(crossed_pi), method=method, metric="roc_auc", rng=0)
    assert (estimate.value, estimate.interval) == (oracle.value, oracle.interval)
    assert (estimate.guide, oracle.guide) == ("mixed", "all")
    code = "EN006" if estimate.honest else "EN022"  # which says that nothing is corrected
    assert code in {caution.code for caution in estimate.cautions}


def test_one_guided_configuration_is_not_fixed_for_any_method(crossed_pi: en.Predictions) -> None:
    for column, guide in ((8, "mixed"), (0, None)):
        estimate = en.estimate(crossed_pi.select(column), method="cv", metric="roc_auc")
        assert estimate.guide == guide
        assert ("EN006" in {caution.code for caution in estimate.cautions}) is (guide == "mixed")


def test_comparisons_say_that_scores_guided_what_they_compare(crossed_pi: en.Predictions) -> None:
    for table in (
        en.compare_many(crossed_pi, metric="roc_auc", rng=0),
        en.compare(crossed_pi, 6, 7, metric="roc_auc"),
    ):
        assert [c.facts["crossed"] for c in table.cautions if c.code == "EN006"] == [True]
    grid = searched({"C": [0.1, 1.0]}).predictions_
    for fixed in (grid, crossed_pi):  # the first of a search knew no score
        assert "EN006" not in [c.code for c in en.compare(fixed, 0, 1, metric="roc_auc").cautions]


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy", "f1"])
def test_the_gain_of_all_is_the_estimate_and_that_of_a_prefix_its_own(
    metric: str, crossed_pi: en.Predictions
) -> None:
    gain = en.gain(crossed_pi, metric=metric, n_resamples=120, rng=0)
    for mark, low, high in zip(gain.marks, gain.low, gain.high, strict=True):
        prefix = crossed_pi.select(range(mark))
        bbc = en.methods.BBC(n_resamples=120)
        estimate = en.estimate(prefix, method=bbc, metric=metric, rng=0)
        assert gain.corrected[mark - 1] == pytest.approx(estimate.value, abs=1e-12)
        assert estimate.interval is not None
        assert (low, high) == pytest.approx(
            (estimate.interval.low, estimate.interval.high), abs=1e-9
        )


def test_thresholds_count_only_cases_that_did_not_guide(crossed_pi: en.Predictions) -> None:
    table = en.thresholds(crossed_pi, metric="roc_auc", n_resamples=60, rng=0)
    both = en.thresholds(plain(crossed_pi), metric="roc_auc", n_resamples=60, rng=0)
    assert table.draws is not None
    assert both.draws is not None
    left, all_left = table.draws.totals[:, 2:].sum(), both.draws.totals[:, 2:].sum()
    assert 0.4 < left / all_left < 0.6
    assert table.draws.totals[:, :2].sum() == both.draws.totals[:, :2].sum()


def test_curves_of_a_report_are_drawn_by_the_unseen_half(crossed_pi: en.Predictions) -> None:
    estimate = en.estimate(
        crossed_pi, method=en.methods.BBC(n_resamples=60), metric="roc_auc", rng=0
    )
    selection = ResampledSelection.of(estimate)
    curves = mean_curves(crossed_pi, en.metric("roc_auc"), str(estimate.winner), selection)
    assert curves.roc.area == pytest.approx(estimate.value)
    assert estimate.draws is not None
    assert np.nanmean(estimate.draws) == pytest.approx(estimate.value)


def test_a_winner_by_another_rule_is_judged_by_its_own_unseen_half(
    crossed_pi: en.Predictions,
) -> None:
    metric = en.metric("roc_auc")
    naive = en.estimate(crossed_pi, metric=metric, method="naive")
    assert crossed_pi.guides is not None
    other = next(
        c
        for c in np.flatnonzero(crossed_pi.guides.guided_by >= 0).tolist()
        if crossed_pi.configs.ids[c] != naive.winner
    )
    question = EstimateQuestion(
        metric=metric,
        method="bbc",
        confidence_level=0.95,
        n_resamples=60,
        seed=0,
        best=other,
        cautions=(),
    )
    estimate = question.answer(crossed_pi)
    assert estimate.winner == crossed_pi.configs.ids[other]
    assert estimate.guide == "crossed"


@pytest.mark.parametrize("ending", ["npz", "parquet", "db"])
def test_every_verb_judges_the_saved_file_as_it_judges_the_search(
    ending: str, tmp_path: Path
) -> None:
    """The halves and guides travel in the file, so nothing else is needed."""
    path = tmp_path / f"crossed.{ending}"
    search = crossed(drop=en.rules.BCED(threshold=0.6, min_predictions=16, n_resamples=50))
    pi = search.predictions_
    if ending == "db":
        again = crossed(store=path)
        pi, read = again.predictions_, en.predictions_from(path, y=data()[1])
    else:
        pi.save(path)
        read = en.Predictions.load(path)
    assert read.guides is not None
    asked: dict[str, Any] = {"metric": "roc_auc", "rng": 0}
    bbc = en.methods.BBC(n_resamples=60)
    rule = en.methods.BBC(n_resamples=40, selector="top_average")
    verbs = (
        lambda pi: en.estimate(pi, method=bbc, **asked),
        lambda pi: en.estimate(pick_probabilities(pi), method=rule, **asked),
        lambda pi: en.gain(pi, n_resamples=60, **asked),
        lambda pi: en.thresholds(pi, n_resamples=60, **asked),
        lambda pi: en.compare_many(pi, **asked),
        lambda pi: en.report(pi, explain=False, **asked).content.gain.halves.data,
    )
    for verb in verbs:
        assert str(verb(pi)) == str(verb(read))
    estimate = en.estimate(read, method=bbc, **asked)
    assert estimate.guide == "crossed"
    assert estimate.value != en.estimate(plain(read), method=bbc, **asked).value
