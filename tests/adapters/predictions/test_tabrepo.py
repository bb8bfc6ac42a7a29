"""Repositories of TabRepo and TabArena are read by dataset and fold.

The repository in `tabrepo/` was written by the code of tabarena 0.1.0: see `tabrepo/make.py`. The
others are written here in the same layout; `labels.dat` and `tasks.dat`, which newer code writes,
as its docstrings describe them.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import earnest as en
from earnest.adapters import is_fold
from earnest.errors import EvidenceError, FormatError, InputError
from tests.snapshots import Golden

MODELS = ["CatBoost_c1_BAG_L1", "RandomForest_r7_BAG_L1", "LinearModel_c1_BAG_L1"]
N = 60


def pack(header: dict[str, object], *parts: np.ndarray) -> bytes:
    text = json.dumps(header, separators=(",", ":")).encode()
    return b"".join([struct.pack("<I", len(text)), text, *(part.tobytes() for part in parts)])


def write_fold(
    folder: Path,
    labels: dict[str, pd.Series],
    answers: dict[str, np.ndarray],
    *,
    kind: str = "float32",
    form: str = "csv",
    models: list[str] = MODELS,
) -> None:
    folder.mkdir(parents=True)
    facts: dict[str, object] = {"models": models, "dataset": folder.parent.name, "fold": 0}
    for split in ("val", "test"):
        facts[f"pred_{split}_shape"] = answers[split].shape
        shape = answers[split].shape
        kept = np.memmap(folder / f"pred-{split}.dat", dtype=kind, mode="w+", shape=shape)
        kept[:] = answers[split]
        kept.flush()
        if form == "csv":
            labels[split].to_frame("y").to_csv(folder / f"label-{split}.csv.zip", index=True)
    (folder / "metadata.json").write_text(json.dumps(facts | {"dtype": kind}))
    if form == "labels":
        values = {split: labels[split].to_numpy().astype(np.int8) for split in ("val", "test")}
        header = {s: {"n": len(v), "dtype": v.dtype.str} for s, v in values.items()}
        content = pack({"version": 1, **header}, values["val"], values["test"])
        (folder / "labels.dat").write_bytes(content)


def consolidate(dataset: Path) -> None:
    folds, chunks, offset = {}, [], 0
    for folder in sorted(one for one in dataset.iterdir() if one.is_dir()):
        entry = json.loads((folder / "metadata.json").read_text())
        del entry["dataset"], entry["fold"]
        entry["labels"] = {}
        for split in ("val", "test"):
            y = pd.read_csv(folder / f"label-{split}.csv.zip", index_col=0)["y"].to_numpy(np.int8)
            entry["labels"][split] = {"offset": offset, "n": len(y), "dtype": y.dtype.str}
            chunks.append(y)
            offset += y.nbytes
            (folder / f"label-{split}.csv.zip").unlink()
        (folder / "metadata.json").unlink()
        folds[folder.name] = entry
    header = {"version": 1, "dataset": dataset.name, "folds": folds}
    (dataset / "tasks.dat").write_bytes(pack(header, *chunks))


def draw(seed: int, classes: int = 0, repeats: int = 1, folds: int = 3) -> tuple:
    """Return y, the test rows of every fold, and the answers of every model in every repeat."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, max(classes, 2), N)
    tests = [np.sort(part) for _ in range(repeats) for part in np.split(rng.permutation(N), folds)]
    shape = (repeats, len(MODELS), N)
    p = rng.dirichlet(np.ones(classes), shape) if classes else rng.random(shape)
    return y, tests, p.astype(np.float32)


