"""
Would more cases help?
======================

``learning_curve`` trains a learner on parts of every training fold and scores it on the whole test
fold. Each score has a confidence interval.
"""

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier

import earnest as en

X, y = load_breast_cancer(return_X_y=True)
curve = en.learning_curve(KNeighborsClassifier(5), X, y, metric="accuracy", cv=5, rng=0)
print(curve)
curve.plot()
