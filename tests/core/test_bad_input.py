"""Every kind of bad input has one clear message, kept in tests/golden/bad_input.json.

The messages are read by people: after a change, look at them as a user would. They are written
anew with `EARNEST_WRITE_GOLDEN=1 pytest tests/core/test_bad_input.py`, and the difference is
reviewed like code.
"""

from __future__ import annotations

import json
import os
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from earnest import Configs, Predictions, Scores
from earnest.errors import EarnestError, FormatError

GOLDEN = Path(__file__).parents[1] / "golden" / "bad_input.json"

NAN, INF, HUGE = np.nan, np.inf, 10**400
Y = np.array([0, 1, 0, 1, 0, 1])
FOLD = np.array([0, 0, 1, 1, 2, 2])
S = np.array([[0.1, 0.3], [0.8, 0.6], [0.2, 0.4], [0.7, 0.2], [0.3, 0.1], [0.9, 0.5]])
CLASSES = np.array(["a", "b", "c"] * 2)
FROM_ARRAYS = Predictions.from_arrays


def with_value(row: int, column: int, value: float) -> np.ndarray:
    scores = S.copy()
    scores[row, column] = value
    return scores


# ---------------------------------------------------------------- arrays

ARRAYS: dict[str, Callable[[], object]] = {
    "scores of another length": lambda: FROM_ARRAYS(Y, S[:5], FOLD),
    "fold of another length": lambda: FROM_ARRAYS(Y, S, FOLD[:5]),
    "groups of another length": lambda: FROM_ARRAYS(Y, S, FOLD, groups=[1, 2]),
    "groups missing": lambda: FROM_ARRAYS(Y, S, FOLD, groups=["a", None, "b", "b", "c", "c"]),
    "groups of dicts": lambda: FROM_ARRAYS(Y, S, FOLD, groups=[{"a": case} for case in range(6)]),
    "strata of lists": lambda: FROM_ARRAYS(
        Y, S, FOLD, strata=np.array([[1], [2, 3], [1], [1], [1], [1]], dtype=object)
    ),
    "cases named by sets": lambda: FROM_ARRAYS(Y, S, FOLD, ids=[{case} for case in range(6)]),
    "scores beyond floats": lambda: FROM_ARRAYS(Y, [0.5, HUGE, 0.1, 0.2, 0.3, 0.4]),
    "outcome beyond floats": lambda: FROM_ARRAYS([0.5, HUGE, 1, 2, 3, 4], S, task="regression"),
    "groups beyond floats": lambda: FROM_ARRAYS(Y, S, FOLD, groups=[0.5, HUGE, 1, 2, 3, 4]),
    "threshold beyond floats": lambda: FROM_ARRAYS(Y, S, FOLD, threshold=HUGE),
    "column beyond floats": lambda: Predictions.from_frame(
        pd.DataFrame({"y": Y, "fold": FOLD, "svm": pd.Series([HUGE] * 6, dtype=object)})
    ),
    "items of dicts": lambda: Scores(S, id=[{"a": case} for case in range(6)]),
    "scores of items beyond floats": lambda: Scores([[HUGE], [1.0]]),
    "groups in two columns": lambda: FROM_ARRAYS(Y, S, FOLD, groups=S),
    "case named twice": lambda: FROM_ARRAYS(Y, S, FOLD, ids=[7, 7, 8, 9, 10, 11]),
    "scores ragged": lambda: FROM_ARRAYS(Y[:2], [[0.1, 0.2], [0.3]]),
    "scores of five dimensions": lambda: FROM_ARRAYS(Y, S.reshape(6, 2, 1, 1, 1)),
    "scores without columns": lambda: FROM_ARRAYS(Y, S[:, :0]),
    "scores infinite": lambda: FROM_ARRAYS(Y, with_value(3, 1, INF), FOLD, configs=["svm", "rf"]),
    "scores partly NaN": lambda: FROM_ARRAYS(Y, with_value(3, 1, NAN), FOLD, configs=["svm", "rf"]),
    "scores NaN in hold-out": lambda: FROM_ARRAYS(Y, with_value(0, 0, NAN)),
    "scores NaN for one class": lambda: FROM_ARRAYS(
        CLASSES, np.where(np.arange(18).reshape(6, 1, 1, 3) == 4, NAN, 1 / 3)
    ),
    "scores as text": lambda: FROM_ARRAYS(Y + 0.5, S.astype(str), FOLD),
    "fold missing for tested cases": lambda: FROM_ARRAYS(Y, S, [0, 0, 1, 1, None, None]),
    "fold missing for all": lambda: FROM_ARRAYS(Y, S, [NAN] * 6),
    "fold without a column per repeat": lambda: FROM_ARRAYS(Y, S[:, :, None].repeat(3, 2), FOLD),
    "y with NaN": lambda: FROM_ARRAYS([0, 1, NAN, 1, 0, 1], S, FOLD),
    "y with NaN among text": lambda: FROM_ARRAYS(["a", "b", NAN, "b", "a", "b"], S, FOLD),
    "y infinite": lambda: FROM_ARRAYS([0.5, INF, 1, 2, 3, 4], S, FOLD),
    "y empty": lambda: FROM_ARRAYS([], []),
    "y a single value": lambda: FROM_ARRAYS(1, [0.5]),
    "y of one class": lambda: FROM_ARRAYS(np.zeros(6, int), S, FOLD),
    "y of mixed types": lambda: FROM_ARRAYS(["a", 1, "a", 1, "a", 1], S, FOLD),
    "y of dates": lambda: FROM_ARRAYS(np.arange(6).astype("M8[D]"), S, FOLD),
    "y multilabel": lambda: FROM_ARRAYS(np.eye(6), S, FOLD),
    "y text for regression": lambda: FROM_ARRAYS(CLASSES, S, FOLD, task="regression"),
    "y of three classes for binary": lambda: FROM_ARRAYS(CLASSES, S, FOLD, task="binary"),
    "positive not clear": lambda: FROM_ARRAYS(["sick", "well"] * 3, S, FOLD),
    "positive unknown": lambda: FROM_ARRAYS(["sick", "well"] * 3, S, FOLD, positive="ill"),
    "positive for many classes": lambda: FROM_ARRAYS(CLASSES, CLASSES[:, None], FOLD, positive="a"),
    "positive for regression": lambda: FROM_ARRAYS(Y + 0.5, S, FOLD, task="regression", positive=1),
    "classes that lack one": lambda: FROM_ARRAYS(CLASSES, CLASSES, FOLD, classes=["a", "b"]),
    "labels unknown": lambda: FROM_ARRAYS(CLASSES, ["a", "b", "x", "a", "b", "c"], FOLD),
    "multiclass with one score": lambda: FROM_ARRAYS(CLASSES, S, FOLD),
    "multiclass with two columns": lambda: FROM_ARRAYS(CLASSES, S[:, :, None, None].repeat(2, 3)),
    "probabilities of one binary model": lambda: FROM_ARRAYS(
        Y, np.column_stack([1 - S[:, 0], S[:, 0]]), FOLD
    ),
    "probabilities of whole numbers": lambda: FROM_ARRAYS([0, 1, 2] * 2, np.full((6, 3), 1 / 3)),
    "probabilities that do not sum to one": lambda: FROM_ARRAYS(
        CLASSES,
        np.full((6, 2, 1, 3), [[[1 / 3]], [[0.3]]]),
        configs=["svm", "tree"],
        response="probability",
    ),
    "scores of complex numbers": lambda: FROM_ARRAYS(Y, S + 0.5j, FOLD),
    "scores of dates": lambda: FROM_ARRAYS(Y, S.astype("M8[D]"), FOLD),
    "fold of -1 for tested cases": lambda: FROM_ARRAYS(Y, S, [0, 0, 1, 1, -1, -1]),
    "fold of -1 for all": lambda: FROM_ARRAYS(Y, S, [-1] * 6),
    "y mostly numbers for regression": lambda: FROM_ARRAYS(
        ["1", "2", "x", "4", "5", "6"], S, FOLD, task="regression"
    ),
    "probabilities above one": lambda: FROM_ARRAYS(Y, 3 * S, FOLD, response="probability"),
    "response unknown": lambda: FROM_ARRAYS(Y, S, FOLD, response="probabilities"),
    "task unknown": lambda: FROM_ARRAYS(Y, S, FOLD, task="classification"),
    "threshold for regression": lambda: FROM_ARRAYS(Y + 0.5, S, task="regression", threshold=1),
    "threshold in percent": lambda: FROM_ARRAYS(Y, S, FOLD, threshold=50),
    "threshold as text": lambda: FROM_ARRAYS(Y, S, FOLD, threshold="high"),
    "repeats that do not divide": lambda: FROM_ARRAYS(Y, np.c_[S, S[:, 0]], FOLD, repeats=2),
    "repeats that disagree": lambda: FROM_ARRAYS(Y, S[:, :, None], FOLD, repeats=2),
    "labels with a class axis": lambda: FROM_ARRAYS(
        CLASSES, np.full((6, 1, 1, 3), 1.0), response="label"
    ),
    "regression with a class axis": lambda: FROM_ARRAYS(
        Y + 0.5, S[:, :, None, None], task="regression"
    ),
    "repeats of zero": lambda: FROM_ARRAYS(Y, S, FOLD, repeats=0),
    "case weights": lambda: FROM_ARRAYS(Y, S, FOLD, sample_weight=Y, weights="often"),
    "configurations named twice": lambda: FROM_ARRAYS(Y, S, FOLD, configs=["svm", "svm"]),
    "configurations of another length": lambda: FROM_ARRAYS(Y, S, FOLD, configs=["svm"]),
    "configurations of two kinds": lambda: FROM_ARRAYS(Y, S, FOLD, configs=["svm", {"C": 1}]),
    "parameters of another length": lambda: Configs(ids=("a", "b"), params=({},)),
    "complexity not finite": lambda: Configs(ids=("a",), complexity=(NAN,)),
    "selection of an unknown one": lambda: FROM_ARRAYS(Y, S, configs=["svm", "tree"]).select("svn"),
    "selection of nothing": lambda: FROM_ARRAYS(Y, S).select([]),
    "selection of one twice": lambda: FROM_ARRAYS(Y, S).select([1, 1]),
    "concat of other cases": lambda: FROM_ARRAYS(Y, S).concat(FROM_ARRAYS(1 - Y, S)),
    "concat of another response": lambda: FROM_ARRAYS(Y, S).concat(FROM_ARRAYS(Y, 2 * S)),
    "survival all censored": lambda: FROM_ARRAYS((Y + 1.5, Y > 1), S[:, 0]),
    "survival times negative": lambda: FROM_ARRAYS((Y - 0.5, Y > 0), S[:, 0]),
    "survival event not clear": lambda: FROM_ARRAYS((Y + 0.5, Y + 2.5), S[:, 0]),
    "survival of three fields": lambda: FROM_ARRAYS(np.zeros(6, dtype="f8,f8,f8"), S),
    "survival without events": lambda: FROM_ARRAYS(Y, S, task="survival"),
}

