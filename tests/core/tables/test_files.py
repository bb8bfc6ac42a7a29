from __future__ import annotations

import errno
import gzip
import json
import os
import stat
import subprocess
import sys
import tempfile
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from earnest import Predictions, Scores, estimate
from earnest.core.tables import files as formats
from earnest.core.tables.formats import npz
from earnest.core.tables.formats.header import pack_parameter, unpack
from earnest.errors import FormatError, InputError
from tests.core.strategies import PARAMS, predictions
from tests.snapshots import Golden

SUFFIXES = ("csv", "csv.gz", "tsv", "parquet", "arrow", "feather", "npz")


def assert_same(one: Predictions, other: Predictions) -> None:
    """Two Π agree in everything, types included."""
    assert other.fingerprint == one.fingerprint
    assert (other.fold_names, other.kind, other.threshold) == (
        one.fold_names,
        one.kind,
        one.threshold,
    )
    assert other.configs == one.configs
    assert repr(other.configs) == repr(one.configs)  # True and 1 are equal but not the same
    assert repr(other.target.classes) == repr(one.target.classes)
    assert (other.target.task, other.target.ordered) == (one.target.task, one.target.ordered)
    arrays = [(one.responses, other.responses), (one.folds, other.folds)]
    arrays += [
        (getattr(one.target, name), getattr(other.target, name))
        for name in ("y", "event", "groups", "strata", "ids")
    ]
    for mine, theirs in arrays:
        if mine is None:
            assert theirs is None
            continue
        assert theirs.dtype.kind == mine.dtype.kind
        np.testing.assert_array_equal(theirs, mine)
    assert other.responses.dtype == one.responses.dtype
    signs = np.signbit(one.responses) == np.signbit(other.responses)
    assert (signs | np.isnan(one.responses)).all()


@settings(max_examples=20, deadline=None, derandomize=True, database=None)
@given(predictions())
def test_load_of_save_is_the_same_predictions_in_every_format(pi: Predictions) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for suffix in SUFFIXES:
            assert_same(pi, Predictions.load(pi.save(Path(folder, f"pi.{suffix}"))))


@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(PARAMS)
def test_parameters_come_back_with_their_types(value: Any) -> None:
    back = unpack(json.loads(json.dumps(pack_parameter(value), allow_nan=False)))
    assert repr(back) == repr(value)


