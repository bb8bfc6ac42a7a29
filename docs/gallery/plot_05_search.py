"""
``SearchCV`` in place of ``GridSearchCV``
=========================================

The same arguments and the same winner, and a score you can report: what the search saw of each
configuration, and what to expect of the one it chose.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import earnest as en

X, y = load_breast_cancer(return_X_y=True)
noise = np.random.default_rng(0).standard_normal((len(X), 60)) * X.std(axis=0).mean()
X = np.hstack([X[:, :4], noise])[:120]

costs, gammas = np.logspace(-2, 4, 7), np.logspace(-5, 0, 6)
search = en.SearchCV(
    make_pipeline(StandardScaler(), SVC()),
    {"svc__C": costs, "svc__gamma": gammas},
    scoring="roc_auc",
    cv=5,
).fit(X, y[:120])
print(f"the search reports {search.best_score_:.3f}")
print(search.estimate_)

# %%
# The winner is marked. Its colour is its score in the search; the title says what to report.
table = search.cv_results_["mean_test_score"].reshape(len(costs), len(gammas))
mesh = plt.pcolormesh(gammas, costs, table, cmap="viridis")
plt.colorbar(mesh, label="roc_auc in the search")
best = search.best_params_
plt.plot(best["svc__gamma"], best["svc__C"], "*", color="white", markersize=16)
plt.xscale("log")
plt.yscale("log")
plt.xlabel("svc__gamma")
plt.ylabel("svc__C")
interval = search.estimate_.interval
plt.title(f"to report: {search.estimate_.value:.2f} ({interval.low:.2f} to {interval.high:.2f})")
