"""The tools of the race, each as it is used: told the metric, the seconds and one core.

Every function runs in a process of its own, with the interpreter of its tool, so that packages are
imported where they are used. It returns what the tool says of itself, and how to predict.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

TARGET = "target"
SEED = 1
SCORING = {"roc_auc": "roc_auc", "log_loss": "neg_log_loss", "r2": "r2"}  # scikit-learn's names


@dataclass(frozen=True, eq=False)
class Job:
    """What a tool is given: the rows to train on, the task, the metric and the seconds."""

    features: pd.DataFrame
    outcome: pd.Series
    task: str
    metric: str
    budget: float
    cores: int = 1

    @property
    def frame(self) -> pd.DataFrame:
        """The columns and the outcome in one table."""
        return self.features.assign(**{TARGET: self.outcome.to_numpy()})


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a tool gives back.

    `predict` takes columns and gives the chance of the second class, the chances of all classes, or
    numbers. `claim` is what the tool says of its model by the metric of the race.
    """

    predict: Callable[[pd.DataFrame], Any]
    claim: float
    version: str
    low: float | None = None
    high: float | None = None
    naive: float | None = None
    detail: str = ""


@dataclass(frozen=True)
class Tool:
    """A tool of the race: `family` names its interpreter, `function` is `module:name`."""

    name: str
    family: str
    function: str
    options: dict[str, object] = field(default_factory=dict)


def list_tools() -> dict[str, Tool]:
    """Return the tools by name."""
    here = __name__
    tools = [
        Tool("earnest", "earnest", f"{here}:run_earnest"),
        Tool("earnest-greedy", "earnest", f"{here}:run_earnest", {"ensemble": "greedy"}),
        Tool("earnest-none", "earnest", f"{here}:run_earnest", {"ensemble": "none"}),
        Tool("flaml", "flaml", f"{here}:run_flaml"),
        Tool("autogluon-medium", "autogluon", f"{here}:run_autogluon", {"presets": "medium"}),
        Tool("autogluon-best", "autogluon", f"{here}:run_autogluon", {"presets": "best"}),
        Tool("mljar", "mljar", f"{here}:run_mljar"),
        Tool("search-boosting", "sklearn", f"{here}:run_search", {"space": "boosting"}),
        Tool("search-pipelines", "sklearn", f"{here}:run_search", {"space": "pipelines"}),
        Tool("plain-linear", "sklearn", f"{here}:run_untuned", {"model": "linear"}),
        Tool("plain-boosting", "sklearn", f"{here}:run_untuned", {"model": "boosting"}),
        Tool("plain-forest", "sklearn", f"{here}:run_untuned", {"model": "forest"}),
        Tool("plain-catboost", "catboost", f"{here}:run_catboost"),
        Tool("plain-lightgbm", "lightgbm", f"{here}:run_lightgbm"),
    ]
    return {tool.name: tool for tool in tools}


# earnest


def run_earnest(job: Job, **options: Any) -> Fitted:
    """Tune within the budget; the claim is the corrected estimate."""
    import earnest as en

    found = en.tune(
        job.frame,
        target=TARGET,
        metric=job.metric,
        task=job.task,
        budget=job.budget,
        n_jobs=job.cores,
        rng=SEED,
        **options,
    )
    made, limits = found.estimate, found.estimate.interval

    def predict(features: pd.DataFrame) -> Any:
        scores = np.asarray(found.model.predict(features).scores)
        return scores[:, -1] if job.task == "binary" and scores.ndim == 2 else scores

    tried = len(found.predictions.configs.ids)
    spent = f"{found.fit_seconds:.0f} s in fits of {tried} configurations"
    return Fitted(
        predict,
        made.value,
        en.__version__,
        low=None if limits is None else limits.low,
        high=None if limits is None else limits.high,
        naive=made.naive,
        detail=f"{found.model.winner}; best alone {found.winner.name}; {spent}",
    )


# Other tools


def run_flaml(job: Job) -> Fitted:
    """Search for so many seconds; the claim is the score of its best configuration."""
    from flaml import AutoML

    tool = AutoML()
    tool.fit(
        job.features,
        job.outcome,
        task="regression" if job.task == "regression" else "classification",
        metric=job.metric,
        time_budget=job.budget,
        n_jobs=job.cores,
        seed=SEED,
        verbose=0,
    )
    loss = float(tool.best_loss)  # 1 - AUC, 1 - R2, or the log loss
    return Fitted(
        _predict_by(tool, job.task),
        loss if job.metric == "log_loss" else 1 - loss,
        version("flaml"),
        detail=str(tool.best_estimator),
    )


