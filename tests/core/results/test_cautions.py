"""Cautions: every code is triggered by data."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, LeaveOneOut, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from earnest import (
    Configs,
    Predictions,
    Scores,
    SearchCV,
    Trials,
    assess,
    bootstrap_train,
    check_stability,
    compare,
    compare_learners,
    compare_many,
    estimate,
    estimate_all,
    explain,
    gain,
    keep_predictions,
    learning_curve,
    nested_cv,
    predictions_from,
    thresholds,
    tune,
)
from earnest.adapters import read_score_logs
from earnest.core import MEANINGS, find_caution_kind
from earnest.explanation import choose_surrogate
from earnest.inference import bootstrap, jackknife
from earnest.methods import BBC, DeLong, HoldOut, Naive, NaiveBootstrap, Tilted
from earnest.results import Caution, LearningCurve, Model, Tuned
from earnest.rules import BCED
from earnest.training import TrainingTable, TunePlan, read_training_table, warn_of_plan
from earnest.training.tune.growth import measure_growth, warn_of_growth
from tests.adapters.replays import TabularPredictor


def noise(n: int = 60, configs: int = 40, folds: int = 5, seed: int = 0) -> Predictions:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    return Predictions.from_arrays(y, rng.random((n, configs)), np.arange(n) // 2 % folds)


def in_percent() -> Predictions:
    y = np.tile([0, 1], 30)
    return Predictions.from_arrays(y, 100 * np.random.default_rng(0).random((60, 3)))


def never_below_one() -> Predictions:
    """Half of the negatives have a probability of 1, which no threshold below 1 excludes."""
    y = np.tile([0, 1], 40)
    scores = np.where(np.arange(80) % 4 == 0, 1.0, 0.3)
    return Predictions.from_arrays(y, scores[:, None], response="probability")


def read_as_predictions() -> Predictions:
    """Lengths and widths of flowers in place of predictions."""
    rng = np.random.default_rng(0)
    table = {
        "y": np.tile([0, 1], 30),
        "length": 4 + 3 * rng.random(60),
        "width": 2 * rng.random(60),
    }
    return Predictions.from_frame(pa.table(table), fold=None)


def in_written_percent() -> Predictions:
    """Probabilities as spreadsheets show them."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "preds.csv"
        path.write_text("y,fold,a\n" + "".join(f"{i % 2},{i // 2 % 3},{i} %\n" for i in range(30)))
        return Predictions.load(path)


def curve_of_a_winner() -> LearningCurve:
    """Two parts of the cases, and the winner of a search of two."""
    X, y = np.arange(40.0)[:, None] % 7, np.arange(40) % 2
    search = SearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, scoring="accuracy", cv=2)
    return learning_curve(search.fit(X, y), X, y, fractions=(0.5, 1), cv=2, rng=0)


def of_the_winner_of_caret() -> Predictions:
    cases = range(40)
    ill = [0.3 + 0.01 * case for case in cases]
    table = {"obs": ["ill", "well"] * 20, "pred": ["ill"] * 40, "ill": ill}
    table |= {"well": [1 - p for p in ill], "rowIndex": list(cases), "k": [5] * 40}
    folds = [f"Fold{case // 2 % 4}" for case in cases]
    return Predictions.from_frame(pa.table(table | {"Resample": folds}), positive="ill")


