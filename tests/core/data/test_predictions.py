from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import earnest as en
from earnest import Configs, Predictions
from earnest.core.base import arrays
from earnest.errors import EvidenceError, InputError
from tests.snapshots import Golden

made = Predictions.from_arrays
Y = np.array([0, 1, 0, 1, 0, 1])
FOLD = np.array([0, 0, 1, 1, 2, 2])
S = np.array([[0.1, 0.3], [0.8, 0.6], [0.2, 0.4], [0.7, 0.2], [0.3, 0.1], [0.9, 0.5]])


# ---------------------------------------------------------------- shapes and containers


def test_scores_of_one_to_four_dimensions_are_brought_to_one_form() -> None:
    assert made(Y, S[:, 0]).responses.shape == (6, 1, 1)
    assert made(Y, S).responses.shape == (6, 2, 1)
    assert made(Y, S[:, :, None].repeat(3, axis=2)).responses.shape == (6, 2, 3)
    assert made(list("abcabc"), np.full((6, 2, 3, 3), 1 / 3)).responses.shape == (6, 2, 3, 3)


def test_the_columns_of_a_matrix_may_be_repeats_side_by_side() -> None:
    pi = made(Y, np.column_stack([S, S + 0.05]), repeats=2)
    assert pi.responses.shape == (6, 2, 2)
    np.testing.assert_array_equal(pi.responses[:, 0, :], S)


def test_three_dimensions_may_end_in_classes_when_there_is_one_repeat() -> None:
    scores = np.random.default_rng(0).dirichlet([1, 1, 1], (6, 2))
    pi = made(list("abcabc"), scores, repeats=1)
    np.testing.assert_array_equal(pi.responses[:, :, 0], scores)
    both = np.stack([1 - S, S], axis=2)
    np.testing.assert_array_equal(made(Y, both, repeats=1).responses[:, :, 0], S)


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_the_class_axis_of_a_binary_task_gives_the_positive_column(positive: str) -> None:
    both = np.stack([1 - S, S], axis=2)[:, :, None, :]  # the classes in sorted order: no, yes
    y = np.array(["no", "yes"])[Y]
    kept = made(y, both, positive=positive).responses[:, :, 0]
    np.testing.assert_array_equal(kept, S if positive == "yes" else 1 - S)
    other = made(y, both[..., ::-1], positive=positive, classes=["yes", "no"])
    np.testing.assert_array_equal(other.responses[:, :, 0], kept)


CONTAINERS = [
    S.tolist(),
    pd.DataFrame(S),
    pl.DataFrame(S),
    pa.table({"a": S[:, 0], "b": S[:, 1]}),
    pd.DataFrame(S).astype("Float64"),
    pd.DataFrame(S).astype(object),
    np.ma.masked_array(S, mask=False),
    np.asfortranarray(S),
    S.astype(">f8"),
]


@pytest.mark.parametrize(
    "scores", CONTAINERS, ids=lambda s: f"{type(s).__module__}.{type(s).__name__}"
)
def test_every_container_gives_the_same_predictions(scores: Any) -> None:
    expected = made(Y, S, FOLD, groups=FOLD, configs=["a", "b"])
    for wrap in (list, pd.Series, pl.Series, pa.array):
        pi = made(wrap(Y), scores, wrap(FOLD), groups=wrap(FOLD), configs=["a", "b"])
        assert pi.fingerprint == expected.fingerprint


def test_masked_predictions_were_not_evaluated() -> None:
    masked = np.ma.masked_array(S, mask=False)
    masked[FOLD == 1, 0] = np.ma.masked
    pi = made(Y, masked, FOLD)
    assert pi.cells[0].tolist() == [[True, True], [False, True], [True, True]]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_columns_of_a_frame_of_scores_name_the_configurations(frame: Any) -> None:
    scores = frame({"svm": S[:, 0], "tree": S[:, 1]})
    assert made(Y, scores, FOLD).configs.ids == ("svm", "tree")
    assert made(Y, scores, FOLD, configs=["a", "b"]).configs.ids == ("a", "b")
    assert made(Y, scores, np.c_[FOLD, FOLD], repeats=2).configs.ids == ("c0",)


def test_columns_that_are_only_numbered_name_nothing() -> None:
    assert made(Y, pd.DataFrame(S), FOLD).configs.ids == ("c0", "c1")


