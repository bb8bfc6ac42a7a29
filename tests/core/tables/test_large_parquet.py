"""Large Parquet files: read by columns, mapped, exact, and in little memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from earnest import Predictions
from earnest.core.base.arrays import is_mapped
from earnest.core.tables import files as formats
from earnest.core.tables.formats import parquet
from earnest.errors import InputError

N, FOLDS = 60, np.arange(60) // 2 % 3


def some(kind: str) -> Predictions:
    """Predictions with a configuration that lacks a fold; seed 5."""
    rng = np.random.default_rng(5)
    y: Any = np.arange(N) % 2
    if kind == "labels":
        words = np.array(["no", "yes"])
        scores: Any = words[rng.integers(0, 2, (N, 3))]
        return Predictions.from_arrays(words[y], scores, FOLDS, positive="yes")
    shape = {"one repeat": (N, 4, 1), "float32": (N, 4, 1), "repeats": (N, 3, 2)}.get(kind)
    scores = rng.random(shape or (N, 2, 2, 3))
    if shape is None:
        y, scores = np.arange(N) % 3, scores / scores.sum(axis=-1, keepdims=True)
    scores[FOLDS == 1, 1] = np.nan
    scores = scores.astype(np.float32) if kind == "float32" else scores
    folds = np.stack([FOLDS] * scores.shape[2], axis=1)
    return Predictions.from_arrays(y, scores, folds, ids=np.arange(N) + 100)


KINDS = ("one repeat", "float32", "repeats", "classes", "labels")


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_earnest_comes_back_mapped_and_exact(kind: str, tmp_path: Path) -> None:
    pi = some(kind)
    back = Predictions.load(pi.save(tmp_path / "pi.parquet"), mmap=True)
    assert is_mapped(back.responses)
    assert back.responses.dtype == pi.responses.dtype
    assert back.fingerprint == pi.fingerprint


@pytest.mark.parametrize("group", [7, 1000])
@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_others_is_read_by_columns_as_it_is_read_whole(
    kind: str, group: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(some(kind).to_frame(), tmp_path / "t.parquet", row_group_size=group)
    options = {"positive": "yes"} if kind == "labels" else {}
    whole = Predictions.load(tmp_path / "t.parquet", mmap=False, **options)
    monkeypatch.setattr(parquet, "BATCH", 3 * N)  # blocks of three columns, not of one
    mapped = Predictions.load(tmp_path / "t.parquet", mmap=True, **options)
    assert mapped.fingerprint == whole.fingerprint
    assert is_mapped(mapped.responses) or kind == "labels"  # labels become codes in memory


def test_the_size_decides_unless_the_user_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = some("one repeat").save(tmp_path / "pi.parquet")
    assert not is_mapped(Predictions.load(path).responses)
    monkeypatch.setattr(parquet, "LARGE", 64)
    assert is_mapped(Predictions.load(path).responses)
    assert not is_mapped(Predictions.load(path, mmap=False).responses)


def test_the_index_of_pandas_and_odd_names_are_read_the_same(tmp_path: Path) -> None:
    frame = some("one repeat").to_frame(backend="pandas").set_index("row_id")
    frame.columns = ["y", "fold", "a", "a.b", "a.b.c", "é"]
    frame.to_parquet(tmp_path / "t.parquet")
    whole = Predictions.load(tmp_path / "t.parquet")
    mapped = Predictions.load(tmp_path / "t.parquet", mmap=True)
    assert mapped.configs.ids == ("a", "a.b", "a.b.c", "é")
    assert mapped.fingerprint == whole.fingerprint


def test_dictionaries_are_read(tmp_path: Path) -> None:
    table = some("labels").to_frame()
    coded = [column.dictionary_encode() for column in table.columns]
    pq.write_table(pa.table(coded, names=table.column_names), tmp_path / "t.parquet")
    mapped = Predictions.load(tmp_path / "t.parquet", mmap=True, positive="yes")
    assert mapped.fingerprint == some("labels").fingerprint


def test_what_is_wrong_is_told_as_of_small_files(tmp_path: Path) -> None:
    for name, columns in {
        "no outcome": {"fold": [0, 1], "a": [0.1, 0.2]},
        "data": {"y": [0, 1], "mass": [70.5, 80], "age": [40, 60], "pulse": [99, 95]},
        "no rows": {"y": pa.array([], pa.int64()), "a": pa.array([], pa.float64())},
    }.items():
        pq.write_table(pa.table(columns), tmp_path / "t.parquet")
        messages = []
        for mmap in (False, True):
            with pytest.raises(InputError) as caught:
                formats.load(tmp_path / "t.parquet", mmap=mmap)
            messages.append(str(caught.value))
        assert messages[0] == messages[1], name


# Peaks of what NumPy and Arrow have allocated while a file is read. Both libraries count their own
# memory; pages of the mapped matrix are the system's, which takes them back when it needs them.
MEASURED = """
import json, sys, tracemalloc
import pyarrow as pa
from earnest.core.data.predictions import Predictions
from earnest.core.tables import columns
from earnest.core.tables.formats import parquet
parquet.BATCH //= 8  # and everything with it, so that a small file shows the same
parquet.LARGE = columns.LARGE // 8
Predictions.load(sys.argv[2])
before = pa.default_memory_pool().max_memory()
tracemalloc.start()
pi = Predictions.load(sys.argv[1])
peak = tracemalloc.get_traced_memory()[1] + pa.default_memory_pool().max_memory() - before
print(json.dumps({"peak": peak, "matrix": pi.responses.nbytes}))
"""


@pytest.mark.parametrize("own", [True, False])
def test_memory_is_below_that_of_the_matrix(own: bool, tmp_path: Path) -> None:
    # 12,000 cases, 500 configurations: 48 MB. Blocks of 4 MB, an eighth of the usual, are in
    # memory, a few at a time, whatever the size; read whole, it took three times the matrix.
    rng = np.random.default_rng(0)
    y, fold = np.arange(12_000) % 2, np.arange(12_000) // 2 % 5
    path = tmp_path / "pi.parquet"
    if own:
        Predictions.from_arrays(y, rng.random((12_000, 500)), fold).save(path)
    else:
        scores = {f"c{place}": rng.random(12_000) for place in range(500)}
        table = pa.table({"y": y, "fold": fold, **scores})
        pq.write_table(table, path, use_dictionary=False, compression="none")
    small = some("one repeat").save(tmp_path / "small.parquet")
    source = Path(formats.__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(path), str(small)],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["matrix"] == 12_000 * 500 * 8
    assert found["peak"] < found["matrix"]
