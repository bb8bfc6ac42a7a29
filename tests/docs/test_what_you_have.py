"""The table 'what you have, what you do': each row is run as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copy, copytree
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import earnest as en

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "from-what-you-have.md"
FILES = ROOT / "tests" / "adapters" / "files"
ROW = re.compile(r"^\| (.+?) \| `(.+)` \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def hand(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what the rows name, in a folder with the files that they name."""
    folder = tmp_path_factory.mktemp("hand")
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:120, :5], y[:120]
    model, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4]}
    search = GridSearchCV(model, grid, scoring="roc_auc", cv=5).fit(X, y)
    pd.DataFrame(search.cv_results_).to_csv(folder / "cv_results.csv")
    copy(FILES / "folds" / "caret_resample.csv", folder / "resample.csv")
    (folder / "logs").mkdir()
    for item in range(2):
        lines = [f'{{"id": {i}, "score": {(i + item) % 2}}}' for i in range(20)]
        (folder / "logs" / f"prompt{item}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    copytree(FILES / "scores" / "trec", folder / "runs")
    copytree(FILES / "scores" / "coco", folder / "images")
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    rng = np.random.default_rng(0)
    svm, tree = (0.5 * y + 0.5 * rng.random(len(y)) for _ in range(2))
    fold = np.empty(len(y), dtype=int)
    for number, (_, test) in enumerate(splits):
        fold[test] = number
    pi = en.Predictions.from_arrays(y, np.column_stack([svm, tree]), fold)
    pi.save(folder / "predictions.csv")
    own = en.SearchCV(model, grid, scoring="roc_auc", cv=3, n_resamples=50, store=folder / "run.db")
    own.fit(X, y)

    def cut(values: Any) -> list[Any]:
        return [values[test] for _, test in splits]

    return {
        "en": en,
        "search": search,
        "study": FILES / "folds" / "optuna_study.db",
        "runs": pd.read_csv(FILES / "folds" / "mlflow_runs.csv"),
        "X": X,
        "y": y,
        "model": model,
        "grid": grid,
        "fold": fold,
        "svm": svm,
        "tree": tree,
        "splits": splits,
        "y_parts": cut(y),
        "svm_parts": cut(svm),
        "tree_parts": cut(tree),
        "svm_tests": cut(svm),
        "tree_tests": cut(tree),
        "scores": rng.random((50, 4)) < 0.7,
        "judge": (judge := rng.random((80, 3)) < 0.7),
        "human": np.where(np.arange(80)[:, None] % 4 == 0, judge, np.nan),
        "unet": rng.random(40),
        "segformer": rng.random(40),
        "folder": folder,
    }


def test_the_table_is_there() -> None:
    assert len(ROWS) >= 21


@pytest.mark.parametrize(("have", "do"), ROWS, ids=[do[:50] for _, do in ROWS])
def test_each_row_of_the_table_runs(
    have: str, do: str, hand: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hand["folder"])
    found = eval(do.replace('"run"', '"run.db"'), dict(hand))
    assert isinstance(found, en.results.Estimate | en.results.Floor), have


def test_arrays_in_any_form_are_the_same_predictions(hand: dict[str, Any]) -> None:
    whole = en.estimate(
        {name: hand[name] for name in ("y", "fold", "svm", "tree")}, metric="roc_auc", rng=0
    )
    splits = {name: hand[name] for name in ("y", "splits")}
    by_split = en.estimate(
        splits | {"svm": hand["svm_tests"], "tree": hand["tree_tests"]}, metric="roc_auc", rng=0
    )
    assert by_split.value == whole.value
    assert by_split.interval == whole.interval
    parts = {"y": hand["y_parts"], "svm": hand["svm_parts"], "tree": hand["tree_parts"]}
    by_fold = en.estimate(parts, metric="roc_auc", method="bbc_fold", rng=0)
    folds = en.estimate(splits | {"svm": hand["svm_tests"], "tree": hand["tree_tests"]},
                        metric="roc_auc", method="bbc_fold", rng=0)  # fmt: skip
    assert by_fold.value == pytest.approx(folds.value, abs=1e-12)


def test_the_readme_opens_with_the_one_line() -> None:
    first = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:10]
    assert any("en.estimate(search)" in line for line in first)
    landing = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").splitlines()[:10]
    assert any("en.estimate(search)" in line for line in landing)
