"""Tables as R, SAS and other tools write them are read, or refused with the cure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import earnest as en
from earnest.errors import EarnestError, InputError, MetricError
from tests.snapshots import Golden

N = 60
Y = np.tile(["case", "control", "control"], N // 3)
RNG = np.random.default_rng(0)
P = 1 / (1 + np.exp(-((Y == "case") + RNG.standard_normal((3, N)))))  # three models
FOLD = np.arange(N) % 5


def read(table: pd.DataFrame, **options: Any) -> en.Predictions:
    return en.Predictions.from_frame(table, **{"positive": "case"} | options)


def caret(repeats: int = 1) -> pd.DataFrame:
    """What caret keeps with savePredictions: one row per case, hyper-parameter and resample."""
    parts = []
    for repeat in range(repeats):
        for mtry, p in zip((2, 4, 8), P, strict=True):
            fold = np.roll(FOLD, repeat) + 1
            names = [f"Fold{f}.Rep{repeat + 1}" if repeats > 1 else f"Fold{f}" for f in fold]
            parts.append(
                pd.DataFrame(
                    {
                        "pred": np.where(p > 0.5, "case", "control"),
                        "obs": Y,
                        "case": p.round(4),
                        "control": (1 - p).round(4),
                        "rowIndex": np.arange(N) + 1,
                        "mtry": mtry,
                        "splitrule": "gini",
                        "Resample": names,
                    }
                )
            )
    return pd.concat(parts)


CARET = {"target": "obs", "fold": "Resample", "id": "rowIndex"}


# ---------------------------------------------------------------- classes in the names


@pytest.mark.parametrize(
    "names", [("case", "control"), (".pred_case", ".pred_control"), ("P case", "P control")]
)
def test_columns_named_by_both_classes_are_one_model(names: tuple[str, str]) -> None:
    table = pd.DataFrame({"y": Y, "fold": FOLD, names[0]: P[0], names[1]: 1 - P[0]})
    pi = read(table)
    assert pi.configs.ids == ("model",)
    assert pi.kind == "probability"
    np.testing.assert_array_equal(pi.responses[:, 0, 0], P[0])
    other = read(table, positive="control")
    np.testing.assert_array_equal(other.responses[:, 0, 0], 1 - P[0])


def test_every_model_has_its_columns_whether_the_class_ends_or_begins_the_name() -> None:
    for pattern in ("{model}_{label}", "{label}.{model}"):
        table = pd.DataFrame({"y": Y, "fold": FOLD})
        for model, p in zip(("rf", "svm"), P[:2], strict=True):
            table[pattern.format(model=model, label="case")] = p
            table[pattern.format(model=model, label="control")] = 1 - p
        pi = read(table)
        assert pi.configs.ids == ("rf", "svm")
        np.testing.assert_array_equal(pi.responses[:, :, 0], P[:2].T)


def test_labels_beside_the_probabilities_of_every_class_are_left_out() -> None:
    classes = np.array(["ape", "bee", "cat"])
    y = np.tile(classes, N // 3)
    p = np.random.default_rng(1).dirichlet([1, 1, 1], N)
    table = pd.DataFrame(p, columns=[f".pred_{c}" for c in classes])
    table = table.assign(truth=y, fold=FOLD, **{".pred_class": classes[p.argmax(axis=1)]})
    pi = read(table, target="truth", positive=None)
    assert (pi.configs.ids, pi.target.classes) == (("model",), tuple(classes))
    np.testing.assert_array_equal(pi.responses[:, 0, 0], p)


def test_numbers_as_classes_are_read_as_r_names_them() -> None:
    y = (Y == "case").astype(int)
    table = pd.DataFrame({"y": y, "fold": FOLD, "X0": 1 - P[0], "X1": P[0]})
    np.testing.assert_array_equal(read(table, positive=None).responses[:, 0, 0], P[0])


def test_names_that_end_like_a_class_and_do_not_add_up_are_configurations() -> None:
    table = pd.DataFrame({"y": Y, "fold": FOLD, "showcase": P[0], "base_control": P[1]})
    assert read(table).configs.ids == ("showcase", "base_control")
    y = (Y == "case").astype(int)
    depth = pd.DataFrame({"y": y, "fold": FOLD, "depth_0": P[0], "depth_1": P[1]})
    assert read(depth, positive=None).configs.ids == ("depth_0", "depth_1")


def test_two_columns_that_add_up_to_one_are_not_two_configurations(golden: Golden) -> None:
    table = pd.DataFrame({"y": Y, "fold": FOLD, "p1": P[0], "p2": 1 - P[0]})
    with pytest.raises(InputError) as refusal:
        read(table)
    golden.check(str(refusal.value))
    assert "configs='p2'" in str(refusal.value)
    assert read(table, configs="p1").configs.ids == ("p1",)
    assert read(table, configs=["p1", "p2"]).configs.ids == ("p1", "p2")


# ---------------------------------------------------------------- cases and their names


@pytest.mark.parametrize("name", ["pid", "nr", "USUBJID"])
def test_a_column_that_counts_the_rows_is_no_configuration(name: str, golden: Golden) -> None:
    table = pd.DataFrame({name: np.arange(N) + 1000, "y": Y, "fold": FOLD, "rf": P[0], "gam": P[1]})
    with pytest.raises(InputError) as refusal:
        read(table)
    golden.check(str(refusal.value))
    assert f"id='{name}'" in str(refusal.value)
    assert read(table, id=name).configs.ids == ("rf", "gam")


def test_whole_numbers_that_do_not_count_may_be_predictions() -> None:
    y = np.arange(N) * 1.5 + 0.25
    counts = np.random.default_rng(0).permutation(N)
    table = pd.DataFrame({"y": y, "fold": FOLD, "a": counts, "b": y.round()})
    assert read(table, positive=None).configs.ids == ("a", "b")


# ---------------------------------------------------------------- long tables of other tools


def test_a_table_of_caret_is_read_by_the_names_of_its_columns() -> None:
    pi = read(caret(), model="mtry", **CARET)
    assert pi.configs.ids == ("mtry=2", "mtry=4", "mtry=8")
    assert (pi.n_cases, pi.kind) == (N, "probability")
    np.testing.assert_array_equal(pi.responses[:, :, 0], P.T.round(4))
    assert read(caret(), model="mtry", prediction="pred", **CARET).kind == "label"


def test_several_hyper_parameters_name_a_configuration() -> None:
    pi = read(caret(), model=["mtry", "splitrule"], **CARET)
    assert pi.configs.ids[0] == "mtry=2, splitrule=gini"
    np.testing.assert_array_equal(pi.responses[:, :, 0], P.T.round(4))


def test_folds_named_with_their_repeat_are_both() -> None:
    pi = read(caret(repeats=3), model="mtry", **CARET)
    assert (pi.n_repeats, pi.n_folds) == (3, 5)
    assert pi.fold_names[2] == ("Fold1", "Fold2", "Fold3", "Fold4", "Fold5")
    np.testing.assert_array_equal(pi.folds[:, 1], np.roll(FOLD, 1))


def test_other_names_of_folds_are_names() -> None:
    table = pd.DataFrame({"y": Y, "fold": [f"rep{f}" for f in FOLD], "rf": P[0]})
    assert read(table).n_repeats == 1
    one = table.assign(fold=[f"Fold{f}.Rep1" for f in FOLD])
    assert read(one).n_repeats == 1


def test_parts_of_a_long_table_are_refused_of_a_wide_one(golden: Golden) -> None:
    table = pd.DataFrame({"y": Y, "fold": FOLD, "rf": P[0]})
    with pytest.raises(InputError) as refusal:
        read(table, prediction="rf")
    golden.check(str(refusal.value))
    with pytest.raises(InputError) as refusal:
        read(table, model="rf", format="wide")
    golden.check(str(refusal.value))


# ---------------------------------------------------------------- one message tells all


def test_a_missing_outcome_is_looked_for_under_its_usual_names_with_the_folds() -> None:
    table = pd.DataFrame({"obs": Y, "Resample": FOLD, "rf": P[0]})
    with pytest.raises(InputError) as refusal:
        read(table)
    assert "Did you mean 'obs'?" in str(refusal.value)
    assert "pass fold='Resample'" in str(refusal.value)


def test_survival_is_told_how_to_name_its_columns_and_events(golden: Golden) -> None:
    table = pd.DataFrame({"time": 1.0 + FOLD, "status": FOLD % 2 + 1, "fold": FOLD, "cox": P[0]})
    with pytest.raises(InputError) as refusal:
        read(table, positive=None)
    golden.check(str(refusal.value))
    with pytest.raises(InputError, match="Subtract 1"):
        read(table, positive=None, time="time", event="status")


# ---------------------------------------------------------------- percentages


def test_percentages_are_told_wherever_they_matter(golden: Golden) -> None:
    y = (Y == "case").astype(int)
    pi = en.Predictions.from_arrays(y, 100 * P.T, FOLD)
    found = en.estimate(pi, metric="accuracy", rng=0, n_resamples=50)
    told = next(caution for caution in found.cautions if caution.code == "EN058")
    golden.check(told.what)
    assert "divide them by 100" in told.cure
    for call, kind in (
        (lambda: en.estimate(pi, metric="brier"), MetricError),
        (lambda: en.Predictions.from_arrays(y, 100 * P.T, response="probability"), InputError),
    ):
        with pytest.raises(EarnestError, match="divide them by 100") as refusal:
            call()
        assert refusal.type is kind
    cut = en.Predictions.from_arrays(y, 100 * P.T, FOLD, threshold=50)
    assert "EN058" not in {c.code for c in en.estimate(cut, metric="accuracy", rng=0).cautions}
    assert "EN058" not in {c.code for c in en.estimate(pi, metric="roc_auc", rng=0).cautions}


def test_a_model_that_calls_nobody_positive_is_told(golden: Golden) -> None:
    y = (Y == "case").astype(int)
    pi = en.Predictions.from_arrays(y, P[0] / 2, FOLD)
    found = en.estimate(pi, metric="sensitivity", rng=0, n_resamples=50)
    told = next(caution for caution in found.cautions if caution.code == "EN058")
    golden.check(told.what)
    golden.check(told.consequence)


def test_names_of_patients_and_classes_are_told_where_they_belong(golden: Golden) -> None:
    ids = [f"P{i}" for i in range(N)]
    table = pd.DataFrame({"who": ids, "y": Y, "fold": FOLD, "rf": P[0]})
    with pytest.raises(InputError) as refusal:
        read(table)
    golden.check(str(refusal.value))
    visits = table.assign(who=np.repeat(ids[: N // 2], 2)).rename(columns={"who": "patient"})
    with pytest.raises(InputError) as refusal:
        read(visits)
    golden.check(str(refusal.value))
    with pytest.raises(InputError, match=r"Did you mean 'case'\?"):
        read(table, id="who", positive="Case")


@pytest.mark.parametrize(
    ("name", "cure"), [("x.rds", "write.csv"), ("x.sas7bdat", "Export it"), ("x.xls", "or CSV")]
)
def test_files_of_other_programs_are_told_how_to_become_tables(
    name: str, cure: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(EarnestError, match=cure):
        en.Predictions.load(tmp_path / name)


def test_a_part_that_stands_in_the_index_of_pandas_is_not_lost() -> None:
    table = pd.DataFrame({"y": Y, "fold": FOLD, "group": np.arange(N) // 2, "rf": P[0]})
    wanted = read(table)
    for index in ("group", ["group"], ["fold", "group"]):
        found = read(table.set_index(index))
        assert found.target.groups is not None
        np.testing.assert_array_equal(found.target.groups, wanted.target.groups)
        assert (found.n_folds, found.configs.ids) == (5, ("rf",))
    said = read(table.rename(columns={"group": "site"}).set_index("site"), group="site")
    np.testing.assert_array_equal(said.target.groups, wanted.target.groups)
    other = table.assign(name="x").set_index("name")
    assert read(other).configs.ids == ("rf",)


# ---- found by trying to break it

MANY = np.arange(60) % 12
SHARES = np.random.default_rng(5).dirichlet(np.full(12, 0.3), 60)  # any seed
SHUFFLED = [10, 2, 0, 11, 7, 1, 3, 9, 4, 8, 5, 6]


def _many(form: str) -> pd.DataFrame:
    """The same probabilities of twelve classes, their columns in no order."""
    table = pd.DataFrame({"y": MANY, "fold": np.arange(60) // 12})
    if form == "proba_{}":
        table = table.assign(row_id=range(60), config_id="svm").rename(columns={"y": "y_true"})
    return table.assign(**{form.format(k): SHARES[:, k] for k in SHUFFLED})


@pytest.mark.parametrize("form", ["p_{}", "{}", "X{}", "svm_{}", "svm:{}", "proba_{}"])
def test_numbers_that_are_classes_count_upward_whatever_the_columns_are_called(form: str) -> None:
    pi = en.Predictions.from_frame(_many(form))
    assert pi.target.classes == tuple(range(12))
    np.testing.assert_array_equal(pi.responses[:, 0, 0], SHARES)
    straight = en.Predictions.from_arrays(MANY, SHARES[:, None, None], np.arange(60) // 12)
    asked = {"metric": "quadratic_kappa", "method": "naive", "rng": 0}
    assert en.estimate(pi, **asked).value == en.estimate(straight, **asked).value


def test_classes_in_words_stand_as_their_columns_stand() -> None:
    y = ["low", "mid", "high"] * 4
    table = pd.DataFrame({"y": y, "fold": 0})
    table = table.assign(**{f"svm:{label}": 1 / 3 for label in ("low", "mid", "high")})
    assert en.Predictions.from_frame(table).target.classes == ("low", "mid", "high")


def _long(**more: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "row_id": [0, 1, 2, 3] * 2,
            "model": ["svm"] * 4 + ["rf"] * 4,
            "y_true": [0, 1] * 4,
            "pred": [0.1, 0.8, 0.4, 0.9, 0.3, 0.6, 0.2, 0.7],
        }
    ).assign(**more)


@pytest.mark.parametrize(
    ("model", "prediction", "words"),
    [
        ([], "pred", "`model` is empty"),
        (["model", "model"], "pred", "column 'model' has two roles"),
        ("pred", "pred", "column 'pred' has two roles"),
        ("y_true", "pred", "column 'y_true' has two roles"),
        ("model", "row_id", "column 'row_id' has two roles"),
    ],
)
def test_a_column_has_one_part(model: Any, prediction: str, words: str) -> None:
    with pytest.raises(InputError) as raised:
        en.Predictions.from_frame(_long(), model=model, prediction=prediction)
    assert raised.value.what == words


def test_gaps_and_doubles_of_a_long_table_are_told(golden: Golden) -> None:
    said = {"model": "model", "prediction": "pred"}
    with pytest.raises(InputError) as refusal:
        en.Predictions.from_frame(pd.concat([_long(), _long().iloc[:1]]), **said)
    golden.check(str(refusal.value))
    with pytest.raises(InputError, match="partly missing"):
        en.Predictions.from_frame(_long().iloc[:-1], **said)
    with pytest.raises(InputError, match="'model' has missing values"):
        en.Predictions.from_frame(_long(model=[None, *["svm"] * 7]), **said)


@pytest.mark.parametrize("form", ["Fold{}.Rep{}", " fold {} rep {} ", "Fold{}_Repeat{}"])
def test_folds_and_repeats_in_one_name_may_be_spelled_otherwise(form: str) -> None:
    names = [form.format(k // 2 + 1, r + 1) for r in range(2) for k in range(4)]
    table = pd.DataFrame({"row_id": [0, 1, 2, 3] * 2, "y": [0, 1] * 4, "fold": names})
    assert en.Predictions.from_frame(table.assign(svm=0.5)).folds.shape == (4, 2)


@pytest.mark.parametrize("form", ["Rep{1}.Fold{0}", "repeat {1} fold {0}"])
def test_the_repeat_may_come_first(form: str) -> None:
    names = [form.format(k // 2 + 1, r + 1) for r in range(2) for k in range(4)]
    table = pd.DataFrame({"row_id": [0, 1, 2, 3] * 2, "y": [0, 1] * 4, "fold": names})
    pi = en.Predictions.from_frame(table.assign(svm=0.5))
    assert pi.folds.tolist() == [[0, 0], [0, 0], [1, 1], [1, 1]]


def test_names_that_end_like_classes_are_models_unless_they_add_up() -> None:
    scores = {"P_1": [0.1, 0.8, 0.4, 0.9], "P_2": [0.3, 0.6, 0.2, 0.7]}
    table = pd.DataFrame({"y": [1, 2, 1, 2], "fold": 0} | scores)
    assert en.Predictions.from_frame(table, positive=2).configs.ids == ("P_1", "P_2")
    table = table.assign(P_1=[0.7, 0.4, 0.8, 0.3])
    assert en.Predictions.from_frame(table, positive=2).responses.ravel().tolist() == scores["P_2"]


@pytest.mark.parametrize("decimals", [2, 3, 15])
@pytest.mark.parametrize(
    ("y", "form"),
    [
        (np.arange(60) % 3, "p_{}"),
        (np.arange(60) % 3, "class{}"),
        (np.array(["a", "b", "c"] * 20), ".pred_{}"),
    ],
)
def test_probabilities_of_many_classes_may_be_rounded(y: Any, form: str, decimals: int) -> None:
    shares = np.random.default_rng(6).dirichlet(np.ones(3), 60).round(decimals)  # any seed
    columns = {form.format(label): shares[:, k] for k, label in enumerate(np.unique(y))}
    pi = en.Predictions.from_frame(pd.DataFrame({"y": y, "fold": 0} | columns))
    assert (str(pi.target.task), pi.configs.ids) == ("multiclass", ("model",))
    np.testing.assert_array_equal(pi.responses[:, 0, 0], shares)


def test_models_of_numbers_are_not_classes() -> None:
    y = np.arange(60) % 3
    noise = np.random.default_rng(7).standard_normal((60, 3)) / 4  # seed 7: no row adds up
    columns = {f"m_{k}": y + noise[:, k] for k in range(3)}
    pi = en.Predictions.from_frame(pd.DataFrame({"y": y, "fold": 0} | columns))
    assert (str(pi.target.task), pi.configs.ids) == ("regression", ("m_0", "m_1", "m_2"))