def write_dataset(root: Path, seed: int = 0, **how: int) -> tuple:
    y, tests, p = draw(seed, **how)
    for number, test in enumerate(tests):
        train = np.setdiff1d(np.arange(N), test)
        answers = p[number // how.get("folds", 3)]
        write_fold(
            root / "adult" / str(number),
            {"val": pd.Series(y[train], train), "test": pd.Series(y[test], test)},
            {"val": answers[:, train], "test": answers[:, test]},
        )
    return y, tests, p


def test_what_the_real_code_wrote_is_read() -> None:
    rng = np.random.default_rng(0)  # as in make.py
    y, p = rng.integers(0, 2, 24), rng.random((2, 24)).astype(np.float32)
    real = Path(__file__).parent / "tabrepo" / "adult"
    pi = en.predictions_from(real)
    assert pi.configs.ids == (MODELS[0], MODELS[2])
    assert (pi.n_cases, pi.n_folds, pi.n_repeats) == (24, 3, 1)
    np.testing.assert_array_equal(pi.responses[:, :, 0], p.T)
    np.testing.assert_array_equal(pi.target.labels, y)
    np.testing.assert_array_equal(pi.folds[:, 0], np.arange(24) % 3)
    fold = en.predictions_from(real / "1")
    np.testing.assert_array_equal(fold.responses[:, :, 0], (p / 2).T[np.arange(24) % 3 != 1])


def test_a_fold_is_the_out_of_fold_predictions_of_its_training_cases(tmp_path: Path) -> None:
    y, tests, p = write_dataset(tmp_path)
    train = np.setdiff1d(np.arange(N), tests[0])
    pi = en.predictions_from(tmp_path / "adult" / "0")
    assert pi.configs.ids == tuple(MODELS)
    assert (pi.target.task, pi.kind, pi.n_cases) == ("binary", "probability", len(train))
    np.testing.assert_array_equal(pi.responses[:, :, 0], p[0][:, train].T)
    np.testing.assert_array_equal(pi.target.labels, y[train])
    assert [one.kind for one in pi.remarks] == ["stopped_on_tests", "folds_unknown"]
    assert "CatBoost" in pi.remarks[0].what
    assert "RandomForest" not in pi.remarks[0].what


def test_a_dataset_is_a_cross_validation_by_its_test_cases(tmp_path: Path) -> None:
    _, tests, p = write_dataset(tmp_path)
    pi = en.predictions_from(tmp_path / "adult")
    assert (pi.n_cases, pi.n_folds, pi.n_repeats, pi.remarks) == (N, 3, 1, ())
    np.testing.assert_array_equal(pi.responses[:, :, 0], p[0].T)
    for number, test in enumerate(tests):
        assert set(pi.folds[test, 0]) == {number}


def test_repeats_are_told_by_the_names_of_the_cases(tmp_path: Path) -> None:
    _, _, p = write_dataset(tmp_path, repeats=2, folds=6)
    pi = en.predictions_from(tmp_path / "adult")  # twelve folders: '10' comes after '9'
    assert (pi.n_cases, pi.n_folds, pi.n_repeats) == (N, 6, 2)
    np.testing.assert_array_equal(pi.responses, p.transpose(2, 1, 0))


def test_a_class_has_its_column_and_half_precision_adds_up(tmp_path: Path) -> None:
    y, _, p = draw(1, classes=4)
    both = {"val": pd.Series(y), "test": pd.Series(y)}
    write_fold(tmp_path / "d" / "0", both, {"val": p[0], "test": p[0]}, kind="float16")
    pi = en.predictions_from(tmp_path / "d" / "0")
    assert (pi.target.task, pi.kind, pi.target.classes) == (
        "multiclass",
        "probability",
        (0, 1, 2, 3),
    )
    # Half precision has 11 bits: a relative error of 2**-11, twice after the sum.
    np.testing.assert_allclose(pi.responses[:, :, 0], p[0].swapaxes(0, 1), atol=2**-10)


def test_a_real_outcome_is_a_regression_and_a_task_that_is_said_counts(tmp_path: Path) -> None:
    y, _, p = draw(2)
    both = {"val": pd.Series(y + 0.5), "test": pd.Series(y + 0.5)}
    write_fold(tmp_path / "d" / "0", both, {"val": p[0], "test": p[0]})
    assert en.predictions_from(tmp_path / "d").target.task == "regression"
    whole = {"val": pd.Series(y), "test": pd.Series(y)}
    write_fold(tmp_path / "e" / "0", whole, {"val": p[0], "test": p[0]})
    assert en.predictions_from(tmp_path / "e", task="regression").target.task == "regression"


@pytest.mark.parametrize("form", ["labels", "tasks"])
def test_newer_files_of_labels_say_the_same(tmp_path: Path, form: str, golden: Golden) -> None:
    write_dataset(tmp_path / "old")
    old = en.predictions_from(tmp_path / "old" / "adult" / "1")
    if form == "tasks":
        write_dataset(tmp_path / "new")
        consolidate(tmp_path / "new" / "adult")
    else:
        y, tests, p = draw(0)
        train = np.setdiff1d(np.arange(N), tests[1])
        labels = {"val": pd.Series(y[train]), "test": pd.Series(y[tests[1]])}
        answers = {"val": p[0][:, train], "test": p[0][:, tests[1]]}
        write_fold(tmp_path / "new" / "adult" / "1", labels, answers, form="labels")
    new = en.predictions_from(tmp_path / "new" / "adult" / "1")
    assert new.fingerprint == old.fingerprint
    if form == "tasks":
        with golden.raises(EvidenceError):
            en.predictions_from(tmp_path / "new" / "adult")


def test_a_configuration_that_a_fold_lacks_was_not_evaluated_there(tmp_path: Path) -> None:
    y, tests, p = draw(3)
    for number, test in enumerate(tests):
        models = MODELS if number else MODELS[:2]
        labels = {"val": pd.Series(y), "test": pd.Series(y[test], test)}
        answers = {"val": p[0][: len(models)], "test": p[0][: len(models)][:, test]}
        write_fold(tmp_path / "d" / str(number), labels, answers, models=models)
    pi = en.predictions_from(tmp_path / "d")
    assert np.isnan(pi.responses[tests[0], 2, 0]).all()
    assert not np.isnan(pi.responses[tests[1], 2, 0]).any()


@pytest.mark.parametrize("missing", ["metadata.json", "pred-val.dat", "pred-test.dat"])
def test_a_folder_that_lacks_a_file_of_a_fold_is_no_fold(tmp_path: Path, missing: str) -> None:
    write_dataset(tmp_path)
    folder = next(one for one in sorted((tmp_path).rglob("*")) if (one / missing).is_file())
    assert is_fold(folder)
    (folder / missing).unlink()
    assert not is_fold(folder)


def test_a_repository_is_refused_with_the_datasets_in_it(tmp_path: Path) -> None:
    write_dataset(tmp_path)
    with pytest.raises(InputError, match="'adult'"):
        en.predictions_from(tmp_path)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    write_dataset(tmp_path)
    fold = tmp_path / "adult" / "0"
    facts = json.loads((fold / "metadata.json").read_text())
    for change in ({"dtype": "object"}, {"pred_val_shape": [3, 10**9]}, {"models": ["a"]}):
        (fold / "metadata.json").write_text(json.dumps(facts | change))
        with pytest.raises(FormatError):
            en.predictions_from(fold)
    (fold / "metadata.json").write_text("[")
    with pytest.raises(FormatError):
        en.predictions_from(fold)
    (fold / "metadata.json").write_text(json.dumps(facts))
    (fold / "label-val.csv.zip").unlink()
    (fold / "labels.dat").write_bytes(struct.pack("<I", 2**31) + b"{}")
    with pytest.raises(FormatError):
        en.predictions_from(fold)