def test_mapped_and_large_arrays_are_not_copied(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    mapped = np.lib.format.open_memmap(tmp_path / "s.npy", "w+", np.float32, (6, 2))
    mapped[:] = S
    for scores in (mapped, mapped[::-1], np.asarray(mapped)):
        assert np.shares_memory(made(Y, scores, FOLD).responses, scores)
    monkeypatch.setattr("earnest.core.base.arrays.COPIED", S.nbytes - 1)
    for scores in (S, S[::-1]):
        assert np.shares_memory(made(Y, scores, FOLD).responses, scores)
    both = np.stack([1 - S, S], axis=2)[:, :, None, :]
    assert np.shares_memory(made(Y, both).responses, both)


def test_what_the_caller_does_to_the_arrays_later_changes_nothing() -> None:
    values, scores, fold = Y + 0.5, S.copy(), FOLD.copy()
    about = {"groups": FOLD.copy(), "strata": Y.copy(), "ids": np.arange(6)}
    pi = made(values, scores, fold, task="regression", **about)
    before = made(Y + 0.5, S, FOLD, task="regression", groups=FOLD, strata=Y, ids=np.arange(6))
    for array in (values, scores, fold, *about.values()):
        array[:] = 7
    assert pi.fingerprint == before.fingerprint
    survival = (Y + 1.5, Y > 0)
    pi = made(survival, S, FOLD)
    survival[0][:], survival[1][:] = 9, False
    assert pi.target.y.tolist() == (Y + 1.5).tolist()
    assert pi.target.event is not None
    assert pi.target.event.tolist() == (Y > 0).tolist()


def test_responses_are_never_writable() -> None:
    pi = made(Y, S, FOLD)
    labels = made(Y, Y[:, None], FOLD)
    others = (
        pi.select([0]),
        pi.take(np.arange(4)),
        pi.concat(made(Y, S, FOLD, configs=["a", "b"])),
    )
    for one in (pi, labels, *others, copy.deepcopy(pi), pickle.loads(pickle.dumps(pi))):
        assert not one.responses.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        pi.responses[0] = 0.5
    assert S.flags.writeable


def test_a_subclass_comes_from_every_door(tmp_path: Any) -> None:
    class Own(Predictions):
        pass

    pi = Own.from_arrays(Y, S, FOLD)
    path = pi.save(tmp_path / "pi.npz")
    for one in (pi, Own.from_frame(pi.to_frame()), Own.load(path)):
        assert type(one) is Own
        assert one.fingerprint == pi.fingerprint


# ---------------------------------------------------------------- what a response is


@pytest.mark.parametrize("labels", [["a", "b", "c"] * 2, ["a", "b"] * 3])
def test_class_scores_are_probabilities_only_where_every_row_sums_to_one(labels: Any) -> None:
    count = len(set(labels))
    rng = np.random.default_rng(5)  # seed 5: any positive numbers will do
    rows = rng.dirichlet(np.ones(count), size=(6, 2, 1))
    options = {"classes": sorted(set(labels)), "positive": "b" if count == 2 else None}
    assert made(labels, rows, FOLD, **options).kind == "probability"
    assert made(labels, rows.round(4), FOLD, **options).kind == "probability"
    partly = rows.copy()
    partly[FOLD == 1, 1] = np.nan
    assert made(labels, partly, FOLD, **options).kind == "probability"
    off = rows.copy()
    off[2:4, 1] *= 0.9
    assert made(labels, off, FOLD, **options).kind == "decision"
    with pytest.raises(InputError, match=r"1 of 2 configurations: tree \(2 rows\)"):
        made(labels, off, FOLD, configs=["svm", "tree"], response="probability", **options)


@pytest.mark.parametrize(
    ("y", "scores", "kind"),
    [
        (Y, S, "probability"),
        (Y, S * 3 - 1, "decision"),
        (Y, (S > 0.4).astype(int), "label"),
        (Y, S > 0.4, "label"),
        (Y, (S > 0.4).astype(float), "label"),
        (2 * Y - 1, np.sign(S - 0.45), "label"),
        (np.array(["n", "y"])[Y], (S > 0.4).astype(int), "probability"),  # 0 and 1 are no labels
        (Y + 0.5, S, "value"),
        ((Y + 1.5, Y == 1), S, "risk"),
    ],
)
def test_the_kind_of_response_is_told_where_it_is_clear(y: Any, scores: Any, kind: str) -> None:
    options = {"positive": "y"} if isinstance(y, np.ndarray) and y.dtype.kind == "U" else {}
    task = {"value": "regression"}.get(kind)
    assert made(y, scores, FOLD, task=task, **options).kind == kind


def test_the_kind_of_response_may_be_said() -> None:
    hard = (S > 0.4).astype(float)
    assert made(Y, hard, response="probability").kind == "probability"
    assert made(Y, S, response="decision").kind == "decision"
    assert made(Y, hard.astype(int).astype(str), response="label").kind == "label"


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        ([0, 1] * 3, ["0", "1", "1", "0", "1", "1"]),
        (["0", "1"] * 3, np.array([0.0, 1.0, 1.0, 0.0, 1.0, 1.0])),
        ([False, True] * 3, [0, 1, 1, 0, 1, 1]),
        ([False, True] * 3, ["False", "True", "True", "False", "True", "True"]),
        (["a", "b"] * 3, pd.Series(list("abbabb"), dtype="category")),
        (["a", "b"] * 3, np.array([b"a", b"b", b"b", b"a", b"b", b"b"])),
    ],
)
def test_labels_match_their_classes_as_text_or_number(y: Any, labels: Any) -> None:
    positive = "b" if "b" in y else None
    pi = made(y, labels, response="label", positive=positive)
    assert pi.responses.ravel().tolist() == [0, 1, 1, 0, 1, 1]