# ---------------------------------------------------------------- tables

WIDE = {"y": Y, "fold": FOLD, "svm": S[:, 0], "tree": S[:, 1]}
LONG = {
    "row_id": [1, 1, 2, 2],
    "config_id": ["svm", "tree"] * 2,
    "fold": [0, 0, 1, 1],
    "y_true": [0, 0, 1, 1],
    "y_pred": [0.1, 0.2, 0.6, 0.7],
}


def wide(drop: str = "", rename: dict[str, str] | None = None, **columns: Any) -> pd.DataFrame:
    frame = pd.DataFrame(WIDE).assign(**columns).rename(columns=rename or {})
    return frame.drop(columns=[drop] if drop else [])


def long(drop: str = "", **columns: Any) -> pd.DataFrame:
    return pd.DataFrame(LONG | columns).drop(columns=[drop] if drop else [])


def read(frame: Any, **options: Any) -> Predictions:
    return Predictions.from_frame(frame, **options)


def table_twice() -> pa.Table:
    return pa.Table.from_arrays([pa.array(Y), pa.array(FOLD), *map(pa.array, S.T)], list("yfaa"))


def without_polars() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "polars", None)
        return FROM_ARRAYS(Y, S).to_frame(backend="polars")


TABLES: dict[str, Callable[[], object]] = {
    "table that is none": lambda: read({"y": [0, 1]}),
    "table that is lazy": lambda: read(pl.LazyFrame(WIDE)),
    "table without rows": lambda: read(wide().iloc[:0]),
    "table of two equal names": lambda: read(table_twice()),
    "table of names equal as text": lambda: read(
        pd.DataFrame([[0, 1, 0.5, 0.5]], columns=["y", "fold", 1, "1"])
    ),
    "table of a library that is not there": lambda: without_polars(),
    "table of an unknown format": lambda: read(wide(), format="tall"),
    "wide without y": lambda: read(wide(rename={"y": "Y"})),
    "wide without the named target": lambda: read(wide(), target="outcome"),
    "wide without fold": lambda: read(wide(rename={"fold": "folds"})),
    "wide without predictions": lambda: read(wide()[["y", "fold"]]),
    "wide with text": lambda: read(wide(site=["Oslo"] * 6)),
    "wide with a cell of text": lambda: read(wide(svm=["0.1", "0.2", "n/a?", "0.4", None, "1"])),
    "wide with a cell of text in y": lambda: read(
        wide(y=["0.1", "0.2", "0.3", "much", "0.4", "0.5"])
    ),
    "wide with lists": lambda: read(wide(z=[[0.1, 0.9]] * 6)),
    "wide with structs": lambda: read(pl.DataFrame(WIDE).with_columns(z=pl.struct("svm", "tree"))),
    "wide without a class": lambda: read(
        wide(drop="svm", y=CLASSES, rename={"tree": "lr:a"}, **{"lr:b": 0.5})
    ),
    "wide with spaces in names": lambda: read(wide(rename={"y": " y "})),
    "wide that looks long": lambda: read(wide(drop="svm", model="svm", rename={"tree": "pred"})),
    "wide that looks long without fold": lambda: read(
        wide(drop="fold", model="svm", rename={"tree": "pred"})
    ),
    "wide with mixed types": lambda: read(wide(svm=["0.1", 2, 3, 4, 5, 6])),
    "wide with an index": lambda: read(wide(**{"Unnamed: 0": range(6)})),
    "wide with case weights": lambda: read(wide(sample_weight=1.0)),
    "wide with groups by another name": lambda: read(wide(Groups=[1, 1, 2, 2, 3, 3])),
    "wide with labels and numbers": lambda: read(
        wide(y=["a", "b"] * 3, tree=["a", "b"] * 3), positive="a"
    ),
    "wide with unknown configurations": lambda: read(wide(), configs=["svm", "three"]),
    "wide with the outcome as configuration": lambda: read(wide(), configs=["svm", "y"]),
    "wide with no fold at all": lambda: read(wide(fold=None)),
    "wide with repeats but no cases": lambda: read(wide(repeat=[0, 1] * 3)),
    "wide with a case twice": lambda: read(wide(row_id=[1, 2, 3, 4, 5, 1])),
    "wide with a case twice a repeat": lambda: read(wide(repeat=0, row_id=[1, 2, 3, 4, 5, 1])),
    "wide with y that differs": lambda: read(wide(repeat=[0, 1] * 3, row_id=[1, 1, 2, 2, 3, 3])),
    "wide with infinite scores": lambda: read(wide(tree=[0.5, INF, INF, 0, 0, 0])),
    "wide with one score for many classes": lambda: read(wide(y=CLASSES)),
    "wide with events that are none": lambda: read(
        wide(drop="y", time=[1.0] * 6, event=["dead"] * 6)
    ),
    "wide with times that are none": lambda: read(wide(drop="y", time=["x"] * 6, event=Y)),
    "long without configurations": lambda: read(wide(), format="long", id="y"),
    "long without cases": lambda: read(long(drop="row_id")),
    "long without predictions": lambda: read(long(drop="y_pred", y_prob=0.5)),
    "long without y_true": lambda: read(long(drop="y_true")),
    "long with a prediction twice": lambda: read(long(config_id=["svm", "svm", "svm", "tree"])),
    "long with two folds for a case": lambda: read(long(fold=[0, 1, 1, 1])),
    "long with a fold by another name": lambda: read(long(drop="fold", Fold=[0, 0, 1, 1])),
    "long with a fold missing": lambda: read(long(fold=[0, 0, NAN, NAN])),
    "long with y that differs": lambda: read(long(y_true=[0, 1, 1, 1])),
    "long with a group that differs": lambda: read(long(group=["a", "a", "a", "b"])),
    "long with a missing configuration": lambda: read(long(config_id=["a", "b", None, "b"])),
    "long with a cell of text": lambda: read(long(y_pred=["0.1", "much", "0.6", "0.7"])),
    "long without a class": lambda: read(
        long(y_true=["a", "a", "b", "b"], drop="y_pred", proba_c=0.5)
    ),
    "long without the positive class": lambda: read(
        long(drop="y_pred", proba_0=[0.5, 0.1, 0.2, 0.3]), positive=1
    ),
    "long with a gap in y_true": lambda: read(
        long(drop="y_pred", y_true=["a", "a", None, None], proba_a=0.2, proba_b=0.8)
    ),
    "long with an unknown configuration": lambda: read(long(), configs=["svm", "trees"]),
    "long survival with probabilities": lambda: read(
        long(drop="y_true", time=1.0, event=1, proba_1=0.5)
    ),
    "form unknown": lambda: FROM_ARRAYS(Y, S).to_frame(form="tall"),
    "backend unknown": lambda: FROM_ARRAYS(Y, S).to_frame(backend="duckdb"),
    "configuration called y": lambda: FROM_ARRAYS(Y, S, configs=["x", "y"]).to_frame(),
}