def in_a_workbook_of_two_sheets() -> Predictions:
    """Predictions in the first sheet, notes in the second."""
    import openpyxl

    with TemporaryDirectory() as folder:
        book = openpyxl.Workbook()
        for row in [("y", "fold", "a"), *((i % 2, i // 2 % 3, i / 30) for i in range(30))]:
            book.active.append(row)
        book.create_sheet("notes").append(("made on Monday",))
        book.save(Path(folder) / "preds.xlsx")
        return Predictions.load(Path(folder) / "preds.xlsx")


FOUR_ITEMS = "item,score\nq1,1\nq2,0\nq3,1\nq4,1\n"


def in_logs(files: dict[str, str]) -> set[str]:
    """Return the kinds of a folder of logs, one table per configuration."""
    with TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        return kinds(read_score_logs(folder).cautions)


def stacked_repeats() -> Predictions:
    """Forty cases in two repeats, without a column that names the cases."""
    rng = np.random.default_rng(0)
    table = {"y": np.tile(rng.integers(0, 2, 40), 2), "fold": rng.permutation(np.arange(80) % 4)}
    return Predictions.from_frame(pa.table(table | {"svm": rng.random(80), "rf": rng.random(80)}))


def changed(pi: Predictions, rows: np.ndarray, columns: slice) -> Predictions:
    responses = pi.responses.copy()
    responses[rows, columns] = np.nan
    return replace(pi, responses=responses)


def kinds(cautions: tuple[Caution, ...]) -> set[str]:
    return {caution.kind for caution in cautions}


def of(pi: Predictions, method: object = "naive", metric: str = "roc_auc") -> set[str]:
    return kinds(estimate(pi, method=method, metric=metric, rng=0).cautions)


def with_target(pi: Predictions, **about: object) -> Predictions:
    return replace(pi, target=replace(pi.target, **about))


def levels(n: int = 100) -> Predictions:
    """Scores on another level in every fold."""
    rng = np.random.default_rng(1)
    y, fold = np.tile([0, 1], n // 2), np.arange(n) // 2 % 10
    scores = y[:, None] + 10.0 * fold[:, None] + 0.2 * rng.standard_normal((n, 2))
    return Predictions.from_arrays(y, scores, fold)


def one_right_per_fold() -> Predictions:
    """Each configuration is right in one fold and wrong in the others."""
    y, fold = np.tile([0, 1], 8), np.arange(16) // 2 % 4
    right = fold[:, None] == np.arange(4)
    labels = np.where(right, y[:, None], 1 - y[:, None])
    return Predictions.from_arrays(y, labels, fold, response="label")


def repeats() -> Predictions:
    rng = np.random.default_rng(2)
    y = np.tile([0, 1], 20)
    fold = np.stack([np.arange(40) // 2 % 4, np.arange(40) // 4 % 4], axis=1)
    return Predictions.from_arrays(y, rng.random((40, 3, 2)), fold)


def two_kinds_of_positives() -> Predictions:
    """Sixty of a hundred positives above all negatives, the others below them all."""
    y = np.repeat([0, 1, 1], [100, 60, 40])
    level = np.repeat([0.0, 5.0, -5.0], [100, 60, 40])
    scores = level[:, None] + np.random.default_rng(0).random((200, 3))
    return Predictions.from_arrays(y, scores)


def nearly_perfect_repeats() -> Predictions:
    """Forty cases in two repeats, of which each gets one wrong."""
    y = np.tile([0, 1], 20)
    labels = np.tile(y[:, None, None], (1, 3, 2))
    labels[0, :, 0], labels[5, :, 1] = 1, 0
    return Predictions.from_arrays(y, labels, response="label")


def in_hidden_groups() -> Predictions:
    """A hundred cases in blocks of five that folds keep together, without groups."""
    rng = np.random.default_rng(0)
    folds = np.repeat(rng.permutation(np.arange(20) % 5), 5)
    return Predictions.from_arrays(rng.integers(0, 2, 100), rng.random((100, 2)), folds)


def confident() -> Predictions:
    """Sixty cases with probabilities of .01 and .99, most of them right, beside a guess."""
    y = np.tile([0, 1], 30)
    sure = np.where(np.arange(60) < 58, 0.98 * y + 0.01, 0.99 - 0.98 * y)
    folds = np.arange(60) // 2 % 5
    return Predictions.from_arrays(y, np.column_stack([sure, np.full(60, 0.5)]), folds)


def separated() -> Predictions:
    return Predictions.from_arrays([0, 1] * 10, [0.2, 0.8] * 10)


def reversed_scores() -> Predictions:
    return Predictions.from_arrays([0, 1] * 10, np.linspace(0, 1, 20) - np.tile([0, 0.5], 10))


def raced(**knobs: object) -> set[str]:
    """A search between a model that learns and one that cannot, on 120 cases; seed 0."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 60)
    X = 2.0 * y[:, None] + rng.standard_normal((120, 1))
    both = [LogisticRegression(), DummyClassifier(strategy="constant", constant=0)]
    search = SearchCV(None, both, cv=10, scoring="accuracy", random_state=0, **knobs)
    return kinds(search.fit(X, y).estimate_.cautions)


def nested_on_noise() -> set[str]:
    rng = np.random.default_rng(0)
    search = SearchCV(LogisticRegression(), {"C": [1e-4, 0.01, 1.0]}, cv=4, random_state=0)
    return kinds(nested_cv(search, rng.standard_normal((60, 3)), np.tile([0, 1], 30)).cautions)


def searched(**knobs: object) -> set[str]:
    """A search on 60 cases of noise; seed 0."""
    rng = np.random.default_rng(0)
    params, rows = knobs.pop("params", {}), knobs.pop("rows", np.arange(60))
    knobs = {"scoring": "accuracy", "cv": 3, "random_state": 0, "n_resamples": 100, **knobs}
    grid = knobs.pop("grid", {"C": [0.1, 1.0]})
    search = SearchCV(knobs.pop("model", LogisticRegression()), grid, **knobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's own words on the same things
        search.fit(rng.standard_normal((60, 2))[rows], np.tile([0, 1], 30)[rows], **params)
    return kinds(search.estimate_.cautions)


def weighed() -> set[str]:
    """The same search, with weights for the fits and not for the scorer."""
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=False)
        weights = {"sample_weight": np.tile([1.0, 2.0, 3.0], 20)}
        return searched(model=model, scoring=scorer, params=weights)


LEAKING = [(np.arange(40), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]

TWO_SAMPLES = {"item": [1, 1, 2], "model": ["a", "a", "a"], "score": [1, 0, 1]}
WITH_TOKENS = {"item": [1, 2], "a": [0, 1], "b": [1, 1], "tokens": [812, 790]}
TRIGGERS: dict[str, Callable[[], set[str]]] = {
    "winner_too_optimistic": lambda: of(noise(), "bbc"),
    "few_of_class_in_fold": lambda: of(noise(n=20, folds=5)),
    "groups_split": lambda: of(with_target(noise(), groups=np.repeat(np.arange(6), 10))),
    "best_on_edge": lambda: tuned(explained="edge"),
    "ties": lambda: of(Predictions.from_arrays([0, 1] * 9, np.full((18, 3), 0.5))),
    "dynamic_search": lambda: of(replace(noise(), configs=dynamic(40)), "bbc"),
    "unlike_scales": lambda: of(levels(), "bbc"),
    "disagreement": lambda: kinds(
        estimate_all(levels(), methods=["bbc", "bbc_fold"], metric="roc_auc", rng=0).cautions
    ),
    "time_order": lambda: of(with_target(noise(), order=np.arange(len(noise().target.y)))),
    "resamples_undefined": lambda: of(
        Predictions.from_arrays([1, 1, 1] + [0] * 9, np.linspace(0, 1, 12)), BBC(undefined="drop")
    ),
    "value_moved_back": lambda: of(one_right_per_fold(), "tibshirani", "accuracy"),
    "configurations_incomplete": lambda: of(
        changed(noise(), np.flatnonzero(noise().folds[:, 0] == 0), slice(0, 3))
    ),
    "cases_untested": lambda: of(
        changed(noise(), np.flatnonzero(noise().folds[:, 0] == 0), slice(None))
    ),
    "one_configuration": lambda: of(noise().select(0)),
    "few_beyond_limit": lambda: of(noise(), BBC(n_resamples=50)),
    "folds_undefined": lambda: of(
        Predictions.from_arrays(
            [0, 1] * 6 + [0] * 4, np.linspace(0, 1, 16), [0, 0, 1, 1, 2, 2] * 2 + [3] * 4
        )
    ),
    "few_folds": lambda: of(noise(folds=3), "bbc_fold"),
    "hard_labels": lambda: of(one_right_per_fold(), Naive(selector="pooled")),
    "few_groups_drawn": lambda: of(
        with_target(noise(), groups=noise().folds[:, 0].astype(np.int64)), "bbc"
    ),
    "one_repeat_at_a_time": lambda: of(repeats(), "bbc_fold"),
    "not_corrected": lambda: of(noise(), NaiveBootstrap()),
    "cases_only_select": lambda: of(noise(), HoldOut()),
    "groups_not_drawn": lambda: of(
        with_target(noise(), groups=noise().folds[:, 0].astype(np.int64)), BBC(resampler="case")
    ),
    "strata_unused": lambda: of(
        with_target(noise(), groups=noise().folds[:, 0].astype(np.int64), strata=noise().target.y),
        "bbc",
    ),
    "no_tilt": lambda: of(separated(), "tilted"),
    "area_without_spread": lambda: of(separated(), "delong"),
    "groups_in_formula": lambda: of(
        with_target(noise(), groups=np.arange(60) // 3), "hanley_mcneil"
    ),
    "few_under_tilt": lambda: of(noise(), Tilted(n_resamples=100)),
    "scores_reversed": lambda: of(reversed_scores(), DeLong(direction="auto")),
    "worse_than_constant": lambda: of(reversed_scores(), DeLong()),
    "linear_part": lambda: of(noise(), "bayle_all_pairs", "f1"),
    "repeats_beyond_theorem": lambda: of(repeats(), "bayle_all_pairs", "accuracy"),
    "groups_beyond_theorem": lambda: of(
        with_target(noise(), groups=np.arange(60) // 2), "bayle_all_pairs", "accuracy"
    ),
    "few_groups_in_variance": lambda: of(
        with_target(noise(), groups=noise().folds[:, 0].astype(np.int64)),
        "bayle_all_pairs",
        "accuracy",
    ),
    "cases_equal": lambda: of(
        Predictions.from_arrays([0, 1] * 20, [0.1, 0.9] * 20, np.arange(40) // 10),
        "bayle_all_pairs",
        "accuracy",
    ),
    "few_for_normal_limits": lambda: of(noise(n=20, folds=2), "bayle_within_fold", "accuracy"),
    "folds_not_shared": lambda: against(
        changed(noise(), np.flatnonzero(noise().folds[:, 0] == 0), slice(0, 1))
    ),
    "folds_dependent": lambda: against(noise(), "cv_t"),
    "best_in_hindsight": lambda: kinds(
        compare_many(noise(configs=4), metric="accuracy", adjust="holm", rng=0).cautions
    ),
    "same_predictions": lambda: against(Predictions.from_arrays([0, 1] * 9, np.full((18, 2), 0.4))),
    "no_small_p": lambda: against(noise(n=4, folds=2), "sign_flip"),
    "models_read_as_one": lambda: against(noise(), "mcnemar"),
    "configurations_undefined": lambda: kinds(
        compare_many(one_constant(), metric="pearson", rng=0).cautions
    ),
    "few_for_an_auc": lambda: of(noise(n=20), "delong"),
    "fits_failed": lambda: searched(grid={"C": [1.0, -1.0]}),
    "no_mean_scores": lambda: searched(scoring="roc_auc", cv=LeaveOneOut()),
    "search_weighted": lambda: weighed(),
    "another_score": lambda: searched(metric="balanced_accuracy"),
    "overlapping_test_sets": lambda: searched(cv=ShuffleSplit(3, test_size=0.6, random_state=0)),
    "splits_leak": lambda: searched(cv=LEAKING),
    "configurations_dropped": lambda: raced(drop="bced"),
    "one_survived": lambda: raced(drop="bced"),
    "dropped_on_few": lambda: raced(drop=BCED(min_predictions=20)),
    "folds_stopped": lambda: raced(stop_when_width=0.5),
    "winners_differ": nested_on_noise,
    "read_as_windows_1252": lambda: in_another_encoding(),
    "scores_predicted": lambda: scored(),
    "scores_on_one_side": lambda: of(in_percent(), "naive", "accuracy"),
    "outcome_too_long": lambda: half_a_study(),
    "trials_left_out": lambda: kinds(small_trials(objective=[float("nan"), *range(19)]).cautions),
    "never_varied": lambda: kinds(small_trials(seed=[3] * 20).cautions),
    "space_inferred": lambda: kinds(small_trials().cautions),
    "surrogate_poor": lambda: tuned(noise=10.0),
    "forest_chosen": lambda: kinds(many_trials_surrogate()),
    "hardly_tried": lambda: tuned(a=in_a_corner),
    "trials_repeated": lambda: tuned(explained="twice"),
    "rarely_active": lambda: tuned(kind=rare_branch),
    "levels_split_in_order": lambda: tuned(n=80, k=many_levels),
    "regions_hardly_tried": lambda: tuned(n=12, noise=0.0),
    "one_varies": lambda: tuned(explained="one"),
    "best_not_told_apart": lambda: tuned(explained="noisy"),
    "identifiers_left_out": lambda: columns_of(visit_id=np.arange(40) + 7),
    "empty_left_out": lambda: columns_of(site=np.full(40, "Graz")),
    "columns_encoded": lambda: columns_of(seen=np.arange(40).astype("datetime64[D]")),
    "names_left_out": lambda: columns_of(town=[f"t{i // 2}" for i in range(40)]),
    "rows_left_out": lambda: planned(small_table().take(np.arange(30))),
    "searched_on_fewer": lambda: searched_on_fewer(),
    "portfolio_cut": lambda: planned(small_table(), n_offered=2),
    "outcomes_missing": lambda: columns_of(y=[None, *np.tile([0.0, 1.0], 19), 1.0]),
    "levels_unknown": lambda: unknown_levels(),
    "cases_left_out_by_tool": lambda: of(recorded(rows_given=130)),
    "tests_seen_in_training": lambda: of(recorded(rows_given=119)),
    "lone_cases": lambda: assessed("bayle_all_pairs", metric="roc_auc", n=20, cv=10),
    "replicates_drowned": lambda: retrained("loob", "accuracy", n_replicates=20),
    "never_left_out": lambda: retrained("loob", "accuracy", n_replicates=2),
    "error_of_related": lambda: retrained(".632+", "accuracy"),
    "no_influence_function": lambda: retrained("err_star", "average_precision"),
    "samples_failed": lambda: retrained("err_star", "accuracy", fails=True),
    "copies_in_inner_splits": lambda: retrained("err_star", "accuracy", n_replicates=2, twice=True),
    "used_before": lambda: assessed("holdout", uses=2),
    "uses_not_recorded": lambda: assessed("holdout", uses=1, stored=False),
    "few_fold_scores": lambda: assessed("corrected_t", cv=3),
    "fewer_than_ten": lambda: assessed("cv", n=8, cv=4),
    "models_as_many_as_cases": lambda: assessed("loocv", n=1002),
    "error_raised": lambda: assessed("bates_ncv", cv=3, n_repeats=1),
    "draws_on_one_side": lambda: kinds(
        bootstrap(lambda w: float((w > 0).mean()), 30, rng=0).cautions
    ),
    "statistic_jumps": lambda: kinds(jackknife(lambda w: float(w[0] > 0), 30).cautions),
    "error_of_difference_too_large": lambda: two_learners(),
    "models_without_predictions": lambda: of(recorded(val_in_fit=True)),
    "stopped_on_tests": lambda: of(recorded()),
    "ensembles_left_out": lambda: of(recorded()),
    "out_of_bag": lambda: of(recorded()),
    "folds_unknown": lambda: of(recorded()),
    "no_probabilities": lambda: kinds(tuned_svm().estimate.cautions),
    "copies_tested": lambda: searched(rows=np.repeat(np.arange(20), 3)),
    "column_like_groups": lambda: columns_of(
        ward=np.repeat(np.arange(20), 2), y=np.repeat(WARDS, 2)
    ),
    "few_cases_decide": lambda: of(far_out(), "bbc", "r2"),
    "learner_unstable": lambda: nearest_neighbour(),
    "stability_unchecked": lambda: against(noise()),
    "columns_may_be_data": lambda: of(read_as_predictions()),
    "numbers_for_people": lambda: of(in_written_percent()),
    "cases_stacked": lambda: of(stacked_repeats()),
    "losses_heavy": lambda: of(far_out(), "near_winner", "mse"),
    "losses_equal": lambda: of(often_exact(), "near_winner", "mae"),
    "settings_of_all": lambda: kinds(curve_of_a_winner().cautions),
    "other_sheets": lambda: of(in_a_workbook_of_two_sheets()),
    "decision_values": lambda: kinds(
        thresholds(in_percent(), metric="roc_auc", n_resamples=20, rng=0).cautions
    ),
    "rule_not_met": lambda: kinds(
        thresholds(never_below_one(), metric="accuracy", n_resamples=20, rng=0)
        .choose(specificity=0.9)
        .cautions
    ),
    "few_for_the_winner": lambda: of(noise(n=38), "near_winner"),
    "spreads_unlike": lambda: of(two_kinds_of_positives(), "near_winner"),
    "repeats_near_best": lambda: of(nearly_perfect_repeats(), "near_winner", "accuracy"),
    "orders_of_dynamic_search": lambda: kinds(
        gain(replace(noise(), configs=dynamic(40)), metric="roc_auc", order="mean", rng=0).cautions
    ),
    "winner_alone": lambda: of(of_the_winner_of_caret()),
    "delivered_not_judged": lambda: of(recorded()),
    "scores_missing": lambda: kinds(
        estimate(Scores([[0, 1], [1, None], [1, 1], [0, 0]]), rng=0).cautions
    ),
    "rows_read_as_samples": lambda: kinds(Scores(TWO_SAMPLES, config="model").predictions.remarks),
    "columns_may_not_be_scores": lambda: kinds(Scores(WITH_TOKENS).predictions.remarks),
    "items_in_batches": lambda: kinds(
        estimate(Scores(np.eye(300, 2), batches=100), rng=0).cautions
    ),
    "formats_unknown": lambda: in_logs(
        {"a.csv": FOUR_ITEMS, "b.csv": FOUR_ITEMS, "notes.bin": "\0"}
    ),
    "scored_unevenly": lambda: in_logs({"a.csv": FOUR_ITEMS + "q1,0\n", "b.csv": FOUR_ITEMS}),
    "items_not_run": lambda: in_logs(
        {"a.csv": FOUR_ITEMS, "b.csv": FOUR_ITEMS.replace("q1,1\n", "")}
    ),
    "best_of_its_table": lambda: kinds(
        compare(best_first(noise(configs=4)), 0, 1, metric="accuracy", rng=0).cautions
    ),
    "neighbours_tested_together": lambda: of(in_hidden_groups(), "bbc", "accuracy"),
    "near_best": lambda: of(nearly_perfect_repeats(), "bbc", "accuracy"),
    "winner_confident": lambda: of(confident(), "bbc", "log_loss"),
}
WARDS = np.array([0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0])


def best_first(pi: Predictions) -> Predictions:
    """Put the configuration with the best accuracy first."""
    right = ((pi.responses[:, :, 0] > 0.5) == pi.target.y[:, None]).sum(axis=0)
    return pi.select(np.argsort(-right, kind="stable").tolist())


def often_exact() -> Predictions:
    """Predict every other of forty numbers exactly."""
    y = np.linspace(0.0, 1.0, 40)
    said = y + np.where(np.arange(40) % 2, 0.0, np.linspace(0.1, 0.3, 40))
    return Predictions.from_arrays(y, said[:, None] + np.zeros(2), task="regression")


def far_out() -> Predictions:
    """Predict numbers of which one is a million."""
    y = np.r_[1e6, np.random.default_rng(0).normal(size=59)]
    return Predictions.from_arrays(y, np.tile([0.0, 0.1], (60, 1)))


def tuned_svm() -> Tuned:
    """Tune a machine on noise, on which its decision values point the wrong way; seed 3."""
    rng = np.random.default_rng(3)
    noise = {"a": rng.normal(size=30), "b": rng.normal(size=30), "y": np.tile([0, 1], 15)}
    with TemporaryDirectory() as folder:
        path = Path(folder, "svm.toml")
        path.write_text('format = 1\n[[model]]\nmodel = "linear_svm"\nC = [1.0]\n')
        asked = {"target": "y", "portfolio": str(path), "folds": 5, "rng": 7, "n_jobs": 1}
        return tune(pa.table(noise), **asked)


def half_a_study() -> set[str]:
    """Read a study of ten cases with the outcome of twenty."""
    import optuna

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    with TemporaryDirectory() as folder:
        trial = study.ask()
        keep_predictions(trial, np.arange(10), np.linspace(0, 1, 10), store=folder)
        study.tell(trial, 0.5)
        return kinds(predictions_from(study, np.tile([0, 1], 10), store=folder).remarks)


def assessed(
    method: str, *, n: int = 40, uses: int = 0, stored: bool = True, **options: object
) -> set[str]:
    """Assess a learner of no information, on a test set that was used so often."""
    X, y = np.random.default_rng(0).random((n, 2)), np.tile([0, 1], n // 2)
    given = {"method": method, "metric": "accuracy", "rng": 0, **options}
    if not uses:
        return kinds(assess(DummyClassifier(), X, y, **given).cautions)
    with TemporaryDirectory() as folder:
        store = Path(folder, "test-set.db") if stored else None
        for prior in range(uses):
            learner = DummyClassifier(strategy=("prior", "uniform")[prior])
            test = (X[30:], y[30:])
            made = assess(learner, X[:30], y[:30], test=test, store=store, **given)
    return kinds(made.cautions)


def nearest_neighbour() -> set[str]:
    """What is said of a learner that one training case changes."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 60)
    X = y[:, None] + 2 * rng.standard_normal((120, 4))
    return kinds(check_stability(KNeighborsClassifier(1), X, y, metric="accuracy", rng=0).cautions)


def two_learners() -> set[str]:
    X, y = np.random.default_rng(0).random((40, 2)), np.tile([0, 1], 20)
    pair = LogisticRegression(), DummyClassifier()
    made = compare_learners(*pair, X, y, test="loob", metric="accuracy", n_replicates=30, rng=0)
    return kinds(made.cautions)


class SometimesFails(DecisionTreeClassifier):
    """A tree that fails on samples with four copies of the first case."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> SometimesFails:
        if (X[:, 0] == 0.0).sum() > 3:
            raise ValueError("too often")
        return super().fit(X, y)


def retrained(
    method: str, metric: str, *, fails: bool = False, twice: bool = False, n_replicates: int = 100
) -> set[str]:
    """Train a tree on samples of 40 cases of noise; seed 0."""
    X, y = np.random.default_rng(0).random((40, 2)), np.tile([0, 1], 20)
    X[0, 0] = 0.0
    model: object = SometimesFails() if fails else DecisionTreeClassifier()
    if twice:
        model = GridSearchCV(CalibratedClassifierCV(LogisticRegression(), cv=2), {}, cv=2)
    made = bootstrap_train(model, X, y, metric=metric, n_replicates=n_replicates, rng=0)
    return kinds(estimate(made, method=method, metric=metric).cautions)


def recorded(val_in_fit: bool = False, rows_given: int = 120) -> Predictions:
    """Read a recorded run of AutoGluon; a model may lack its predictions, or rows be dropped."""
    predictor = TabularPredictor("binary")
    predictor._learner._pre_X_rows = rows_given
    predictor.facts["model_info"]["LinearModel_BAG_L1"]["val_in_fit"] = val_in_fit
    return predictions_from(predictor)


def one_constant() -> Predictions:
    rng = np.random.default_rng(3)
    guesses = rng.standard_normal((40, 3))
    guesses[:, 1] = 0.5
    return Predictions.from_arrays(rng.standard_normal(40), guesses, np.arange(40) % 4)


def against(pi: Predictions, test: str = "bayle") -> set[str]:
    return kinds(compare(pi, 0, 1, test=test, metric="accuracy", rng=0).cautions)


def small_table(**columns: object) -> TrainingTable:
    """A table of 40 cases with a number, two classes and more columns; seed 0."""
    rng = np.random.default_rng(0)
    given = {"x": rng.standard_normal(40), "y": np.tile([0, 1], 20), **columns}
    return read_training_table(pa.table(given), target="y")


def columns_of(**columns: object) -> set[str]:
    return kinds(small_table(**columns).cautions)


def planned(table: TrainingTable, n_offered: int = 1) -> set[str]:
    """What a plan of one configuration has left out."""
    rows = table.n_cases
    plan = TunePlan(seed=0, most_rows=rows, n_rows=rows, configs=("a",), n_offered=n_offered,
                fit_seconds=1.0, asked={})  # fmt: skip
    return kinds(tuple(warn_of_plan(plan, table)))


def searched_on_fewer() -> set[str]:
    """What a search of thirty of forty rows leaves to tell."""
    whole = small_table()
    some, rng = whole.take(np.arange(30)), np.random.default_rng(0)
    gain = measure_growth(LogisticRegression(), some, whole, "roc_auc", rng)
    return kinds((warn_of_growth(gain, "roc_auc"),))


def unknown_levels() -> set[str]:
    schema = small_table(sex=["f", "f", "m", "m"] * 10).schema
    return kinds(schema.read(pa.table({"x": [1.0], "sex": ["x"]})).cautions)


def in_another_encoding() -> set[str]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes("größe,y\n".encode("latin-1") + b"1.5,a\n2.5,b\n3.5,a\n" * 20)
        return kinds(read_training_table(path, target="y").cautions)


def scored() -> set[str]:
    """Return the kinds of predictions by a model that has no probabilities."""
    table = small_table()
    fitted = LinearSVC().fit(table.X, table.y)
    asked = {"task": table.task, "classes": table.classes, "metric": "accuracy", "winner": "svm"}
    asked |= {"probabilities": False}
    model = Model(estimator=fitted, schema=table.schema, **asked)  # type: ignore[arg-type]
    return kinds(model.predict(pa.table({name: [0.5] for name in table.schema.names})).cautions)


def tuned(
    n: int = 40, noise: float = 0.01, explained: str | None = None, **changes: object
) -> set[str]:
    """Return the kinds of an explanation of a smooth objective over two or three parameters."""
    rng = np.random.default_rng(4)
    configs: list[dict[str, object]] = [
        {"a": float(rng.random()), "b": float(rng.random())} for _ in range(n)
    ]
    score = [-abs(c["a"] - 0.4) + noise * rng.standard_normal() for c in configs]  # type: ignore[operator]
    for make in changes.values():
        configs = [{**c, **make(i, c)} for i, c in enumerate(configs)]  # type: ignore[operator]
    if explained == "one":
        configs = [{"a": c["a"]} for c in configs]
    if explained == "twice":
        configs, score = configs * 2, score * 2
    if explained == "noisy":
        configs, score = configs * 3, (3 * rng.standard_normal(3 * n)).tolist()
    if explained == "edge":
        score = [float(c["a"]) for c in configs]  # type: ignore[arg-type]
    found = explain(configs, objective_values=score, direction="maximize", n_points=100, rng=0)
    return kinds(found.cautions)


def in_a_corner(i: int, config: dict[str, object]) -> dict[str, object]:
    """Keep one trial out of twenty above 0.5."""
    return {} if i % 20 == 0 else {"a": 0.5 * float(config["a"])}  # type: ignore[arg-type]


def rare_branch(i: int, config: dict[str, object]) -> dict[str, object]:
    """Give five trials a parameter of their own."""
    return {"kind": "x", "c": i / 40} if i % 8 == 0 else {"kind": "y"}


def many_levels(i: int, config: dict[str, object]) -> dict[str, object]:
    """Try some of 16 levels more often than others."""
    return {"k": f"level {i % 16 if i < 32 else i % 3}"}


def small_trials(objective: Sequence[float] = range(20), **columns: list[object]) -> Trials:
    """Return 20 trials of one number and more columns."""
    rows = [{"a": i / 20, **{k: v[i] for k, v in columns.items()}} for i in range(20)]
    return Trials.from_configs(rows, list(objective), direction="maximize")


def many_trials_surrogate() -> tuple[Caution, ...]:
    """Fit what would be chosen for many trials, to a few."""
    trials = small_trials()
    chosen = choose_surrogate(trials.space, 5000)
    rng = np.random.default_rng(0)
    return chosen.fit(trials.space, trials.codes, trials.objective, rng=rng).cautions


def dynamic(count: int) -> Configs:
    return Configs(ids=tuple(f"c{i}" for i in range(count)), static=False)


@pytest.mark.parametrize("kind", sorted(TRIGGERS))
def test_the_kind_is_triggered_by_data(kind: str) -> None:
    assert kind in TRIGGERS[kind]()


def test_every_code_is_triggered_by_data() -> None:
    assert {find_caution_kind(kind).code for kind in TRIGGERS} == set(MEANINGS)


def test_sound_evidence_has_no_caution() -> None:
    # two configurations of 400 cases with a clear winner, seed 3: nothing to be careful about
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], 200)
    scores = np.column_stack([2.0 * y, 0.1 * y]) + rng.standard_normal((400, 2))
    pi = Predictions.from_arrays(y, scores, np.arange(400) // 2 % 10)
    for method in ("bbc", "bbc_fold"):
        assert of(pi, method) == set()


def test_groups_within_folds_are_not_cautioned_of() -> None:
    pi = noise(n=200, folds=10)
    kept = with_target(pi, groups=np.arange(200) // 2)
    assert not {"groups_split", "few_groups_drawn"} & of(kept)


def test_a_static_search_and_an_uncorrected_method_are_no_dynamic_case() -> None:
    assert "dynamic_search" not in of(noise(), "bbc")
    assert "dynamic_search" not in of(replace(noise(), configs=dynamic(40)), "naive")


def test_leave_one_out_folds_are_not_called_small() -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 10)
    pi = Predictions.from_arrays(y, rng.random((20, 3)), np.arange(20))
    assert "few_of_class_in_fold" not in of(pi, "bbc")
