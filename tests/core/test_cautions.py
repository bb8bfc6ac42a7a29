"""Cautions: every code is triggered by data, or listed as not reachable yet."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from sklearn import config_context
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import LeaveOneOut, ShuffleSplit

from earnest import (
    BBC,
    BCED,
    Caution,
    Configs,
    HoldOut,
    Naive,
    NaiveBootstrap,
    Predictions,
    SearchCV,
    estimate,
    estimate_all,
    nested_cv,
)
from earnest.core.cautions import CODES, Severity

NOT_YET = {"EN004"}  # the edge of the space is the business of `explain`


def noise(n: int = 60, configs: int = 40, folds: int = 5, seed: int = 0) -> Predictions:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    return Predictions.from_arrays(y, rng.random((n, configs)), np.arange(n) // 2 % folds)


def changed(pi: Predictions, rows: np.ndarray, columns: slice) -> Predictions:
    responses = pi.responses.copy()
    responses[rows, columns] = np.nan
    return replace(pi, responses=responses)


def codes(cautions: tuple[Caution, ...]) -> set[str]:
    return {caution.code for caution in cautions}


def of(pi: Predictions, method: object = "naive", metric: str = "roc_auc") -> set[str]:
    return codes(estimate(pi, method=method, metric=metric, rng=0).cautions)


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


def disagreeing_winners() -> Predictions:
    """One configuration ranks well within folds only, the other a little less well, but pooled."""
    rng = np.random.default_rng(1)
    y, fold = np.tile([0, 1], 50), np.arange(100) // 2 % 10
    within = y + 10.0 * fold + 0.2 * rng.standard_normal(100)
    pooled = y + 0.5 * rng.standard_normal(100)
    return Predictions.from_arrays(y, np.column_stack([within, pooled]), fold)


def tuned(**knobs: object) -> set[str]:
    """A search between a model that learns and one that cannot, on 120 cases; seed 0."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 60)
    X = 2.0 * y[:, None] + rng.standard_normal((120, 1))
    both = [LogisticRegression(), DummyClassifier(strategy="constant", constant=0)]
    search = SearchCV(None, both, cv=10, scoring="accuracy", random_state=0, **knobs)
    return codes(search.fit(X, y).estimate_.cautions)


def nested_on_noise() -> set[str]:
    rng = np.random.default_rng(0)
    search = SearchCV(LogisticRegression(), {"C": [1e-4, 0.01, 1.0]}, cv=4, random_state=0)
    return codes(nested_cv(search, rng.standard_normal((60, 3)), np.tile([0, 1], 30)).cautions)


