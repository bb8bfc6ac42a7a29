"""
``SearchCV`` in place of ``GridSearchCV``
=========================================

The same arguments and the same winner, and a score you can report.
"""

# %%
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import earnest as en

X, y = load_breast_cancer(return_X_y=True)
noise = np.random.default_rng(0).standard_normal((len(X), 60)) * X.std(axis=0).mean()
X = np.hstack([X[:, :4], noise])[:120]

search = en.SearchCV(
    make_pipeline(StandardScaler(), SVC()),
    {"svc__C": np.logspace(-2, 4, 4), "svc__gamma": np.logspace(-5, 0, 3)},
    scoring="roc_auc",
    cv=5,
).fit(X, y[:120])
print(f"the search reports {search.best_score_:.3f}")
print(search.estimate_)
search.estimate_.plot()
