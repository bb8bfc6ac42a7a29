"""Preprocessing: nothing leaks, nothing crashes, and plain columns come out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from earnest.errors import InputError
from earnest.training import Preprocessor

NAN = np.nan


def test_it_is_imputer_scaler_and_encoder_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(60, 3)) * 5 + 2
    numbers[rng.random((60, 3)) < 0.2] = NAN
    codes = rng.integers(0, 4, size=(60, 2)).astype(float)
    made = Preprocessor((3, 4), indicator=False).fit_transform(np.hstack([numbers, codes]))
    filled = SimpleImputer(strategy="median").fit_transform(numbers)
    want = np.hstack(
        [
            StandardScaler().fit_transform(filled),
            OneHotEncoder(sparse_output=False).fit_transform(codes),
        ]
    )
    assert made == pytest.approx(want, abs=1e-12)


def test_what_is_learned_is_learned_from_training_alone() -> None:
    train, test = np.array([[1.0], [NAN], [3.0]]), np.array([[NAN], [100.0]])
    made = Preprocessor(scale=False, indicator=False).fit(train)
    assert made.transform(test).tolist() == [[2.0], [100.0]]


def test_indicators_tell_where_training_had_gaps() -> None:
    X = np.array([[1.0, 5.0], [NAN, 6.0], [3.0, 8.0]])
    made = Preprocessor(scale=False).fit(X)
    assert made.transform(X)[:, 2].tolist() == [0.0, 1.0, 0.0]
    assert made.transform(np.array([[1.0, NAN]])).tolist() == [[1.0, 6.0, 0.0]]  # no new column


def test_an_unseen_level_and_a_missing_one_are_taken() -> None:
    X = np.array([[0.0], [1.0], [1.0], [2.0]])
    one_hot = Preprocessor((0,)).fit(X)
    assert one_hot.transform(np.array([[9.0], [NAN]])).tolist() == [[0, 0, 0], [0, 1, 0]]
    ordinal = Preprocessor((0,), encode="ordinal", scale=False).fit(X)
    assert ordinal.transform(np.array([[9.0], [NAN], [2.0]])).tolist() == [[1.0], [1.0], [2.0]]


def test_missing_values_pass_for_models_that_take_them() -> None:
    X = np.array([[1.0, 0.0], [NAN, 1.0], [2.0, NAN]])
    made = Preprocessor((1,), impute="none", encode="ordinal", scale=False).fit(X)
    assert made.transform(X) == pytest.approx(X, nan_ok=True)
    assert np.isnan(made.transform(np.array([[1.0, 7.0]]))[0, 1])


def test_two_levels_need_one_column() -> None:
    assert Preprocessor((0,)).fit_transform(np.array([[0.0], [3.0], [0.0]])).tolist() == [
        [0],
        [1],
        [0],
    ]


def test_constant_columns_go_but_one_stays() -> None:
    X = np.array([[1.0, 5.0, 2.0], [2.0, 5.0, 2.0], [4.0, 5.0, 2.0]])
    assert Preprocessor((2,)).fit(X).kept_.tolist() == [True, False, False]
    assert Preprocessor().fit_transform(X[:, 1:]).shape == (3, 1)


@pytest.mark.parametrize("impute", ["median", "mean"])
@pytest.mark.parametrize("encode", ["one_hot", "ordinal"])
@pytest.mark.parametrize("indicator", [True, False])
def test_columns_that_are_all_missing_do_not_crash(
    impute: str, encode: str, indicator: bool
) -> None:
    X = np.full((4, 3), NAN)
    X[:, 0] = np.arange(4)
    made = Preprocessor((2,), impute=impute, encode=encode, indicator=indicator).fit(X)
    out = made.transform(np.array([[1.0, 7.0, 2.0]]))
    assert np.isfinite(out).all()
    nothing = Preprocessor((0,), impute=impute, encode=encode, indicator=indicator)
    assert np.isfinite(nothing.fit_transform(np.full((3, 1), NAN))).all()
    assert len(nothing.get_feature_names_out()) == nothing.transform(X[:, :1]).shape[1]


def test_large_numbers_with_a_small_spread_stay_finite() -> None:
    X = np.array([[1e15], [1e15 + 1], [1e15 + 2]])
    assert np.isfinite(Preprocessor().fit_transform(X)).all()
    huge = Preprocessor().fit_transform(np.array([[1e200], [-1e200], [0.0]]))
    assert huge[:, 0] == pytest.approx([1.5**0.5, -(1.5**0.5), 0.0])


def test_columns_have_names() -> None:
    X = np.array([[1.0, 0.0], [NAN, 2.0], [3.0, 1.0], [5.0, NAN]])
    made = Preprocessor((1,)).fit(X)
    names = made.get_feature_names_out(["alter", "größe"])
    assert list(names) == [
        "alter",
        "größe=0",
        "größe=1",
        "größe=2",
        "alter missing",
        "größe missing",
    ]


@pytest.mark.parametrize(
    "bad", [{"impute": "mode"}, {"encode": "target"}, {"categorical": (4,)}, {"categorical": (-1,)}]
)
def test_wrong_knobs_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Preprocessor(**bad).fit(np.eye(3))  # type: ignore[arg-type]


def test_it_keeps_the_contract_of_scikit_learn() -> None:
    found = check_estimator(Preprocessor(), on_fail=None, on_skip=None)
    assert [one["check_name"] for one in found if one["status"] == "failed"] == []
