"""Shared data comes to a process as it was, mapped where it is large."""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from earnest.engine import FileParcel, RunContent, by_file, parcels, run_tasks
from tests.engine.test_run import collected, tasks_plain
from tests.engine.works import Counted, mapped, powers


@pytest.fixture(autouse=True)
def a_process_that_has_loaded_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "_CACHE", {})


def came(shared: object) -> object:
    with by_file(RunContent(powers, shared)) as parcel:
        return FileParcel(parcel.folder, parcel.owner).content().shared


def test_data_of_every_kind_comes_as_it_was() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=2000), "b": list("xyzw") * 500})
    shared = {
        "matrix": rng.normal(size=(100, 50)),
        "fortran": np.asfortranarray(rng.normal(size=(100, 50))),
        "small": np.arange(3),
        "strided": rng.normal(size=(200, 50))[::2],
        "objects": np.array([1, "a", None], dtype=object),
        "record": np.zeros(1000, dtype=[("event", "?"), ("time", "f8")]),
        "empty": np.empty((0, 5)),
        "sparse": scipy.sparse.random(500, 400, 0.1, format="csr", rng=rng),
        "frame": frame,
        "text": "ß" * 5000,
    }
    found = came(shared)
    assert isinstance(found, dict)
    for name in ("matrix", "fortran", "small", "strided", "objects", "record", "empty"):
        assert np.array_equal(found[name], shared[name])
        assert found[name].dtype == shared[name].dtype
    assert found["fortran"].flags.f_contiguous
    assert (found["sparse"] != shared["sparse"]).nnz == 0
    pd.testing.assert_frame_equal(found["frame"], frame)
    assert found["text"] == shared["text"]


def test_nothing_large_is_no_difficulty() -> None:
    assert came(None) is None
    assert came([1, 2, 3]) == [1, 2, 3]


def test_large_arrays_are_mapped_and_can_be_written_to() -> None:
    array = np.arange(100_000.0)
    found = came(array)
    assert isinstance(found, np.ndarray)
    assert found.ctypes.data % 64 == 0
    found[0] = 7.0
    assert array[0] == 0.0


def test_what_a_process_writes_stays_its_own(tmp_path: Path) -> None:
    shared = Counted(np.zeros(100_000), str(tmp_path / "log"))
    found = collected(run_tasks(mapped, shared, tasks_plain(20), n_jobs=2))
    assert {str(o.arrays["kind"][0]) for o in found.values()} == {"mmap"}
    assert shared.values.sum() == 0.0
    sums: dict[float, list[float]] = {}
    for outcome in found.values():
        sums.setdefault(outcome.numbers["pid"], []).append(outcome.numbers["sum"])
    assert all(sorted(seen) == list(range(len(seen))) for seen in sums.values())


def test_the_folder_is_gone_also_after_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen = []

    def fail() -> None:
        with by_file(RunContent(powers, np.zeros(5000))):
            seen.extend(tmp_path.iterdir())
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert len(seen) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="modes of files are POSIX's")
def test_nobody_else_can_read_what_is_passed_to_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with by_file(RunContent(powers, np.zeros(5000))):
        (folder,) = tmp_path.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / "owner").stat().st_mode & 0o777 == 0o600


def test_filters_of_warnings_are_those_of_the_moment() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert RunContent(powers, None).filters[0][:3:2] == ("ignore", UserWarning)
