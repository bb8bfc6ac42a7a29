"""The types that a model file may be made of.

A file of skops names the types that it wants to be made; what a file names is never trusted for
being named. This list is all that is made beyond what skops itself trusts: the parts of the
portfolio, and what scikit-learn keeps inside them.
"""

from __future__ import annotations

TRUSTED: tuple[str, ...] = (
    "earnest.training.calibrated.Calibrated",
    "earnest.training.cox.CoxRegressor",
    "earnest.training.elastic_net.ElasticNetClassifier",
    "earnest.training.elastic_net.ElasticNetRegressor",
    "earnest.training.elastic_net.PathClassifier",
    "earnest.training.learners.ForestClassifier",
    "earnest.training.learners.ForestRegressor",
    "earnest.training.machines.KernelClassifier",
    "earnest.training.machines.KernelRegressor",
    "earnest.training.machines.LinearClassifier",
    "earnest.training.machines.LinearRegressor",
    "earnest.training.preprocessing.Preprocess",
    "earnest.training.selecting.Lasso",
    "earnest.training.selecting.Univariate",
    "earnest.training.ses.SES",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.tree._tree.Tree",
)
