"""Make the packaged demo: out-of-fold predictions of sixty configurations for a credit score.

Needs the German credit data (Statlog, UCI Machine Learning Repository, CC BY 4.0) as a CSV or
Parquet table of 1000 rows whose column `target` is 1 for a bad risk; all other columns are taken as
features. The first 150 rows play a small study. The other 850 are never seen by the search, and
tell how good its winner really is.

    python scripts/make_demo_predictions.py credit_g.parquet src/earnest/data/demo_predictions.csv
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

CASES = 150  # the size of the study
FOLDS = 10
SEED = 0
DECIMALS = 3  # sixty columns of 150 rows then take less than 60 KB


def learners() -> Iterator[tuple[str, Any]]:
    """Yield the name and the learner of every configuration."""
    for c in (0.1, 1, 10, 100):
        for gamma in (0.001, 0.003, 0.01, 0.03, 0.1):
            yield f"svm-rbf C={c:g} gamma={gamma:g}", calibrated(SVC(C=c, gamma=gamma))
    for c in (0.001, 0.01, 0.1):
        yield f"svm-linear C={c:g}", calibrated(LinearSVC(C=c, random_state=SEED))
    for c in (0.001, 0.003, 0.01, 0.03, 0.1, 1, 10):
        yield f"logistic C={c:g}", LogisticRegression(C=c, max_iter=1000)
    for features in (2, 5, 10, 20):
        for leaf in (1, 3, 10):
            yield (
                f"forest features={features} leaf={leaf}",
                RandomForestClassifier(
                    200, max_features=features, min_samples_leaf=leaf, random_state=SEED
                ),
            )
    for depth in (2, 3, 5, 8):
        for leaf in (1, 5, 10):
            yield (
                f"tree depth={depth} leaf={leaf}",
                DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, random_state=SEED),
            )
    for k in (1, 3, 5, 9, 15, 25):
        yield f"knn k={k}", KNeighborsClassifier(k)


def calibrated(machine: Any) -> Any:
    """Return a support vector machine that gives probabilities (Platt's sigmoid)."""
    return CalibratedClassifierCV(machine, ensemble=False)


def configurations() -> dict[str, Any]:
    """Return every configuration with its preprocessing, which is fitted in each fold anew."""
    encode = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    )
    return {name: make_pipeline(encode, learner) for name, learner in learners()}


def read(path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Return features and outcome."""
    table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    return table.drop(columns="target"), table["target"].astype(int)


def predict(x: pd.DataFrame, y: pd.Series) -> pd.DataFrame:
    """Return the table: outcome, fold, and the predictions of every configuration."""
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(x, y))
    table = {"y": y.to_numpy(), "fold": np.empty(len(y), dtype=int)}
    for fold, (_, test) in enumerate(splits):
        table["fold"][test] = fold
    for name, model in configurations().items():
        scores = cross_val_predict(model, x, y, cv=splits, method="predict_proba", n_jobs=-1)
        table[name] = scores[:, 1].round(DECIMALS)
    return pd.DataFrame(table)


def main() -> None:
    """Write the table, and say what the winner is worth on the cases that nobody saw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the German credit data, CSV or Parquet")
    parser.add_argument("out", type=Path, help="where to write the predictions, CSV")
    args = parser.parse_args()
    x, y = read(args.data)
    table = predict(x[:CASES], y[:CASES])
    table.to_csv(args.out, index=False, float_format=f"%.{DECIMALS}f", lineterminator="\n")
    scores = {name: roc_auc_score(table["y"], table[name]) for name in table.columns[2:]}
    winner = max(scores, key=scores.__getitem__)
    fitted = configurations()[winner].fit(x[:CASES], y[:CASES])
    unseen = roc_auc_score(y[CASES:], fitted.predict_proba(x[CASES:])[:, 1])
    sys.stdout.write(
        f"winner {winner}: ROC AUC {scores[winner]:.3f} in cross-validation, "
        f"{unseen:.3f} on the {len(y) - CASES} unseen cases\n"
    )


if __name__ == "__main__":
    main()