def run_autogluon(job: Job, presets: str) -> Fitted:
    """Fit with a preset; the claim is the score of the best model on its own validation."""
    from autogluon.tabular import TabularPredictor

    names = {"binary": "binary", "multiclass": "multiclass", "regression": "regression"}
    predictor = TabularPredictor(
        label=TARGET,
        problem_type=names[job.task],
        eval_metric=job.metric,
        path=tempfile.mkdtemp(),
        verbosity=1,
    ).fit(
        job.frame,
        presets=f"{presets}_quality",
        time_limit=job.budget,
        num_cpus=job.cores,
        num_gpus=0,
        ag_args_ensemble={"fold_fitting_strategy": "sequential_local"},
    )
    board = predictor.leaderboard(silent=True)
    best = str(predictor.model_best)
    claim = abs(float(board.loc[board["model"] == best, "score_val"].iloc[0]))
    if job.metric == "r2":
        claim = float(board.loc[board["model"] == best, "score_val"].iloc[0])

    def predict(features: pd.DataFrame) -> Any:
        if job.task == "regression":
            return predictor.predict(features).to_numpy()
        chances = predictor.predict_proba(features)
        chances = chances[sorted(chances.columns)].to_numpy()
        return chances[:, 1] if job.task == "binary" else chances

    return Fitted(
        predict, claim, version("autogluon.tabular"), detail=f"{best}; {len(board)} models"
    )


def run_mljar(job: Job) -> Fitted:
    """Fit in the mode that is made to win; the claim is the score of its best model."""
    from supervised import AutoML

    tasks = {"binary": "binary_classification", "multiclass": "multiclass_classification"}
    metrics = {"roc_auc": "auc", "log_loss": "logloss", "r2": "r2"}
    tool = AutoML(
        results_path=tempfile.mkdtemp(),
        total_time_limit=int(job.budget),
        mode="Compete",
        ml_task=tasks.get(job.task, "regression"),
        eval_metric=metrics[job.metric],
        n_jobs=job.cores,
        explain_level=0,
        random_state=SEED,
        verbose=0,
    )
    tool.fit(job.features, job.outcome)
    board = tool.get_leaderboard()
    losses = board["metric_value"].to_numpy(dtype=float)  # -AUC, -R2, or the log loss
    place = int(losses.argmin())
    return Fitted(
        _predict_by(tool, job.task),
        float(losses[place] if job.metric == "log_loss" else -losses[place]),
        version("mljar-supervised"),
        detail=f"{board['name'].iloc[place]}; {len(board)} models",
    )


# scikit-learn: searches that end by the clock, and models as they come


def run_search(job: Job, space: str) -> Fitted:
    """Draw configurations until the time is over, as RandomizedSearchCV does with a number."""
    from time import monotonic

    from sklearn.base import clone
    from sklearn.model_selection import ParameterSampler, cross_val_score

    began = monotonic()
    model, params = _make_space(job, space)
    rng = np.random.RandomState(SEED)
    best: tuple[float, Any, dict[str, object]] | None = None
    tried, longest = 0, 0.0
    while best is None or monotonic() - began + 1.2 * longest < job.budget:
        start = monotonic()
        drawn = next(iter(ParameterSampler(params, 1, random_state=rng)))
        candidate = clone(model).set_params(**drawn) if tried else clone(model)
        scores = cross_val_score(
            candidate, job.features, job.outcome, cv=5, scoring=SCORING[job.metric], n_jobs=1
        )
        score = float(np.nan_to_num(scores.mean(), nan=-np.inf))
        if best is None or score > best[0]:
            best = (score, candidate, drawn if tried else {})
        tried, longest = tried + 1, max(longest, monotonic() - start)
    fitted = clone(best[1]).fit(job.features, job.outcome)
    drawn = {key.rpartition("__")[2]: value for key, value in best[2].items()}
    return Fitted(
        _predict_by(fitted, job.task),
        -best[0] if job.metric == "log_loss" else best[0],
        version("scikit-learn"),
        detail=f"{_name_of(best[1])} of {tried} configurations: {_say(drawn)}",
    )


def run_untuned(job: Job, model: str) -> Fitted:
    """Fit a model as it comes; the claim is the mean score of five folds."""
    from sklearn.model_selection import cross_val_score

    made = _make_model(job, model)
    scores = cross_val_score(
        made, job.features, job.outcome, cv=5, scoring=SCORING[job.metric], n_jobs=1
    )
    return Fitted(
        _predict_by(made.fit(job.features, job.outcome), job.task),
        float(-scores.mean() if job.metric == "log_loss" else scores.mean()),
        version("scikit-learn"),
        detail=_name_of(made),
    )