def test_numpy_parameters_become_plain_and_objects_become_text() -> None:
    packed = pack_parameter({"C": np.float64(0.5), "n": np.int64(3), "f": max, "x": float("nan")})
    assert unpack(packed)["C"] == 0.5
    assert type(unpack(packed)["n"]) is int
    assert unpack(packed)["f"] == "<built-in function max>"
    assert np.isnan(unpack(packed)["x"])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_part_of_the_cases_comes_back_with_its_own_codes(
    suffix: str, tmp_path: Path, make: Any
) -> None:
    whole = make("probability", n=12, repeats=2, groups=np.arange(12) // 3)
    scores = whole.responses.copy()
    scores[:4] = np.nan
    folds = whole.folds.copy()
    folds[:4] = -1
    part = Predictions(
        target=whole.target,
        configs=whole.configs,
        responses=scores,
        folds=folds,
        fold_names=whole.fold_names,
        kind=whole.kind,
    ).usable()
    assert set(part.target.groups.tolist()) == {1, 2, 3}  # re-encoding would make 0, 1, 2 of them
    assert_same(part, Predictions.load(part.save(tmp_path / f"pi.{suffix}")))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_equal_predictions_make_equal_files(suffix: str, tmp_path: Path, make: Any) -> None:
    one, two = (
        make("probability").save(tmp_path / f"{name}.{suffix}").read_bytes() for name in "ab"
    )
    assert one == two


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_threshold_of_a_file_may_be_set_anew(
    suffix: str, tmp_path: Path, make: Any, golden: Golden
) -> None:
    path = make("probability", threshold=0.3).save(tmp_path / f"pi.{suffix}")
    assert Predictions.load(path).threshold == 0.3
    assert Predictions.load(path, threshold=0.7).threshold == 0.7
    with pytest.raises(InputError) as refusal:
        Predictions.load(path, threshold=7)
    golden.check(str(refusal.value))


# ---------------------------------------------------------------- files that others wrote


@pytest.fixture
def table() -> pa.Table:
    return pa.table(
        {
            "y": ["no", "yes", "no", "yes"],
            "fold": [1, 1, 2, 2],
            "svm": [0.25, 0.75, 0.5, 1.0],
            "tree": [0, 1, 1, 0],
        }
    )


def test_foreign_tables_of_all_formats_give_the_same_predictions(
    table: pa.Table, tmp_path: Path
) -> None:
    pandas, polars = table.to_pandas(), pl.from_arrow(table)
    assert isinstance(polars, pl.DataFrame)
    pandas.to_csv(tmp_path / "a.csv", index=False)
    pandas.to_csv(tmp_path / "b.csv.gz", index=False)
    pandas.to_csv(tmp_path / "c.tsv", index=False, sep="\t")
    pandas.to_parquet(tmp_path / "d.parquet")
    pandas.set_index(pd.Index([5, 6, 7, 8])).to_parquet(tmp_path / "e.parquet")
    polars.write_parquet(tmp_path / "f.parquet")
    polars.write_ipc(tmp_path / "g.arrow")
    polars.write_ipc_stream(tmp_path / "h.arrow")
    pandas.to_feather(tmp_path / "i.feather")
    (tmp_path / "j.csv").write_bytes(b"\xef\xbb\xbf" + (tmp_path / "a.csv").read_bytes())
    prints = {
        path.name: Predictions.load(path, positive="yes").fingerprint for path in tmp_path.iterdir()
    }
    assert len(prints) == 10
    assert set(prints.values()) == {Predictions.from_frame(table, positive="yes").fingerprint}


def test_csv_reads_numbers_bools_and_missing_as_a_reader_would(tmp_path: Path) -> None:
    path = tmp_path / "pi.csv"
    path.write_text(
        'y,fold,"quoted",gap\ntrue,1,"0.5",\nfalse,1,0.25,NA\ntrue,2,1,0.5\nfalse,2,1e-3,0.75\n'
    )
    pi = Predictions.load(path)
    assert pi.target.classes == (False, True)
    assert pi.responses[:, 0, 0].tolist() == [0.5, 0.25, 1.0, 0.001]
    assert np.isnan(pi.responses[:2, 1, 0]).all()
    assert pi.complete.tolist() == [True, False]


def test_csv_types_are_decided_by_the_whole_file_and_not_by_its_first_block(
    tmp_path: Path,
) -> None:
    path = tmp_path / "pi.csv"
    rows = ["y,fold,a"] + [f"{i % 2},{i % 5},1" for i in range(200_000)] + ["1,0,0.5"]
    path.write_text("\n".join(rows) + "\n")  # 1.4 MB, more than pyarrow's block of 1 MB
    assert Predictions.load(path).responses[-1, 0, 0] == 0.5


def test_csv_keeps_leading_zeros_of_names_and_reads_plain_numbers_as_numbers(
    tmp_path: Path,
) -> None:
    path = tmp_path / "pi.csv"
    path.write_text("row_id,config_id,y_true,y_pred\n01,007,0,0.1\n1,007,1,0.8\n")
    pi = Predictions.load(path)
    assert pi.configs.ids == ("007",)
    assert pi.target.ids is not None
    assert pi.target.ids.tolist() == ["01", "1"]
    path.write_text("row_id,y,fold,a\n10,0,1,0.1\n2,1,1,0.8\n")
    ids = Predictions.load(path).target.ids
    assert ids is not None
    assert ids.tolist() == [10, 2]


def test_csv_of_thousands_of_columns_is_read(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    pi = Predictions.from_arrays(np.arange(20) % 2, rng.random((20, 3000)), np.arange(20) % 4)
    table = pi.to_frame(backend="pandas")
    table.to_csv(tmp_path / "other.csv", index=False, float_format="%.17g")
    assert Predictions.load(tmp_path / "other.csv").fingerprint == pi.fingerprint
    assert_same(pi, Predictions.load(pi.save(tmp_path / "own.csv")))


def test_csv_of_another_delimiter_is_read_when_told(tmp_path: Path) -> None:
    path = tmp_path / "pi.csv"
    path.write_text("y;fold;a\n0;1;0.5\n1;1;0.25\n")
    assert Predictions.load(path, delimiter=";").responses.ravel().tolist() == [0.5, 0.25]


@pytest.mark.parametrize("options", [{}, {"delimiter": ";"}, {"delimiter": ";", "decimal": ","}])
def test_csv_of_semicolons_and_decimal_commas_is_read(
    options: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "pi.csv"
    path.write_text("y;fold;a\n0;1;0,5\n1;1;1\n1;2;2,5e-1\n")
    assert Predictions.load(path, **options).responses.ravel().tolist() == [0.5, 1.0, 0.25]


def test_csv_of_semicolons_keeps_decimal_points_and_names_with_commas(tmp_path: Path) -> None:
    path = tmp_path / "pi.csv"
    rows = ["row_id;config_id;y_true;fold;y_pred"]
    rows += [f"{case};0,{c};{case % 2};0;0.{case}{c}" for case in range(4) for c in (1, 5)]
    path.write_text("\n".join(rows) + "\n")
    pi = Predictions.load(path)
    assert pi.configs.ids == ("0,1", "0,5")
    assert pi.responses[:, 1, 0].tolist() == [0.05, 0.15, 0.25, 0.35]


def test_quoted_decimal_commas_are_read_when_told(tmp_path: Path) -> None:
    path = tmp_path / "pi.csv"
    path.write_text('y,fold,a\n0,1,"0,5"\n1,1,"0,25"\n')
    assert Predictions.load(path, decimal=",").responses.ravel().tolist() == [0.5, 0.25]


def test_tsv_may_have_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "pi.tsv"
    path.write_text("y\tfold\ta\n0\t1\t0,5\n1\t1\t0,25\n")
    assert Predictions.load(path).responses.ravel().tolist() == [0.5, 0.25]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz"])
def test_an_option_that_no_file_has_is_refused_with_the_nearest(
    suffix: str, tmp_path: Path, make: Any
) -> None:
    path = make("probability").save(tmp_path / f"pi.{suffix}")
    with pytest.raises(InputError, match="Did you mean 'target'"):
        Predictions.load(path, traget="y")


def test_foreign_npz_takes_the_words_for_columns_as_names_of_arrays(tmp_path: Path) -> None:
    path = tmp_path / "pi.npz"
    scores = np.array([[0.5, 1.0], [0.25, 0.0], [0.75, 0.5]])
    about = {"part": [1, 1, 2], "who": [5, 5, 6], "name": [7, 8, 9]}
    np.savez(path, outcome=[0, 1, 0], scores=scores, configs=["svm", "tree"], **about)
    pi = Predictions.load(
        path, target="outcome", fold="part", group="who", id="name", configs=["tree"]
    )
    assert pi.configs.ids == ("tree",)
    assert pi.responses.ravel().tolist() == [1.0, 0.0, 0.5]
    named = {"target": "outcome", "fold": "part", "group": "who", "id": "name"}
    assert Predictions.load(path, **named, configs="tree").fingerprint == pi.fingerprint
    assert pi.fold_names == (("1", "2"),)
    assert pi.target.groups is not None
    assert pi.target.groups.tolist() == [0, 0, 1]
    assert pi.target.ids is not None
    assert pi.target.ids.tolist() == [7, 8, 9]


def test_configs_names_or_picks_the_columns_of_a_foreign_npz_without_names(tmp_path: Path) -> None:
    path = tmp_path / "pi.npz"
    np.savez(path, y=[0, 1, 0], scores=np.array([[0.5, 1.0], [0.25, 0.0], [0.75, 0.5]]))
    assert Predictions.load(path, configs=["svm", "tree"]).configs.ids == ("svm", "tree")
    assert Predictions.load(path, configs=["c1"]).responses.ravel().tolist() == [1.0, 0.0, 0.5]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_own_files_take_what_only_repeats_them_and_a_choice_of_configurations(
    suffix: str, tmp_path: Path
) -> None:
    scores = np.array([[0.5, 1.0], [0.25, 0.0], [0.75, 0.5]])
    pi = Predictions.from_arrays(["a", "b", "a"], scores, positive="b", configs=["svm", "tree"])
    path = pi.save(tmp_path / f"pi.{suffix}")
    again = {"positive": "b", "task": "binary", "response": "probability", "target": "y"}
    assert_same(pi, Predictions.load(path, **again, fold="fold", classes=["a", "b"], id=None))
    assert_same(pi.select("tree"), Predictions.load(path, configs=["tree"], positive="b"))
    for other in ({"positive": "a"}, {"task": "multiclass"}, {"fold": None}, {"target": "z"}):
        with pytest.raises(FormatError, match=f"`{next(iter(other))}`"):
            Predictions.load(path, **other)


@pytest.mark.parametrize("suffix", ["arrow", "feather", "parquet"])
def test_categories_that_polars_wrote_are_read(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"pi.{suffix}"
    kind = pl.Categorical
    frame = pl.DataFrame(
        {"y": ["a", "b", "a"], "fold": ["1", "2", "2"], "svm": [0.5, 0.25, 0.75]},
        schema_overrides={"y": kind, "fold": kind},
    )
    frame.write_parquet(path) if suffix == "parquet" else frame.write_ipc(path)
    pi = Predictions.load(path, positive="b")
    assert (pi.target.classes, pi.fold_names) == (("a", "b"), (("1", "2"),))


@pytest.mark.parametrize("stream", [False, True])
def test_text_that_begins_outside_the_file_is_a_fault_of_the_file(
    stream: bool, tmp_path: Path
) -> None:
    names = pa.array(["a", "bb", "ccc"])
    offsets = pa.array([0, 1, 1 << 30, 6], pa.int32()).buffers()[1]
    damaged = pa.StringArray.from_buffers(3, offsets, names.buffers()[2])
    table = pa.table({"id": damaged, "y": [0, 1, 0], "x": [0.1, 0.9, 0.2]})
    path = tmp_path / "t.arrow"
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(path, table.schema) as writer:
        writer.write_table(table)
    for read in (Scores.load, lambda p: Predictions.load(p, target="y")):
        with pytest.raises(FormatError, match="cannot be read"):
            read(path)


def test_what_arrow_cannot_do_with_a_file_is_a_fault_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    path = tmp_path / "pi.parquet"
    pq.write_table(pa.table({"y": [0, 1], "fold": [0, 0], "a": [0.5, 0.25]}), path)

    def fails(*_: Any, **__: Any) -> None:
        raise pa.ArrowNotImplementedError("Unsupported cast")

    monkeypatch.setattr("earnest.core.tables.files.read_frame", fails)
    with pytest.raises(FormatError) as refusal:
        Predictions.load(path)
    golden.check(str(refusal.value))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_folder_that_cannot_be_written_is_named_and_not_the_temporary_file(
    suffix: str, tmp_path: Path, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A name that is too long is refused to everybody, a folder without rights not to root.
    monkeypatch.setattr("secrets.token_hex", lambda _: "x" * 300)
    with pytest.raises(FormatError) as caught:
        make("probability").save(tmp_path / f"pi.{suffix}")
    assert str(tmp_path / f"pi.{suffix}") in str(caught.value)
    assert ".earnest-" not in str(caught.value)


@pytest.mark.parametrize("compressed", [False, True])
def test_foreign_npz_is_read_by_the_names_of_its_arrays(compressed: bool, tmp_path: Path) -> None:
    path = tmp_path / "pi.npz"
    write = np.savez_compressed if compressed else np.savez
    scores = np.array([[0.5, 1.0], [0.25, 0.0], [0.75, 0.5]])
    write(path, y=["a", "b", "a"], scores=scores, fold=[1, 1, 2], configs=["svm", "tree"])
    pi = Predictions.load(path, positive="b")
    assert (pi.configs.ids, pi.fold_names) == (("svm", "tree"), (("1", "2"),))
    write(path, labels=["a", "b", "a"], p=scores, time=[1.0, 2.0, 3.0], event=[1, 0, 1])
    assert Predictions.load(path, y="labels", scores="p", positive="b").target.n == 3
    write(path, scores=scores, time=[1.0, 2.0, 3.0], event=[1, 0, 1])
    assert Predictions.load(path).target.task == "survival"


# ---------------------------------------------------------------- large matrices


def test_large_matrices_are_mapped_and_not_copied(tmp_path: Path) -> None:
    n, width = 20_000, 500  # 80 MB of float64
    path = tmp_path / "scores.npy"
    rng = np.random.default_rng(2)
    made = np.lib.format.open_memmap(path, "w+", np.float64, (n, width))
    made[:] = rng.random((n, width))
    made.flush()
    del made
    y, fold = np.arange(n) % 2, np.arange(n) % 10
    tracemalloc.start()
    try:
        pi = Predictions.load(path, y=y, fold=fold)
        stored = Predictions.load(pi.save(tmp_path / "pi.npz"))
        assert stored.fingerprint == pi.fingerprint
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 60e6
    for mapped in (pi, stored):
        assert _root(mapped.responses).filename is not None
    given = np.load(path, mmap_mode="r")
    assert np.shares_memory(Predictions.from_arrays(y, given, fold).responses, given)


def _root(array: Any) -> np.memmap[Any, Any]:
    while not (isinstance(array, np.memmap) and not isinstance(array.base, np.ndarray)):
        array = array.base
    return array


def test_a_mapped_matrix_of_our_own_is_aligned(tmp_path: Path, make: Any) -> None:
    for n in (9, 10, 11, 12, 13):  # other lengths of the arrays before it
        pi = make("regression", n=n, ids=[f"case {'x' * i}" for i in range(n)])
        back = Predictions.load(pi.save(tmp_path / "pi.npz"), mmap=True)
        assert isinstance(back.responses, np.memmap)
        assert back.responses.ctypes.data % 64 == 0
        assert_same(pi, back)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_foreign_npz_is_mapped_in_place_whatever_its_order(order: Any, tmp_path: Path) -> None:
    scores = np.asarray(np.random.default_rng(3).random((40, 7)), order=order)
    np.savez(tmp_path / "pi.npz", y=np.arange(40) % 2, scores=scores, fold=np.arange(40) % 5)
    mapped = Predictions.load(tmp_path / "pi.npz", mmap=True)
    assert _root(mapped.responses).filename is not None
    assert mapped.fingerprint == Predictions.load(tmp_path / "pi.npz").fingerprint


def test_small_matrices_are_read_and_large_ones_mapped(
    tmp_path: Path, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make("regression").save(tmp_path / "pi.npz")
    assert not isinstance(Predictions.load(path).responses, np.memmap)
    monkeypatch.setattr(npz, "LARGE", 64)
    assert isinstance(Predictions.load(path).responses, np.memmap)
    assert not isinstance(Predictions.load(path, mmap=False).responses, np.memmap)


# ------------------------------------------------- nothing half-written, nothing changed


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_other(
    where: str, suffix: str, tmp_path: Path, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make("probability", seed=1).save(tmp_path / f"pi.{suffix}")
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, where, full)
    with pytest.raises(FormatError, match="No space left") as caught:
        make("probability", seed=2).save(path)
    assert str(path) in str(caught.value)
    assert ".tmp" not in str(caught.value)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_an_interrupted_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make("probability", seed=1).save(tmp_path / "pi.npz")
    before = path.read_bytes()

    def interrupted(_: Any, __: str, temporary: Path) -> None:
        temporary.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(formats, "save_npz", interrupted)
    with pytest.raises(KeyboardInterrupt):
        make("probability", seed=2).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["pi.npz"]


def test_a_killed_process_leaves_no_file_under_the_name(tmp_path: Path) -> None:
    code = (
        "import os, sys\n"
        "from earnest.core.data.predictions import Predictions\n"
        "os.fsync = lambda descriptor: os._exit(9)\n"
        "Predictions.from_arrays([0, 1, 1], [0.2, 0.5, 0.9]).save(sys.argv[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "pi.npz")], check=False)
    assert done.returncode == 9
    assert not (tmp_path / "pi.npz").exists()


def test_saving_keeps_permissions_and_follows_links(tmp_path: Path, make: Any) -> None:
    path = make("probability", seed=1).save(tmp_path / "pi.npz")
    path.chmod(0o640)
    link = tmp_path / "link.npz"
    link.symlink_to(path)
    new = make("probability", seed=2)
    assert new.save(link) == path
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert Predictions.load(path).fingerprint == new.fingerprint


def test_predictions_mapped_from_a_file_can_be_saved_over_it(tmp_path: Path, make: Any) -> None:
    pi = make("probability")
    path = pi.save(tmp_path / "pi.npz")
    mapped = Predictions.load(path, mmap=True)
    mapped.save(path)
    assert_same(pi, Predictions.load(path))
    assert_same(pi, mapped)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("column", ["row_id", "repeat", "y", "fold", "group", "strata", "c1"])
def test_a_changed_cell_is_noticed_in_every_column(
    column: str, suffix: str, tmp_path: Path, make: Any, golden: Golden
) -> None:
    n = 12
    pi = make("regression", repeats=2, groups=np.arange(n) // 2, strata=np.arange(n) % 2)
    path = pi.save(tmp_path / f"pi.{suffix}")
    if suffix == "csv":
        note, _, rest = path.read_text().partition("\n")
        rows = [line.split(",") for line in rest.splitlines()]
        place = rows[0].index(f'"{column}"')
        rows[-1][place] = "0" if rows[-1][place] != "0" else "1"  # a row of the second repeat
        path.write_text("\n".join([note, *(",".join(row) for row in rows)]) + "\n")
    else:
        table = pq.read_table(path)
        values = table[column].to_pylist()
        values[-1] = 0 if values[-1] != 0 else 1
        place = table.column_names.index(column)
        changed = pa.array(values, table.schema.field(column).type)
        pq.write_table(table.set_column(place, table.schema.field(column), changed), path)
    with pytest.raises(FormatError) as refusal:
        Predictions.load(path)
    golden.check(str(refusal.value))


def test_a_file_can_be_read_without_holding_it_against_its_fingerprint(
    tmp_path: Path, make: Any
) -> None:
    path = make("regression").save(tmp_path / "pi.csv")
    text = path.read_text()
    number = text.splitlines()[2].split(",")[-1]
    path.write_text(text.replace(number, "7.5"))
    assert 7.5 in Predictions.load(path, verify=False).responses


def test_a_changed_header_is_noticed(tmp_path: Path, make: Any) -> None:
    path = make("probability", configs=[{"C": 1}, {"C": 2}, {"C": 3}]).save(tmp_path / "pi.csv")
    path.write_text(path.read_text().replace('{"C":2}', '{"C":9}'))
    with pytest.raises(FormatError, match="header checksum"):
        Predictions.load(path)


def test_a_damaged_byte_of_a_matrix_is_noticed(tmp_path: Path, make: Any, golden: Golden) -> None:
    path = make("probability").save(tmp_path / "pi.npz")
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        end = archive.start_dir
    content[end - 1] ^= 1  # the last byte of the last array
    path.write_bytes(bytes(content))
    with pytest.raises(FormatError) as refusal:
        Predictions.load(path)
    golden.check(str(refusal.value))
    with pytest.raises(FormatError, match="was changed or damaged"):
        Predictions.load(path, mmap=True)


def test_an_arrow_stream_keeps_its_header(tmp_path: Path, make: Any) -> None:
    pi = make("multiclass", repeats=2)
    path = pi.save(tmp_path / "pi.arrow")
    table = pa.ipc.open_file(path).read_all()
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)
    assert_same(pi, Predictions.load(path))


def test_a_csv_without_its_first_line_is_an_ordinary_table(tmp_path: Path, make: Any) -> None:
    pi = make("probability")
    path = pi.save(tmp_path / "pi.csv.gz")
    table = gzip.decompress(path.read_bytes()).partition(b"\n")[2]
    (tmp_path / "plain.csv").write_bytes(table)
    assert Predictions.load(tmp_path / "plain.csv").fingerprint == pi.fingerprint


def test_reading_and_writing_import_tables_late() -> None:
    code = (
        "import sys, earnest.core.data.predictions as p\n"
        "p.Predictions.from_arrays([0, 1, 1], [0.2, 0.5, 0.9])\n"
        "print([m for m in ('pyarrow', 'narwhals', 'pandas', 'polars') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc"])
def test_a_mapped_array_in_c_order_gives_the_bytes_of_one_in_fortran_order(
    tmp_path: Path, metric: str
) -> None:
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 2, 300), rng.random((300, 7))
    found = []
    for order in (np.ascontiguousarray, np.asfortranarray):
        path = tmp_path / f"{order.__name__}.npy"
        np.save(path, order(scores))
        pi = Predictions.load(path, mmap=True, y=y)
        made = estimate(pi, metric=metric, n_resamples=50, rng=0)
        found.append((pi.fingerprint, made.value, made.interval, made.winner))
    assert np.load(path, mmap_mode="r").flags.f_contiguous
    assert found[0] == found[1]