# ---------------------------------------------------------------- files


def load(path: Path, **options: Any) -> Predictions:
    return Predictions.load(path, **options)


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def arrays(path: Path, **members: Any) -> Path:
    np.savez(path, **members)
    return path


def saved(folder: Path, suffix: str) -> Path:
    return FROM_ARRAYS(Y, S, FOLD, configs=["svm", "tree"]).save(folder / f"pi.{suffix}")


def newer(folder: Path) -> Path:
    path = saved(folder, "csv")
    return written(path, path.read_text().replace("earnest/predictions/1", "earnest/predictions/2"))


def estimate_parquet(folder: Path) -> Path:
    schema = pa.schema([("a", pa.int64())], {b"earnest": b'{"schema": "earnest/estimate/1"}'})
    pq.write_table(pa.table({"a": [1]}, schema=schema), folder / "e.parquet")
    return folder / "e.parquet"


def reordered(folder: Path) -> Path:
    path = saved(folder, "parquet")
    table = pq.read_table(path)
    pq.write_table(table.take([1, 0, 2, 3, 4, 5]), path)
    return path


def shortened(folder: Path) -> Path:
    path = saved(folder, "parquet")
    pq.write_table(pq.read_table(path).slice(1), path)
    return path


def requoted(folder: Path) -> Path:
    path = saved(folder, "csv")
    first, _, rest = path.read_text().partition("\n")
    return written(path, '"' + first.replace('"', '""') + '"\n' + rest)