def run_catboost(job: Job) -> Fitted:
    """Fit CatBoost as it comes, with its own way of categories; it claims nothing."""
    from catboost import CatBoostClassifier, CatBoostRegressor

    words = _list_words(job.features)
    kind = CatBoostRegressor if job.task == "regression" else CatBoostClassifier
    model = kind(random_seed=SEED, thread_count=job.cores, verbose=False, cat_features=words)

    def read(features: pd.DataFrame) -> pd.DataFrame:
        return features.assign(**{name: features[name].astype(str) for name in words})

    model.fit(read(job.features), job.outcome)
    predict = _predict_by(model, job.task)
    return Fitted(lambda features: predict(read(features)), float("nan"), version("catboost"))


def run_lightgbm(job: Job) -> Fitted:
    """Fit LightGBM as it comes, with its own way of categories; it claims nothing."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    kinds = {
        name: pd.CategoricalDtype(sorted(job.features[name].astype(str).unique()))
        for name in _list_words(job.features)
    }
    kind = LGBMRegressor if job.task == "regression" else LGBMClassifier
    model = kind(random_state=SEED, n_jobs=job.cores, verbosity=-1)

    def read(features: pd.DataFrame) -> pd.DataFrame:
        words = {name: features[name].astype(str).astype(kinds[name]) for name in kinds}
        return features.assign(**words)

    model.fit(read(job.features), job.outcome)
    predict = _predict_by(model, job.task)
    return Fitted(lambda features: predict(read(features)), float("nan"), version("lightgbm"))


def _list_words(features: pd.DataFrame) -> list[str]:
    """Return the columns that are no numbers; dates count as words."""
    return [name for name in features if not pd.api.types.is_numeric_dtype(features[name])]


def _make_space(job: Job, space: str) -> tuple[Any, Any]:
    """Return a pipeline and what to draw of it."""
    from scipy.stats import loguniform, randint

    def of_boosting(prefix: str) -> dict[str, object]:
        return {
            f"{prefix}learning_rate": loguniform(0.01, 0.3),
            f"{prefix}max_iter": randint(50, 400),
            f"{prefix}max_leaf_nodes": randint(4, 64),
            f"{prefix}min_samples_leaf": randint(5, 60),
            f"{prefix}l2_regularization": loguniform(1e-4, 10),
        }

    if space == "boosting":
        return _make_model(job, "boosting"), of_boosting("model__")
    linear, forest, boosting = (
        _make_model(job, one).named_steps["model"] for one in ("linear", "forest", "boosting")
    )
    strength = "model__alpha" if job.task == "regression" else "model__C"
    return _make_model(job, "linear"), [
        {"model": [linear], strength: loguniform(1e-3, 1e2)},
        {
            "model": [forest],
            "model__n_estimators": [200],
            "model__min_samples_leaf": randint(1, 10),
            "model__max_features": [0.2, 0.5, "sqrt", 1.0],
        },
        {"model": [boosting], **of_boosting("model__")},
    ]


def _make_model(job: Job, model: str) -> Any:
    """Return a pipeline with gaps filled and categories encoded."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import Pipeline, make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    encode = make_column_transformer(
        (
            make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
            make_column_selector(dtype_include="number"),
        ),
        remainder=make_pipeline(
            SimpleImputer(strategy="most_frequent"),
            OneHotEncoder(handle_unknown="ignore", sparse_output=False, min_frequency=2),
        ),
    )
    number = job.task == "regression"
    made = {
        "linear": Ridge() if number else LogisticRegression(max_iter=2000),
        "forest": (RandomForestRegressor if number else RandomForestClassifier)(random_state=SEED),
        "boosting": (HistGradientBoostingRegressor if number else HistGradientBoostingClassifier)(
            random_state=SEED
        ),
    }
    return Pipeline([("encode", encode), ("model", made[model])])


def _predict_by(model: Any, task: str) -> Callable[[pd.DataFrame], Any]:
    """Return how a fitted model of scikit-learn's kind predicts."""

    def predict(features: pd.DataFrame) -> Any:
        if task == "regression":
            return np.asarray(model.predict(features), dtype=float).ravel()
        chances = np.asarray(model.predict_proba(features), dtype=float)
        return chances[:, 1] if task == "binary" else chances

    return predict


def _name_of(model: Any) -> str:
    return type(model.named_steps["model"]).__name__


def _say(params: dict[str, object]) -> str:
    shown = {key: value for key, value in params.items() if key != "model"}
    return ", ".join(
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in sorted(shown.items())
    )
