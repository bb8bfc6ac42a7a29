"""
Why did this configuration win?
===============================

``explain`` fits a surrogate to the scores of a search and shows how each hyperparameter moves them,
with a band that says how sure the surrogate is.
"""

# %%
# A search over an SVM with 20 random configurations.
from scipy.stats import loguniform
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import earnest as en

X, y = load_breast_cancer(return_X_y=True)
search = RandomizedSearchCV(
    make_pipeline(StandardScaler(), SVC()),
    {"svc__C": loguniform(1e-2, 1e3), "svc__gamma": loguniform(1e-5, 1e0)},
    n_iter=20,
    scoring="roc_auc",
    cv=3,
    random_state=0,
).fit(X[:150], y[:150])

explanation = en.explain(search, rng=0)
explanation.plot()

# %%
# One hyperparameter alone:
explanation.effect("svc__gamma").plot()

# %%
# Two together: the expected score, and how uncertain it is.
explanation.effect2d("svc__C", "svc__gamma").plot()

# %%
# Where in the space the effect is known best:
explanation.region_tree("svc__gamma").plot()