def pickled(folder: Path) -> Path:
    return arrays(folder / "p.npz", y=np.array([{}, 1], dtype=object), scores=S)


def compressed(folder: Path) -> Path:
    np.savez_compressed(folder / "c.npz", y=Y, scores=S)
    return folder / "c.npz"


def lacking(folder: Path) -> Path:
    path = saved(folder, "npz")
    with zipfile.ZipFile(path) as archive:
        kept = {i: archive.read(i) for i in archive.namelist() if i != "folds.npy"}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in kept.items():
            archive.writestr(name, content)
    return path


def broken_link(folder: Path) -> Path:
    (folder / "pi.csv").symlink_to("gone.csv")
    return folder / "pi.csv"


def spreadsheet(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "x.csv", "w") as archive:
        archive.writestr("[Content_Types].xml", "")
    return folder / "x.csv"


def foreign_parquet(folder: Path) -> Path:
    pq.write_table(pa.table({"y": Y}), folder / "x.parquet")
    return folder / "x.parquet"


FILES: dict[str, Callable[[Path], object]] = {
    "file that is not there": lambda d: load(saved(d, "csv").with_name("po.csv")),
    "file that is a link to nothing": lambda d: load(broken_link(d)),
    "file that is a folder": lambda d: load(d),
    "file of an unknown suffix": lambda d: load(written(d / "pi.doc", "y,fold,a\n")),
    "file of a spreadsheet": lambda d: load(written(d / "pi.xlsx", "PK")),
    "file without a suffix": lambda d: load(written(d / "pi", "")),
    "CSV that is empty": lambda d: load(written(d / "pi.csv", "")),
    "CSV without rows": lambda d: load(written(d / "pi.csv", "y,fold,a\n")),
    "CSV that is no text": lambda d: load(written(d / "pi.csv", b"y,fold,a\n\x81\x8d,1,0.5\n")),
    "CSV with names that are no text": lambda d: load(
        written(d / "pi.csv", b"\x81\x8d,fold,a\n0,1,0.5\n")
    ),
    "CSV with a title": lambda d: load(
        written(d / "pi.csv", "Trial 7\ny,fold,a\n0,1,0.5\n1,1,0.6\n")
    ),
    "CSV without names": lambda d: load(written(d / "pi.csv", "0,1,0.5\n1,1,0.6\n0,2,0.7\n")),
    "CSV of single spaces": lambda d: load(written(d / "pi.csv", "y fold a\n0 1 0.5\n1 1 0.6\n")),
    "CSV with several columns without a name": lambda d: load(
        written(d / "pi.csv", "y,,\n0,1,0.5\n1,1,0.6\n")
    ),
    "CSV of another delimiter than said": lambda d: load(
        written(d / "pi.csv", "y,fold,a\n0,1,0.5\n"), delimiter=";"
    ),
    "CSV with points and commas": lambda d: load(
        written(d / "pi.csv", "y;fold;a\n0;1;0,5\n1;1;0.25\n0;1;0.3\n")
    ),
    "CSV with commas that may be two things": lambda d: load(
        written(d / "pi.csv", 'y,fold,a\n0,1,"12,573"\n1,1,"1,250"\n')
    ),
    "CSV with a mark of thousands that is none": lambda d: load(
        written(d / "pi.csv", "y,fold,a\n0,1,12\n"), thousands=";"
    ),
    "CSV with a bad decimal mark": lambda d: load(written(d / "pi.csv", "y,a\n"), decimal="'"),
    "CSV with an outcome of huge numbers": lambda d: load(
        written(d / "pi.csv", f"y,fold,a\n{'9' * 23},1,0.5\n{'9' * 23},1,0.2\n")
    ),
    "CSV with an unknown option": lambda d: load(written(d / "pi.csv", "y,a\n"), foldd="f"),
    "CSV with an option of arrays": lambda d: load(written(d / "pi.csv", "y,a\n"), y="y"),
    "CSV that is Parquet": lambda d: load(written(d / "x.csv", saved(d, "parquet").read_bytes())),
    "CSV that is Arrow": lambda d: load(written(d / "x.csv", saved(d, "arrow").read_bytes())),
    "CSV that is compressed": lambda d: load(written(d / "x.csv", saved(d, "csv.gz").read_bytes())),
    "CSV that is NPZ": lambda d: load(written(d / "x.csv", saved(d, "npz").read_bytes())),
    "CSV that is a spreadsheet": lambda d: load(spreadsheet(d)),
    "Parquet with a delimiter": lambda d: load(foreign_parquet(d), delimiter=";"),
    "CSV with rows of unlike length": lambda d: load(
        written(d / "pi.csv", "y,fold,a\n0,1,0.5\n1,1\n")
    ),
    "CSV with a column twice": lambda d: load(written(d / "pi.csv", "y,fold,a,a\n0,1,0.5,0.6\n")),
    "CSV with an index": lambda d: load(written(d / "pi.csv", ",y,fold,a\n4,1,1,0.5\n4,0,1,0.6\n")),
    "CSV with a bad delimiter": lambda d: load(written(d / "pi.csv", "y,a\n"), delimiter=", "),
    "CSV that a spreadsheet saved": lambda d: load(requoted(d)),
    "CSV of a newer schema": lambda d: load(newer(d)),
    "CSV that was cut": lambda d: load(
        written(d / "pi.csv", saved(d, "csv").read_text().rsplit("\n", 2)[0] + "\n")
    ),
    "CSV with another number": lambda d: load(
        written(d / "pi.csv", saved(d, "csv").read_text().replace("0.7", "0.75"))
    ),
    "CSV with a torn header": lambda d: load(written(d / "pi.csv", "# earnest/predictions/1 {\n")),
    "CSV with a row too many": lambda d: load(
        written(d / "pi.csv", saved(d, "csv").read_text() + "0,0,0.1,0.2\n")
    ),
    "CSV with another class": lambda d: load(
        written(d / "pi.csv", saved(d, "csv").read_text().replace("\n1,", "\n2,"))
    ),
    "CSV with a gap in y": lambda d: load(
        written(d / "pi.csv", saved(d, "csv").read_text().replace("\n1,", "\n,"))
    ),
    "CSV with another fold": lambda d: load(
        written(d / "pi.csv", saved(d, "csv").read_text().replace("1,2,", "1,5,"))
    ),
    "CSV compressed but cut": lambda d: load(
        written(d / "pi.csv.gz", saved(d, "csv.gz").read_bytes()[:-20])
    ),
    "Parquet that is none": lambda d: load(written(d / "pi.parquet", b"PAR1 no")),
    "Parquet of something else": lambda d: load(estimate_parquet(d)),
    "Parquet in another order": lambda d: load(reordered(d)),
    "Parquet that lacks a row": lambda d: load(shortened(d)),
    "Arrow that is none": lambda d: load(written(d / "pi.arrow", b"ARROW1 no, it is not")),
    "NPZ that is none": lambda d: load(written(d / "pi.npz", b"PK no")),
    "NPZ that was cut": lambda d: load(written(d / "pi.npz", saved(d, "npz").read_bytes()[:-200])),
    "NPZ with pickles": lambda d: load(pickled(d)),
    "NPZ without scores": lambda d: load(arrays(d / "x.npz", y=Y, score=S)),
    "NPZ with unknown arrays": lambda d: load(arrays(d / "x.npz", y=Y, scores=S, folds=FOLD)),
    "NPZ without an outcome": lambda d: load(arrays(d / "x.npz", scores=S)),
    "NPZ with a format": lambda d: load(arrays(d / "x.npz", y=Y, scores=S), format="long"),
    "NPZ with a column of repeats": lambda d: load(arrays(d / "x.npz", y=Y, scores=S), repeat="r"),
    "NPZ with a column of times": lambda d: load(arrays(d / "x.npz", y=Y, scores=S), time="t"),
    "NPZ with an unknown target": lambda d: load(arrays(d / "x.npz", y=Y, scores=S), target="z"),
    "NPZ that lacks an array": lambda d: load(lacking(d)),
    "NPZ compressed but to be mapped": lambda d: load(compressed(d), mmap=True),
    "NPY without an outcome": lambda d: load(written(d / "s.npy", b"")),
    "NPY that is empty": lambda d: load(written(d / "s.npy", b""), y=Y),
    "CSV to be mapped": lambda d: load(saved(d, "csv"), mmap=True),
    "own file with other options": lambda d: load(saved(d, "parquet"), target="z", positive=0),
    "own file with an unknown configuration": lambda d: load(saved(d, "npz"), configs=["svn"]),
    "save to an unknown suffix": lambda d: FROM_ARRAYS(Y, S).save(d / "pi.pkl"),
    "save to no folder": lambda d: FROM_ARRAYS(Y, S).save(d / "none" / "pi.csv"),
    "save to a folder": lambda d: (
        (d / "pi.csv").mkdir(),
        FROM_ARRAYS(Y, S).save(d / "pi.csv"),
    ),
}


