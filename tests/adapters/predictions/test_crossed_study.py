"""A study of Optuna that two samplers guide, each by one half of the cases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.samplers import NSGAIISampler, RandomSampler, TPESampler
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

import earnest as en
from earnest import CrossedStudy
from earnest.errors import InputError
from tests.snapshots import Golden

optuna.logging.set_verbosity(optuna.logging.ERROR)
N, FOLDS = 60, 5
Y = np.tile([0, 1], N // 2)
NOISE = np.random.default_rng(0).standard_normal((N, 6))
FOLD = np.arange(N) // 2 % FOLDS


def scores_of(params: dict[str, Any]) -> np.ndarray:
    """Return what a configuration says of all cases: a weighted sum of noise."""
    weights = np.array([params[f"w{i}"] for i in range(6)])
    return np.asarray(1.0 / (1.0 + np.exp(-(NOISE @ weights) - 0.3 * Y)))


def objective(crossed: CrossedStudy) -> Callable[[optuna.Trial], float]:
    def score(trial: optuna.Trial) -> float:
        answers = scores_of({f"w{i}": trial.suggest_float(f"w{i}", -1, 1) for i in range(6)})
        value = float("nan")
        for fold in range(FOLDS):
            rows = np.flatnonzero(fold == FOLD)
            value = crossed.keep(trial, rows, answers[rows])
        return value

    return score


def run(folder: Path, n_trials: int = 14, **options: Any) -> tuple[optuna.Study, CrossedStudy]:
    settings: dict[str, Any] = {"metric": "roc_auc", "rng": 4} | options
    crossed = CrossedStudy(Y, store=folder, **settings)
    make = lambda seed: TPESampler(seed=seed, n_startup_trials=3)  # noqa: E731
    direction = "maximize" if crossed.metric.greater_is_better else "minimize"
    study = optuna.create_study(direction=direction, sampler=crossed.sampler(make))
    study.optimize(objective(crossed), n_trials=n_trials)
    return study, crossed


@pytest.mark.parametrize(
    ("metric", "oracle"),
    [
        ("roc_auc", roc_auc_score),
        ("accuracy", lambda y, p: accuracy_score(y, p > 0.5)),
        ("log_loss", log_loss),
    ],
)
def test_the_objective_returns_the_score_of_the_half(
    metric: str, oracle: Callable[..., float], tmp_path: Path
) -> None:
    study, crossed = run(tmp_path, 4, metric=metric)
    for trial in study.trials:
        cases = crossed.halves == trial.number % 2
        expected = oracle(Y[cases], scores_of(trial.params)[cases])
        assert trial.value == pytest.approx(expected, abs=1e-12)


def test_the_study_is_judged_by_the_unseen_halves(tmp_path: Path) -> None:
    study, crossed = run(tmp_path)
    pi = en.predictions_from(study, Y, store=tmp_path)
    assert pi.guides is not None
    np.testing.assert_array_equal(pi.guides.halves, crossed.halves)
    assert pi.guides.guided_by.tolist() == [-1, -1, *[0, 1] * 6]  # the first of each knew nothing
    estimate = en.estimate(pi, metric="roc_auc", rng=1)
    assert estimate.guide == "crossed"
    assert not pi.configs.static


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize(
    "make",
    [
        TPESampler,
        lambda seed: TPESampler(seed=seed, multivariate=True, group=True, n_startup_trials=4),
        lambda seed: TPESampler(seed=seed, constant_liar=True, n_startup_trials=4),
    ],
)
def test_a_sampler_learns_nothing_of_the_other_half(make: Any, tmp_path: Path) -> None:
    """Flip the scores that trials of half 1 are told: half 0 must propose the same."""

    def proposals(sign: float) -> list[dict[str, float]]:
        crossed = CrossedStudy(Y, metric="roc_auc", store=tmp_path, rng=4)
        study = optuna.create_study(direction="maximize", sampler=crossed.sampler(make))
        for number in range(40):
            trial = study.ask()
            point = [trial.suggest_float(name, -1, 1) for name in "ab"]
            study.tell(trial, -float(np.sum(np.square(point))) * (sign if number % 2 else 1.0))
        return [trial.params for trial in study.trials]

    plain, flipped = proposals(1.0), proposals(-1.0)
    assert plain[::2] == flipped[::2]
    assert plain[1::2] != flipped[1::2]


def test_two_workers_share_a_study(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    for _ in range(2):
        crossed = CrossedStudy(Y, metric="roc_auc", store=tmp_path / "kept", rng=4)
        study = optuna.create_study(
            study_name="shared",
            storage=storage,
            direction="maximize",
            sampler=crossed.sampler(TPESampler),
            load_if_exists=True,
        )
        study.optimize(objective(crossed), n_trials=3)
    pi = en.predictions_from(tmp_path / "study.db", Y, store=tmp_path / "kept")
    assert pi.guides is not None
    assert pi.guides.guided_by.tolist() == [-1, -1, 0, 1, 0, 1]


def test_a_pruner_sees_the_half_alone(tmp_path: Path) -> None:
    crossed = CrossedStudy(Y, metric="roc_auc", store=tmp_path, rng=4)
    study = optuna.create_study(direction="maximize", sampler=crossed.sampler(TPESampler))
    trial = study.ask()
    answers = scores_of({f"w{i}": trial.suggest_float(f"w{i}", -1, 1) for i in range(6)})
    rows = np.flatnonzero(FOLD <= 1)
    value = crossed.keep(trial, rows, answers[rows])
    cases = rows[crossed.halves[rows] == 0]
    assert value == pytest.approx(roc_auc_score(Y[cases], answers[cases]), abs=1e-12)


def test_repeats_are_scored_one_by_one(tmp_path: Path) -> None:
    crossed = CrossedStudy(Y, metric="roc_auc", store=tmp_path, rng=4)
    study = optuna.create_study(direction="maximize", sampler=crossed.sampler(RandomSampler))
    trial = study.ask()
    first, second = NOISE[:, 0], NOISE[:, 1]
    crossed.keep(trial, np.arange(N), first)
    value = crossed.keep(trial, np.arange(N), second)
    cases = crossed.halves == 0
    expected = [roc_auc_score(Y[cases], answers[cases]) for answers in (first, second)]
    assert value == pytest.approx(np.mean(expected), abs=1e-12)


def test_texts_as_classes_and_columns_of_classes_are_scored(tmp_path: Path) -> None:
    words = np.array(["cat", "dog", "fox"])[np.arange(N) % 3]
    crossed = CrossedStudy(words, metric="accuracy", store=tmp_path, rng=4)
    study = optuna.create_study(direction="maximize", sampler=crossed.sampler(RandomSampler))
    cases = crossed.halves == 0
    value = crossed.keep(study.ask(), np.arange(N), words)
    assert value == 1.0
    table = np.random.default_rng(1).dirichlet(np.ones(3), N)
    crossed.keep(study.ask(), np.arange(N), table)
    value = crossed.keep(study.ask(), np.arange(N), table)
    labels = np.array(["cat", "dog", "fox"])[table.argmax(axis=1)]
    assert value == pytest.approx(float(np.mean(labels[cases] == words[cases])))


def test_samplers_that_cannot_be_crossed_are_refused(tmp_path: Path) -> None:
    crossed = CrossedStudy(Y, metric="roc_auc", store=tmp_path, rng=4)
    with pytest.raises(InputError, match="does not make samplers"):
        crossed.sampler(TPESampler(seed=1))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cannot share a study"):
        crossed.sampler(NSGAIISampler)


def stored(folder: Path, sampler: Any, **options: Any) -> optuna.Study:
    return optuna.create_study(
        study_name="shared",
        storage=f"sqlite:///{folder / 'study.db'}",
        direction=options.pop("direction", "maximize"),
        sampler=sampler,
        load_if_exists=True,
        **options,
    )


def test_a_forgotten_sampler_is_refused(tmp_path: Path, golden: Golden) -> None:
    crossed = CrossedStudy(Y, metric="roc_auc", store=tmp_path, rng=4)
    study = optuna.create_study(direction="maximize", sampler=TPESampler(seed=0))
    with golden.raises(InputError):
        study.optimize(objective(crossed), n_trials=1)


def test_a_study_keeps_its_halves(tmp_path: Path) -> None:
    first = CrossedStudy(Y, metric="roc_auc", store=tmp_path / "kept")
    stored(tmp_path, first.sampler(TPESampler)).optimize(objective(first), n_trials=4)
    later = CrossedStudy(Y, metric="roc_auc", store=tmp_path / "kept")
    assert not np.array_equal(first.halves, later.halves)
    stored(tmp_path, later.sampler(TPESampler)).optimize(objective(later), n_trials=4)
    np.testing.assert_array_equal(first.halves, later.halves)
    pi = en.predictions_from(tmp_path / "study.db", Y, store=tmp_path / "kept")
    assert pi.guides is not None
    np.testing.assert_array_equal(pi.guides.halves, first.halves)


def test_other_halves_of_a_study_are_refused(tmp_path: Path) -> None:
    first = CrossedStudy(Y, metric="roc_auc", store=tmp_path / "kept", rng=4)
    stored(tmp_path, first.sampler(TPESampler)).optimize(objective(first), n_trials=2)
    for other in (
        CrossedStudy(Y, metric="roc_auc", store=tmp_path / "kept", rng=5),
        CrossedStudy(Y[::-1], metric="roc_auc", store=tmp_path / "kept"),
    ):
        with pytest.raises(InputError, match="other halves"):
            stored(tmp_path, other.sampler(TPESampler)).ask()


def test_later_runs_do_not_repeat_the_points_of_earlier_ones(tmp_path: Path) -> None:
    for _ in range(3):
        crossed = CrossedStudy(Y, metric="roc_auc", store=tmp_path / "kept", rng=4)
        study = stored(tmp_path, crossed.sampler(TPESampler))
        study.optimize(objective(crossed), n_trials=2)
    points = {tuple(trial.params.values()) for trial in study.trials}
    assert len(points) == 6


def test_the_direction_of_a_study_is_that_of_its_metric(tmp_path: Path) -> None:
    crossed = CrossedStudy(Y, metric="log_loss", store=tmp_path, rng=4)
    study = optuna.create_study(direction="maximize", sampler=crossed.sampler(TPESampler))
    with pytest.raises(InputError, match="minimize"):
        study.ask()


@pytest.mark.parametrize(
    "make_pruner",
    [
        lambda: optuna.pruners.MedianPruner(n_startup_trials=1),
        optuna.pruners.SuccessiveHalvingPruner,
        lambda: optuna.pruners.HyperbandPruner(max_resource=FOLDS, reduction_factor=2),
        lambda: optuna.pruners.HyperbandPruner(reduction_factor=2),
    ],
)
def test_a_pruner_compares_within_halves(make_pruner: Callable[[], Any], tmp_path: Path) -> None:
    """Scores of half 1 that are all better do not end a trial of half 0."""

    def states(lead: float) -> list[str]:
        crossed = CrossedStudy(Y, metric="roc_auc", store=tmp_path, rng=4)
        study = optuna.create_study(
            study_name="alike",
            direction="maximize",
            sampler=crossed.sampler(RandomSampler),
            pruner=make_pruner(),
        )
        for number in range(24):
            trial = study.ask()
            value = float(NOISE[number, 0]) + lead * (number % 2)
            ended = False
            for step in range(FOLDS):
                trial.report(value, step)
                ended = ended or trial.should_prune()
            state = optuna.trial.TrialState.PRUNED if ended else None
            study.tell(trial, None if ended else value, state=state)
        return [trial.state.name for trial in study.trials]

    plain, ahead = states(0.0), states(100.0)
    assert plain == ahead
    assert "PRUNED" in plain


def test_hyperband_ends_trials_by_their_own_half_and_the_rest_is_judged(tmp_path: Path) -> None:
    """The recipe of the page: each fold is reported, and a pruned trial shows its half alone."""
    pruner = optuna.pruners.HyperbandPruner(max_resource=FOLDS, reduction_factor=2)
    for turn in ("first", "second"):  # a pruner may serve two studies
        crossed = CrossedStudy(Y, metric="roc_auc", store=tmp_path / turn, rng=4)

        def score(trial: optuna.Trial, crossed: CrossedStudy = crossed) -> float:
            answers = scores_of({f"w{i}": trial.suggest_float(f"w{i}", -1, 1) for i in range(6)})
            value = float("nan")
            for fold in range(FOLDS):
                rows = np.flatnonzero(fold == FOLD)
                value = crossed.keep(trial, rows, answers[rows])
                trial.report(value, fold + 1)
                if trial.should_prune():
                    raise optuna.TrialPruned
            return value

        study = optuna.create_study(
            study_name="bands",
            direction="maximize",
            sampler=crossed.sampler(TPESampler),
            pruner=pruner,
        )
        study.optimize(score, n_trials=30)
        names = [trial.state.name for trial in study.trials]
        assert 0 < names.count("PRUNED") < 25
        for trial in study.trials:
            cases = crossed.halves == trial.number % 2
            for step, value in trial.intermediate_values.items():
                rows = cases & (step > FOLD)
                oracle = roc_auc_score(Y[rows], scores_of(trial.params)[rows])
                assert value == pytest.approx(oracle, abs=1e-12)
        estimate = en.estimate(
            en.predictions_from(study, Y, store=tmp_path / turn), metric="roc_auc", rng=0
        )
        assert estimate.guide == "crossed"
        assert estimate.n_configs == names.count("COMPLETE")