def searched(**knobs: object) -> set[str]:
    """A search on 60 cases of noise; seed 0."""
    rng = np.random.default_rng(0)
    params = knobs.pop("params", {})
    knobs = {"scoring": "accuracy", "cv": 3, "random_state": 0, "n_resamples": 100, **knobs}
    grid = knobs.pop("grid", {"C": [0.1, 1.0]})
    search = SearchCV(knobs.pop("model", LogisticRegression()), grid, **knobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's own words on the same things
        search.fit(rng.standard_normal((60, 2)), np.tile([0, 1], 30), **params)
    return codes(search.estimate_.cautions)


def weighed() -> set[str]:
    """The same search, with weights for the scorer too."""
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        weights = {"sample_weight": np.tile([1.0, 2.0, 3.0], 20)}
        return searched(model=model, scoring=scorer, params=weights)


LEAKING = [(np.arange(40), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]

TRIGGERS: dict[str, Callable[[], set[str]]] = {
    "EN001": lambda: of(noise(), "bbc"),
    "EN002": lambda: of(noise(n=20, folds=5)),
    "EN003": lambda: of(with_target(noise(), groups=np.repeat(np.arange(6), 10))),
    "EN005": lambda: of(Predictions.from_arrays([0, 1] * 9, np.full((18, 3), 0.5))),
    "EN006": lambda: of(replace(noise(), configs=dynamic(40)), "bbc"),
    "EN007": lambda: of(levels(), "bbc"),
    "EN008": lambda: codes(
        estimate_all(levels(), methods=["bbc", "bbc_fold"], metric="roc_auc", rng=0).cautions
    ),
    "EN009": lambda: of(with_target(noise(), ordered=True)),
    "EN010": lambda: of(
        Predictions.from_arrays([1, 1, 1] + [0] * 9, np.linspace(0, 1, 12)), BBC(undefined="drop")
    ),
    "EN011": lambda: of(one_right_per_fold(), "tibshirani", "accuracy"),
    "EN012": lambda: of(changed(noise(), np.flatnonzero(noise().folds[:, 0] == 0), slice(0, 3))),
    "EN013": lambda: of(changed(noise(), np.flatnonzero(noise().folds[:, 0] == 0), slice(None))),
    "EN014": lambda: of(disagreeing_winners(), BBC(variant="as_published")),
    "EN015": lambda: of(noise().select(0)),
    "EN016": lambda: of(noise(), BBC(n_resamples=50)),
    "EN017": lambda: of(
        Predictions.from_arrays(
            [0, 1] * 6 + [0] * 4, np.linspace(0, 1, 16), [0, 0, 1, 1, 2, 2] * 2 + [3] * 4
        )
    ),
    "EN018": lambda: of(noise(folds=3), "bbc_fold"),
    "EN019": lambda: of(one_right_per_fold(), Naive(selector="pooled")),
    "EN020": lambda: of(with_target(noise(), groups=noise().folds[:, 0].astype(np.int64)), "bbc"),
    "EN021": lambda: of(repeats(), "bbc_fold"),
    "EN022": lambda: of(noise(), NaiveBootstrap()),
    "EN023": lambda: of(noise(), HoldOut()),
    "EN024": lambda: of(
        with_target(noise(), groups=noise().folds[:, 0].astype(np.int64)), BBC(resampler="case")
    ),
    "EN025": lambda: of(
        with_target(noise(), groups=noise().folds[:, 0].astype(np.int64), strata=noise().target.y),
        "bbc",
    ),
    "EN045": lambda: searched(grid={"C": [1.0, -1.0]}),
    "EN046": lambda: searched(scoring="roc_auc", cv=LeaveOneOut()),
    "EN047": lambda: weighed(),
    "EN048": lambda: searched(metric="balanced_accuracy"),
    "EN049": lambda: searched(cv=ShuffleSplit(3, test_size=0.6, random_state=0)),
    "EN050": lambda: searched(cv=LEAKING),
    "EN051": lambda: tuned(drop="bced"),
    "EN052": lambda: tuned(drop="bced"),
    "EN053": lambda: tuned(drop=BCED(min_predictions=20)),
    "EN054": lambda: tuned(stop_when_width=0.5),
    "EN055": nested_on_noise,
}


def dynamic(count: int) -> Configs:
    return Configs(ids=tuple(f"c{i}" for i in range(count)), static=False)


@pytest.mark.parametrize("code", sorted(TRIGGERS))
def test_the_code_is_triggered_by_data(code: str) -> None:
    assert code in TRIGGERS[code]()


def test_every_code_is_triggered_or_listed_as_not_reachable_yet() -> None:
    assert set(TRIGGERS) | NOT_YET == set(CODES)
    assert not set(TRIGGERS) & NOT_YET


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
    assert not {"EN003", "EN020"} & of(kept)


def test_a_static_search_and_an_uncorrected_method_are_no_dynamic_case() -> None:
    assert "EN006" not in of(noise(), "bbc")
    assert "EN006" not in of(replace(noise(), configs=dynamic(40)), "naive")


def test_leave_one_out_folds_are_not_called_small() -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 10)
    pi = Predictions.from_arrays(y, rng.random((20, 3)), np.arange(20))
    assert "EN002" not in of(pi, "bbc")


def test_a_code_that_is_not_in_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="EN999"):
        Caution("EN999", "What.", "Then.")


def test_a_caution_survives_json_and_reads_as_one_line() -> None:
    made = Caution("EN005", "They tie.", "The first is named.", "Order them.", Severity.NOTE)
    assert Caution.from_dict(json.loads(json.dumps(made.to_dict()))) == made
    assert str(made) == "EN005 They tie. The first is named. Order them."
    assert str(Caution("EN001", "What.", "Then.")) == "EN001 What. Then."


def test_codes_are_numbered_without_a_gap() -> None:
    assert list(CODES) == [f"EN{i:03d}" for i in range(1, len(CODES) + 1)]