def test_rounding_does_not_make_decisions_of_probabilities() -> None:
    scores = S.copy()
    scores[0, 0], scores[1, 1] = -1e-17, 1 + 2e-16
    pi = made(Y, scores)
    assert pi.kind == "probability"
    assert (pi.responses.min(), pi.responses.max()) == (0.0, 1.0)


def test_the_threshold_is_kept_as_given() -> None:
    assert made(Y, S).threshold is None
    assert made(Y, S, threshold=np.float32(0.25)).threshold == 0.25
    assert made(Y, 9 * S, threshold=-3).threshold == -3.0


# ---------------------------------------------------------------- folds and what was not evaluated


def test_hold_out_is_one_fold() -> None:
    pi = made(Y, S)
    assert (pi.n_folds, pi.fold_names) == (1, (("0",),))


@pytest.mark.parametrize(
    "fold",
    [
        ["b", "b", "a", "a", None, None],
        [2, 2, 1, 1, -1, -1],
        [2.0, 2.0, 1.0, 1.0, np.nan, np.nan],
        pd.Series([2, 2, 1, 1, None, None], dtype="Int64"),
    ],
)
def test_cases_without_a_fold_were_not_tested(fold: Any) -> None:
    scores = S.copy()
    scores[4:] = np.nan
    pi = made(Y, scores, fold)
    assert pi.folds.ravel().tolist() == [1, 1, 0, 0, -1, -1]
    assert pi.tested(0).tolist() == [True] * 4 + [False] * 2
    assert pi.usable().n_cases == 4


def test_each_repeat_has_its_own_folds_and_untested_cases() -> None:
    scores = np.stack([S, S], axis=2)
    fold = np.stack([FOLD, FOLD[::-1]], axis=1).astype(float)
    scores[:3, :, 1], fold[:3, 1] = np.nan, np.nan
    pi = made(Y, scores, fold)
    assert pi.fold_names == (("0", "1", "2"), ("0", "1"))
    assert pi.tested(0).all()
    assert pi.tested(1).tolist() == [False] * 3 + [True] * 3
    assert pi.complete.all()
    assert pi.usable() is pi  # every case was tested in some repeat


def test_a_dropped_configuration_is_incomplete_and_a_fold_of_none_is_not() -> None:
    scores = S.copy()
    scores[FOLD == 2] = np.nan  # a fold that nobody was evaluated in
    scores[FOLD == 1, 1] = np.nan  # a fold that one configuration was dropped before
    pi = made(Y, scores, FOLD, configs=["whole", "dropped"])
    assert pi.complete.tolist() == [True, False]
    kept = pi.usable()
    assert kept.configs.ids == ("whole",)
    assert kept.n_cases == 4


def test_nothing_complete_is_refused_when_it_is_used(golden: Golden) -> None:
    scores = S.copy()
    scores[FOLD == 0, 0] = np.nan
    scores[FOLD == 1, 1] = np.nan
    with pytest.raises(EvidenceError) as refusal:
        made(Y, scores, FOLD).usable()
    golden.check(str(refusal.value))


def test_leave_one_out_has_a_fold_a_case() -> None:
    pi = made(Y, S, np.arange(6))
    assert pi.n_folds == 6
    assert all(cells.all() for cells in pi.cells)


