"""
How good is a learner that was not tuned?
=========================================

``assess_all`` trains a learner on bootstrap replicates once, and estimates its performance with
every estimator that these replicates allow, each with a standard error.
"""

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

import earnest as en

X, y = load_breast_cancer(return_X_y=True)
estimates = en.assess_all(GaussianNB(), X[:100], y[:100], metric="roc_auc", n_replicates=100, rng=0)
estimates.plot()