def message(call: Callable[[Path], object], folder: Path) -> str:
    """Return the message of what a call raises, without what differs from machine to machine."""
    with pytest.raises(EarnestError) as caught:
        call(folder)
    text = str(caught.value).replace(str(folder), "<folder>")
    text = re.sub(r"\b[0-9a-f]{32}\b", "<hash>", text)
    if isinstance(caught.value, FormatError) and caught.value.__cause__ is not None:
        reason = str(caught.value.__cause__).strip().splitlines()
        for line in filter(None, reason[:1]):  # the words of another library
            text = text.replace(line, "<reason>")
    return f"{type(caught.value).__name__}: {text}"


KINDS: dict[str, Callable[[Path], object]] = {
    **{name: (lambda _, call=call: call()) for name, call in (ARRAYS | TABLES).items()},
    **FILES,
}


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    if os.environ.get("EARNEST_WRITE_GOLDEN") == "1":
        texts = {}
        for kind, call in KINDS.items():
            folder = tmp_path_factory.mktemp("golden")
            texts[kind] = message(call, folder)
        GOLDEN.write_text(json.dumps(texts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return dict(json.loads(GOLDEN.read_text(encoding="utf-8")))


@pytest.mark.parametrize("kind", KINDS)
def test_bad_input_has_its_message(kind: str, golden: dict[str, str], tmp_path: Path) -> None:
    assert message(KINDS[kind], tmp_path) == golden[kind]


def test_the_golden_file_holds_these_kinds_and_no_others(golden: dict[str, str]) -> None:
    assert list(golden) == list(KINDS)
    assert len(KINDS) >= 25


def test_no_message_expects_what_its_first_sentence_has_said(golden: dict[str, str]) -> None:
    words = "a an the of or and to in is are for with each one"
    small = set(re.findall(r"[a-z]+", words))
    for kind, text in golden.items():
        what, _, rest = text.partition(". Expected ")
        needs = set(re.findall(r"[a-z]+", rest.partition(", got ")[0].lower())) - small
        assert not needs or needs - set(re.findall(r"[a-z]+", what.lower())), (kind, text)