def test_folds_of_mixed_labels_are_told_apart_as_text() -> None:
    pi = made(Y, S, np.array([1, 1, "a", "a", 2, 2], dtype=object))
    assert pi.fold_names == (("1", "2", "a"),)


@pytest.mark.parametrize("block", [1, 3, 7, 1 << 22])
def test_no_answer_depends_on_the_size_of_blocks(
    block: int, pi: Predictions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays.count_block_rows, "__defaults__", (block,))
    again = replace(pi)
    assert again.fingerprint == pi.fingerprint
    for mine, theirs in zip(pi.cells, again.cells, strict=True):
        np.testing.assert_array_equal(mine, theirs)


# ---------------------------------------------------------------- configurations


def test_configurations_have_names_parameters_or_numbers() -> None:
    assert made(Y, S).configs.ids == ("c0", "c1")
    assert made(Y, S, configs=np.array(["svm", "tree"])).configs.ids == ("svm", "tree")
    assert made(Y, S, configs=[1, 2]).configs.ids == ("1", "2")
    assert made(Y, S[:, 0], configs="svm").configs.ids == ("svm",)
    grid = made(Y, S, configs=[{"C": 1}, {"C": 10}]).configs
    assert (grid.ids, grid.params) == (("c0", "c1"), ({"C": 1}, {"C": 10}))


def test_complexity_orders_the_configurations_and_ties_keep_their_order() -> None:
    configs = made(Y, S, configs=["a", "b"]).configs
    assert configs.simplicity_order().tolist() == [0, 1]
    assert configs.with_complexity([2, 1]).simplicity_order().tolist() == [1, 0]
    assert configs.with_complexity([1, 1]).simplicity_order().tolist() == [0, 1]


def test_select_keeps_the_order_asked_for() -> None:
    pi = made(Y, S, FOLD, configs=Configs(ids=("a", "b"), complexity=(2.0, 1.0), static=False))
    other = pi.select(["b", 0])
    assert (other.configs.ids, other.configs.complexity) == (("b", "a"), (1.0, 2.0))
    assert not other.configs.static
    np.testing.assert_array_equal(other.responses[:, :, 0], S[:, ::-1])
    for one in ("b", 1, np.int64(1), ["b"], np.array([1]), (n for n in ["b"])):
        assert pi.select(one).configs.ids == ("b",)
    for wrong in (2, -1, np.array([0, 2]), np.array([-1]), np.array([True]), np.array([[0]])):
        with pytest.raises(InputError, match="out of range"):
            pi.select(wrong)
    with pytest.raises(InputError, match="no configuration was selected"):
        pi.select(np.array([], dtype=int))


def test_take_keeps_the_cases_asked_for() -> None:
    part = made(Y, S, FOLD, ids=list("abcdef")).take(np.array([5, 0]))
    assert part.target.labels.tolist() == [1, 0]
    assert part.folds.ravel().tolist() == [2, 0]
    np.testing.assert_array_equal(part.responses[:, :, 0], S[[5, 0]])


def test_concat_of_selections_is_the_whole() -> None:
    pi = made(Y, S, FOLD, configs=[{"C": 1}, {"C": 10}])
    assert pi.select("c0").concat(pi.select("c1")).fingerprint == pi.fingerprint
    assert pi.select("c0").concat(pi.select("c1")).configs == pi.configs
    with pytest.raises(InputError, match="not unique"):
        pi.concat(pi)
    with pytest.raises(InputError, match=r"the same threshold \(None\)"):
        pi.select(0).concat(replace(pi.select(1), threshold=0.3))


# ---------------------------------------------------------------- fingerprints


def test_the_fingerprint_changes_with_every_part() -> None:
    base: dict[str, Any] = {"y": Y, "scores": S, "fold": FOLD}
    bumped = S.copy()
    bumped[5, 1] = np.nextafter(bumped[5, 1], 1)
    others: list[dict[str, Any]] = [
        {"scores": bumped},
        {"scores": S.astype(np.float32)},
        {"y": 1 - Y},
        {"y": Y.astype(bool)},
        {"fold": FOLD[::-1]},
        {"fold": np.array(["x", "y", "z"])[FOLD]},
        {"groups": FOLD},
        {"strata": FOLD},
        {"ids": list("abcdef")},
        {"when": True},
        {"configs": ["a", "b"]},
        {"configs": Configs(ids=("c0", "c1"), static=False)},
        {"configs": Configs(ids=("c0", "c1"), complexity=(1.0, 2.0))},
        {"response": "decision"},
        {"threshold": 0.4},
    ]
    prints = [made(**(base | other)).fingerprint for other in [{}, *others]]
    assert len(set(prints)) == len(prints)
    assert made(**base).fingerprint == prints[0]


