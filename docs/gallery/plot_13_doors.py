"""
Bring predictions from anywhere
===============================

The same predictions of six configurations, as different tools keep them. All give the same answer.
"""

# %%
# **Arrays**: the outcome, one column of predictions per configuration, and the fold that tested a
# case.
import csv
import json
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa

import earnest as en

rng = np.random.default_rng(7)
n, names = 150, [f"C={c}" for c in (0.01, 0.1, 1, 10, 100, 1000)]
ill = rng.integers(0, 2, n)
risk = np.round(1 / (1 + np.exp(-(2 * ill - 1)[:, None] - rng.standard_normal((n, 6)))), 6)
fold = np.arange(n) % 5
folder = Path(tempfile.mkdtemp())
sources = {"arrays": en.Predictions.from_arrays(ill, risk, fold, configs=names)}

# %%
# **A table** of pandas, polars or Arrow, with one column per configuration:
columns = {name: risk[:, k] for k, name in enumerate(names)}
table = pa.table({"y": ill, "fold": fold, **columns})
sources["Arrow table"] = en.Predictions.from_frame(table)

# %%
# **JSON lines**, one object per case:
with (folder / "cases.jsonl").open("w") as file:
    for row in table.to_pylist():
        file.write(json.dumps(row) + "\n")
sources["JSON lines"] = en.Predictions.load(folder / "cases.jsonl")

# %%
# **R's caret** keeps one row per case and configuration, as ``fit$pred``:
with (folder / "caret.csv").open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["pred", "obs", "case", "control", "rowIndex", "C", "Resample"])
    for k, name in enumerate(names):
        for i in range(n):
            p = risk[i, k]
            words = ["case" if p > 0.5 else "control", "case" if ill[i] else "control"]
            writer.writerow([*words, p, 1 - p, i + 1, name[2:], f"Fold{fold[i] + 1}"])
sources["caret"] = en.Predictions.load(folder / "caret.csv", positive="case")

# %%
# **A NumPy file**, which is mapped rather than read if it is large:
np.save(folder / "risk.npy", risk)
sources["NPY file"] = en.Predictions.load(folder / "risk.npy", y=ill, fold=fold, configs=names)

# %%
# All give the same estimate:
for name, pi in sources.items():
    estimate = en.estimate(pi, metric="roc_auc", rng=0)
    print(f"{name:12} {estimate}")
    plt.plot([estimate.interval.low, estimate.interval.high], [name, name], color="tab:blue")
    plt.plot(estimate.value, name, "D", color="tab:blue")
plt.xlabel("roc_auc of the winner, corrected, 95 % interval")

# %%
# Searches of scikit-learn are read by ``harvest``, boosting libraries by ``BoosterFolds``, Optuna's
# studies by ``keep_predictions``, evaluation logs by ``scores_from``, and AutoGluon, mljar, H2O,
# TabRepo and skore by ``predictions_from``. Each has a how-to guide.
