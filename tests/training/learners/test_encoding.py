"""Text and levels become numbers in training alone, and the outcome of a case stays out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

from earnest.errors import InputError
from earnest.training.learners import encoding
from earnest.training.learners.encoding import COMPONENTS, ColumnEncoder
from earnest.training.tables.words import mark_words

SEED = 20


@pytest.fixture(autouse=True)
def forget() -> None:
    encoding._LAST.clear()


def draw_levels(n: int, levels: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(SEED)
    codes = rng.integers(0, levels, n).astype(float)
    return np.column_stack([rng.normal(size=n), codes]), rng.integers(0, 2, n)


def test_levels_that_mean_nothing_do_not_tell_the_outcome_of_training_cases() -> None:
    # 3 cases a level: the mean outcome of a level with the case itself in it correlates with the
    # outcome by about .5; without it by about 0 with a standard deviation of 1 / sqrt(3000).
    X, y = draw_levels(3000, 1000)
    encoder = ColumnEncoder(coded=(1,), random_state=0)
    outside = encoder.fit_transform(X, y)[:, 1]
    inside = encoder.transform(X)[:, 1]
    assert abs(np.corrcoef(outside, y)[0, 1]) < 4 / np.sqrt(3000)
    assert np.corrcoef(inside, y)[0, 1] > 0.3


def test_levels_become_their_mean_outcomes_and_unknown_ones_that_of_all() -> None:
    rng = np.random.default_rng(SEED)
    codes = np.repeat(np.arange(5.0), 400)
    y = (rng.random(2000) < 0.1 + 0.15 * codes).astype(int)
    encoder = ColumnEncoder(coded=(0,)).fit(codes[:, None], y)
    means = encoder.transform(np.arange(5.0)[:, None])[:, 0]
    # shrunk by a prior that is worth few of 400 cases
    assert_allclose(means, [y[codes == k].mean() for k in range(5)], atol=0.01)
    assert encoder.transform(np.array([[99.0]]))[0, 0] == pytest.approx(y.mean())


@pytest.mark.parametrize("kind", ["binary", "multiclass", "numbers", "survival", "one class"])
def test_every_outcome_has_means(kind: str) -> None:
    X, y = draw_levels(300, 20)
    rng = np.random.default_rng(SEED)
    survival = np.zeros(300, dtype=[("event", bool), ("time", float)])
    survival["event"] = y == 1
    outcomes = {
        "binary": y,
        "multiclass": rng.integers(0, 3, 300),
        "numbers": rng.normal(size=300),
        "survival": survival,
        "one class": np.zeros(300, dtype=int),
    }
    columns = ColumnEncoder(coded=(1,), random_state=0).fit(X, outcomes[kind]).transform(X)
    assert columns.shape == (300, 4 if kind == "multiclass" else 2)
    assert np.isfinite(columns).all()


def make_texts(n: int) -> list[str]:
    rng = np.random.default_rng(SEED)
    words = [f"word{i:02d}" for i in range(30)]
    shares = np.arange(30, 0, -1) / sum(range(31))
    return [" ".join(rng.choice(words, 5, replace=False, p=shares)) for _ in range(n)]


def test_words_are_weighted_as_by_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = make_texts(200)
    oracle = TfidfVectorizer(min_df=2).fit_transform(texts)
    marks = mark_words(pa.chunked_array([texts]), 5)
    encoder = ColumnEncoder(texts=(tuple(range(5)),)).fit(marks, np.zeros(200))
    table = encoding._weigh(encoding._count(marks, encoder.terms_[0]), encoder.weights_[0])
    assert_allclose((table @ table.T).toarray(), (oracle @ oracle.T).toarray(), atol=1e-12)


def test_components_keep_what_texts_have_in_common() -> None:
    from sklearn.decomposition import TruncatedSVD

    texts = make_texts(200)
    marks = mark_words(pa.chunked_array([texts]), 5)
    encoder = ColumnEncoder(texts=(tuple(range(5)),), random_state=0)
    columns = encoder.fit_transform(marks, np.zeros(200))
    assert columns.shape == (200, COMPONENTS)
    table = encoding._weigh(encoding._count(marks, encoder.terms_[0]), encoder.weights_[0])
    exact = TruncatedSVD(COMPONENTS, algorithm="arpack", random_state=0).fit(table)
    lost = np.linalg.norm(table.toarray() - columns @ encoder.axes_[0])
    least = np.linalg.norm(table.toarray() - exact.transform(table) @ exact.components_)
    assert lost == pytest.approx(least, rel=0.01)  # the randomised one comes close
    assert_allclose(encoder.transform(marks), columns, atol=1e-12)
    unknown = mark_words(pa.chunked_array([["never seen before", None]]), 5)
    assert (encoder.transform(unknown) == 0.0).all()


def test_columns_that_are_neither_come_first_and_positions_are_checked() -> None:
    texts = make_texts(60)
    marks = mark_words(pa.chunked_array([texts]), 5)
    X, y = draw_levels(60, 10)
    whole = np.hstack([marks, X[:, 1:], X[:, :1]])
    encoder = ColumnEncoder(coded=(5,), texts=(tuple(range(5)),), random_state=0)
    columns = encoder.fit_transform(whole, y)
    assert_allclose(columns[:, 0], X[:, 0])
    assert columns.shape == (60, 1 + 1 + COMPONENTS)
    with pytest.raises(InputError, match="positions"):
        ColumnEncoder(coded=(9,)).fit(whole, y)


def test_what_was_learned_is_learned_once_and_other_data_anew() -> None:
    X, y = draw_levels(300, 20)
    first = ColumnEncoder(coded=(1,), random_state=0).fit_transform(X, y)
    again = ColumnEncoder(coded=(1,), random_state=0).fit_transform(X, y)
    assert (first == again).all()
    assert len(encoding._LAST) == 1
    ColumnEncoder(coded=(1,), random_state=0).fit(X, 1 - y)
    ColumnEncoder(coded=(1,), random_state=1).fit(X, y)
    assert len(encoding._LAST) == 3