def test_the_fingerprint_knows_one_kind_of_nan() -> None:
    scores = S.copy()
    scores[FOLD == 1, 0] = np.nan
    other = scores.copy()
    other[FOLD == 1, 0] = -np.float64("nan")  # what 0.0 / 0.0 gives on many machines
    assert scores.tobytes() != other.tobytes()
    assert made(Y, scores, FOLD).fingerprint == made(Y, other, FOLD).fingerprint


def test_the_case_fingerprint_is_about_cases_and_folds_alone() -> None:
    pi = made(Y, S, FOLD)
    assert made(Y, S / 2, FOLD, configs=["a", "b"]).case_fingerprint == pi.case_fingerprint
    assert made(Y, S, FOLD[::-1]).case_fingerprint != pi.case_fingerprint
    assert made(Y, S, FOLD, groups=FOLD).case_fingerprint != pi.case_fingerprint


def test_two_columns_that_sum_to_one_may_be_two_named_configurations() -> None:
    scores = np.column_stack([S[:, 0], 1 - S[:, 0]])
    assert made(Y, scores, configs=["m", "mirror"]).n_configs == 2


def test_the_repr_tells_the_sizes(golden: Golden) -> None:
    text = repr(made(Y, np.stack([S, S], axis=2), np.stack([FOLD, FOLD], axis=1)))
    golden.check(text)


def test_rows_whose_labels_are_in_another_order_are_refused() -> None:
    """Joined by place, shuffled rows would be scored against the outcomes of other cases."""
    y, rng = (
        pd.Series(np.tile([0, 1], 10), index=list("abcdefghijklmnopqrst")),
        np.random.default_rng(0),
    )
    scores = pd.DataFrame(rng.random((20, 2)), columns=["svm", "tree"], index=y.index)
    fold = pd.Series(np.arange(20) % 5, index=y.index)
    made = Predictions.from_arrays(y, scores, fold, groups=y)
    assert made.configs.ids == ("svm", "tree")
    given = {"y": y, "scores": scores, "fold": fold, "groups": fold}
    for name in ("scores", "fold", "groups"):
        with pytest.raises(InputError, match=f"`{name}` have the same labels"):
            Predictions.from_arrays(**{**given, name: given[name].iloc[::-1]})
    other = scores.iloc[::-1]
    assert Predictions.from_arrays(y, other.to_numpy(), fold).n_cases == 20  # as said
    assert Predictions.from_arrays(y, other.reset_index(drop=True), fold).n_cases == 20


def test_a_sparse_matrix_says_how_it_is_passed() -> None:
    from scipy import sparse

    with pytest.raises(InputError, match="toarray"):
        Predictions.from_arrays([0, 1], sparse.csr_matrix([[0.1], [0.2]]))


@pytest.mark.parametrize("kind", ["datetime64[ns]", "timedelta64[ns]"])
def test_an_outcome_of_dates_is_called_that(kind: str, golden: Golden) -> None:
    with pytest.raises(InputError) as refusal:
        Predictions.from_arrays(np.array([0, 1], dtype=kind), [0.1, 0.2])
    golden.check(str(refusal.value))


def test_regressions_whose_squares_overflow_are_refused(golden: Golden) -> None:
    """A diverged configuration had an explained variance of 1, and won."""
    rng = np.random.default_rng(0)
    y, fold = rng.standard_normal(40), np.arange(40) % 4
    values = y[:, None] + rng.standard_normal((40, 3))
    values[::2, 2], values[1::2, 2] = 1e160, -1e160
    with pytest.raises(InputError) as refusal:
        Predictions.from_arrays(y, values, fold, task="regression")
    golden.check(str(refusal.value))
    with pytest.raises(InputError) as refusal:
        Predictions.from_arrays(y * 1e160, values[:, :2] * 1e160, fold, task="regression")
    golden.check(str(refusal.value))
    values[:, 2] *= 1e-90
    made = Predictions.from_arrays(y, values, fold, task="regression")
    for metric in ("explained_variance", "r2", "rmse", "mae", "pearson"):
        assert en.estimate(made, metric=metric, rng=0, n_resamples=30).winner != "c2"
    scores = np.array([[1e300], [-1e300]] * 2)  # ranks need no squares
    assert Predictions.from_arrays([1, 0] * 2, scores, response="decision").n_cases == 4
