"""The verb `validate`: a model on cases from elsewhere, as it is and updated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from earnest.adapters.evidence import open_evidence
from earnest.comparison.run import compare
from earnest.core.arguments.base import check_arguments
from earnest.core.arguments.validate import ValidateArguments
from earnest.core.base import check
from earnest.core.base.errors import EarnestError, EvidenceError, InputError
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.data.case_weights import refuse_case_weights
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Task
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import by_severity
from earnest.core.results.thresholds import TREAT_ALL
from earnest.core.results.validation import CaseMix, Update, UpdateKind, Validation
from earnest.core.text.doors import arg
from earnest.inference.curves.calibration import calibration
from earnest.inference.curves.thresholds import thresholds
from earnest.inference.remarks import warn_of_few_events
from earnest.methods.run import estimate
from earnest.metrics import metric as resolve_metric
from earnest.metrics.calibration import find_odds, maximise_likelihood, separates
from earnest.training.protocols import Classifier
from earnest.training.tables.outcome import find_column
from earnest.training.tables.schema import cast_to_text
from earnest.training.tables.table import open_training_table
from earnest.training.tune.model import Model, load_model

if TYPE_CHECKING:
    from earnest.core.tables.columns import Columns

Floats = NDArray[np.float64]
METRICS = (
    *("roc_auc", "brier_skill", "log_loss", "brier"),
    *("calibration_intercept", "calibration_slope", "expected_observed", "ici"),
)
FEWEST = 5  # cases of a class: with fewer, resamples leave most metrics undefined
Fit = Callable[[NDArray[np.intp]], Callable[[NDArray[np.intp]], Floats]]


def validate(
    model: Model | Predictions | str | Path,
    table: object = None,
    *,
    target: str | None = None,
    group: str | None = None,
    development: Predictions | None = None,
    refit: bool = True,
    folds: int = 10,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: RngLike = None,
) -> Validation:
    """Tell what a model of two classes is worth on cases from elsewhere, and what an update gains.

    Discrimination, calibration and net benefit with intervals, how the cases differ from those of
    the development, and four ways to use the model: as it is, recalibrated in the large (the
    intercept), recalibrated (intercept and slope), and refitted. Each is judged by
    cross-validation on the new cases, and the best of them is corrected for that choice.

    **What it assumes.** The new cases (or groups) are independent, and none of them was used in
    the development. Nothing was changed after looking at them.

    Parameters
    ----------
    model : Model, str, Path or Predictions
        A model, the folder of a run, or a model file; or what any model predicts for the new
        cases: `Predictions` of one configuration without folds.
    table : str, Path or frame
        The new cases, with the columns of training and the outcome. Left out for predictions.
    target, group : str, optional
        The columns of the outcome, by default as in training, and of groups.
    development : Predictions, optional
        Out-of-fold predictions of the development, for the case mix; by default those of the run.
    refit : bool
        Whether the model is also fitted again, on the new cases alone.
    folds : int
        The folds in which updates are judged.
    n_resamples : int
        The number of bootstrap resamples.
    confidence_level : float
        The level of all intervals.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed; the result records it.

    Returns
    -------
    Validation
        The estimates, the calibration, the decision curve, the case mix and the updates.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> odds = rng.standard_normal(300)
    >>> y = (rng.random(300) < 1 / (1 + np.exp(-odds))).astype(int)
    >>> pi = en.Predictions.from_arrays(y, 1 / (1 + np.exp(-2.5 * odds - 1)), configs=["old"])
    >>> found = en.validate(pi, n_resamples=100, rng=0)
    >>> str(found.best), found.is_worth_updating
    ('recalibrated', True)
    """
    check_arguments(ValidateArguments, folds=folds, n_resamples=n_resamples)
    level = check.check_share("confidence_level", confidence_level)
    seeds = Seeds.of(rng)
    fit: Fit | None = None
    cautions: tuple[Caution, ...] = ()
    if isinstance(model, Predictions):
        if table is not None or target is not None or group is not None:
            raise InputError(
                "predictions have their outcome and their groups in themselves",
                needs=f"a model, or predictions without {arg('table')}, {arg('target')} and "
                f"{arg('group')}",
                got="both",
            )
        pi = model
    else:
        if not isinstance(model, Model):
            development = _find_development(model) if development is None else development
            model = load_model(model)
        pi, X, cautions = _predict_table(model, table, target, group)
        fit = _refit(model, X, pi.target.y) if refit else None
    refuse_case_weights(pi.target.weights, "a validation")
    _refuse_others(pi)
    return _judge(pi, fit, development, folds, n_resamples, level, seeds, cautions)


def _refuse_others(pi: Predictions) -> None:
    """Refuse what is not the probabilities of one fixed model for two classes."""
    if pi.target.task is not Task.BINARY or pi.kind is not ResponseKind.PROBABILITY:
        raise EvidenceError(
            "a validation is for the probabilities of two classes",
            needs="task binary, response probability",
            got=f"task {pi.target.task}, response {pi.kind}",
            cure="For other models predict the new cases, and ask earnest.estimate.",
        )
    if pi.n_configs > 1 or pi.n_folds > 1 or pi.n_repeats > 1:
        raise EvidenceError(
            "a validation is for one model that was fixed before",
            needs="predictions of one configuration, without folds",
            got=f"{pi.n_configs} configurations, {pi.n_folds} folds",
            cure="To judge the winner of a search on its own cases, use earnest.estimate.",
        )
    counts = np.bincount(pi.target.y, minlength=2)
    if counts.min() < FEWEST:
        raise EvidenceError(
            "there are too few cases of a class to validate a model",
            needs=f"at least {FEWEST} of each, better a hundred",
            got=f"{counts[1]} of {pi.target.classes[1]}, {counts[0]} of {pi.target.classes[0]}",
        )


def _find_development(run: str | Path) -> Predictions | None:
    """Return the out-of-fold predictions of a run's winner, None where they are not known."""
    try:
        source = open_evidence(run)
    except EarnestError:  # a model file without its run
        return None
    pi = source.evidence
    if not isinstance(pi, Predictions) or source.winner not in pi.configs.ids:
        return None
    return pi.select(source.winner)


# The new cases.


def _predict_table(
    model: Model, table: object, target: str | None, group: str | None
) -> tuple[Predictions, Floats, tuple[Caution, ...]]:
    """Return what the model predicts for the rows with an outcome, and their columns."""
    if table is None:
        raise InputError(f"{arg('table')} is missing", needs="the new cases, with their outcome")
    if model.task is not Task.BINARY or not model.probabilities:
        raise EvidenceError(
            "a validation is for a model that predicts probabilities of two classes",
            needs="task binary, probabilities",
            got=f"task {model.task}" + ("" if model.probabilities else ", scores"),
            cure="For other models predict the new cases, and ask earnest.estimate.",
        )
    columns = open_training_table(table, missing=model.schema.missing, text=model.schema.texts)
    name = model.schema.roles.get("target", "") if target is None else target
    codes = _read_codes(columns, name, model.classes)
    rows = np.flatnonzero(codes >= 0)
    if not len(rows):
        raise InputError(
            f"the outcome {name!r} is missing in every row", needs="cases whose outcome is known"
        )
    encoded = model.schema.read(columns, rows)
    forecast = model._answer(encoded.X, ())
    assert forecast.scores is not None
    groups = None
    if group is not None:
        labels = np.asarray(cast_to_text(find_column(columns, group, "group")).to_pylist())
        groups = labels[rows]
    labels = np.array([str(label) for label in model.classes])
    pi = Predictions.from_arrays(
        labels[codes[rows]],
        forecast.scores[:, 1],
        groups=groups,
        configs=[model.winner],
        positive=labels[1],
    )
    return pi, encoded.X, tuple(encoded.cautions)


def _read_codes(columns: Columns, name: str, classes: tuple[object, ...]) -> NDArray[np.intp]:
    """Return the codes of an outcome, -1 where it is missing; refuse labels that are unknown."""
    column = find_column(columns, name, "target")
    values = cast_to_text(column).to_pylist()
    known = {_spell(label): code for code, label in enumerate(classes)}
    spelled = [None if value is None else _spell(value) for value in values]
    strange = list(dict.fromkeys(v for v in spelled if v is not None and v not in known))
    if strange:
        raise InputError(
            f"the outcome {name!r} has labels that the model does not know",
            needs=check.some(map(repr, classes)),
            got=check.some(map(repr, strange)),
        )
    codes = [-1 if value is None else known[value] for value in spelled]
    return np.array(codes, dtype=np.intp)


def _spell(label: object) -> str:
    """Return a label as text, numbers alike however they are written."""
    text = str(label).strip()
    try:
        return f"{float(text):g}"
    except ValueError:
        return text.casefold() if text.casefold() in ("true", "false") else text


def _refit(model: Model, X: Floats, y: NDArray[np.generic]) -> Fit:
    """Return what fits a copy of the model to some new cases."""
    from sklearn.base import clone

    def fit(train: NDArray[np.intp]) -> Callable[[NDArray[np.intp]], Floats]:
        copy = clone(model.estimator).fit(X[train], y[train])
        classifier: Classifier = copy

        def predict(rows: NDArray[np.intp]) -> Floats:
            column = list(np.asarray(classifier.classes_)).index(1)
            return np.asarray(classifier.predict_proba(X[rows])[:, column], dtype=np.float64)

        return predict

    return fit


# The judgement.


def _judge(
    pi: Predictions,
    fit: Fit | None,
    development: Predictions | None,
    folds: int,
    n_resamples: int,
    level: float,
    seeds: Seeds,
    cautions: tuple[Caution, ...],
) -> Validation:
    """Return the validation from checked arguments."""
    seed = seeds.entropy
    performance = tuple(
        estimate(
            pi,
            metric=metric,
            confidence_level=level,
            n_resamples=None if metric == "roc_auc" else n_resamples,
            rng=seed,
        )
        for metric in METRICS
    )
    updated, coefficients = _update(pi, fit, folds, np.random.default_rng(seed))
    updates = tuple(_judge_updates(updated, coefficients, level, n_resamples, seed))
    best = estimate(
        updated, metric="log_loss", confidence_level=level, n_resamples=n_resamples, rng=seed
    )
    remarks = {(each.kind, each.what): each for each in (*cautions, *_warn(pi))}
    return Validation(
        model=pi.configs.ids[0],
        positive=str(pi.target.classes[1]),
        n_cases=pi.n_cases,
        n_events=int((pi.target.y == 1).sum()),
        confidence_level=level,
        performance=performance,
        benchmark=find_benchmark(pi.responses[:, 0, 0].astype(np.float64)),
        calibration=calibration(pi, 0, confidence_level=level),
        decision=thresholds(
            pi,
            metric="log_loss",
            against=TREAT_ALL,
            confidence_level=level,
            n_resamples=min(n_resamples, 200),
            rng=seed,
        ),
        case_mix=None if development is None else _compare_cases(development, pi, level),
        updates=updates,
        updated=best,
        cautions=by_severity(remarks.values()),
        seed=seed,
    )


def _warn(pi: Predictions) -> Iterator[Caution]:
    yield from warn_of_few_events(pi, resolve_metric("calibration_slope"))


def find_benchmark(p: Floats) -> float:
    """Return the AUC to expect of probabilities that are right (Van Klaveren et al. 2016).

    Over all pairs of cases, the chance that one is an event and the other is not, in the order of
    their probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.validation.validate import find_benchmark
    >>> round(find_benchmark(np.array([0.2, 0.8])), 3)
    0.941
    """
    values, place = np.unique(p, return_inverse=True)
    events = np.bincount(place, weights=p, minlength=len(values))
    others = np.bincount(place, weights=1.0 - p, minlength=len(values))
    below = np.cumsum(others) - others
    alone = float((p * (1.0 - p)).sum())  # no case is a pair with itself
    ordered = float((events * (below + 0.5 * others)).sum()) - 0.5 * alone
    return ordered / (float(p.sum()) * float((1.0 - p).sum()) - alone)


def _compare_cases(old: Predictions, new: Predictions, level: float) -> CaseMix | None:
    """Return how the cases differ; None where the development has no such probabilities."""
    if old.target.task is not Task.BINARY or old.kind is not ResponseKind.PROBABILITY:
        return None
    usable = old.usable()
    p = np.nanmean(usable.responses[:, 0].astype(np.float64), axis=1)
    before, after = (
        find_odds(values, float(len(values)))
        for values in (p, new.responses[:, 0, 0].astype(np.float64))
    )
    membership = estimate(
        Predictions.from_arrays(
            np.repeat([0, 1], [len(before), len(after)]),
            np.concatenate([before, after]),
            configs=["log odds"],
            response="decision",
            groups=_join_groups(usable, new),
        ),
        metric="roc_auc",
        confidence_level=level,
    )
    return CaseMix(
        n_development=usable.n_cases,
        share_development=float((usable.target.y == 1).mean()),
        share=float((new.target.y == 1).mean()),
        mean_development=float(before.mean()),
        mean=float(after.mean()),
        sd_development=float(before.std(ddof=1)),
        sd=float(after.std(ddof=1)),
        membership=replace(membership, cautions=()),
    )


def _join_groups(old: Predictions, new: Predictions) -> NDArray[np.int64] | None:
    """Return the groups of both, of either a case alone where it has none; None of neither."""
    if old.target.groups is None and new.target.groups is None:
        return None
    codes = [
        np.arange(pi.n_cases)
        if pi.target.groups is None
        else np.unique(pi.target.groups, return_inverse=True)[1].reshape(-1)
        for pi in (old, new)
    ]
    return np.concatenate([codes[0], codes[0].max() + 1 + codes[1]]).astype(np.int64)


# Updates.

Line = tuple[float, float]


def _update(
    pi: Predictions, fit: Fit | None, folds: int, rng: np.random.Generator
) -> tuple[Predictions, dict[UpdateKind, Line]]:
    """Return what updates predict for cases that did not make them, and those of all cases."""
    from sklearn.model_selection import GroupKFold, StratifiedKFold

    y, p = pi.target.y, pi.responses[:, 0, 0].astype(np.float64)
    groups = pi.target.groups
    odds = find_odds(p, float(len(p)))
    most = int(np.bincount(y).min()) if groups is None else len(np.unique(groups))
    count = min(folds, most)
    if count < 2:
        raise EvidenceError(
            "updates cannot be judged by cross-validation",
            needs="at least two groups, or two cases of each class",
            got=f"{most}",
        )
    if groups is None:
        kind = StratifiedKFold(count, shuffle=True, random_state=int(rng.integers(1 << 31)))
        parts = list(kind.split(odds, y))
    else:
        parts = list(GroupKFold(count).split(odds, y, groups))
    kinds = [UpdateKind.AS_IT_IS, UpdateKind.IN_THE_LARGE, UpdateKind.RECALIBRATED]
    kinds += [UpdateKind.REFITTED] if fit is not None else []
    out = np.empty((len(y), len(kinds)))
    fold = np.empty(len(y), dtype=np.intp)
    for k, (train, test) in enumerate(parts):
        fold[test] = k
        for c, update in enumerate(kinds):
            if update is UpdateKind.AS_IT_IS:
                out[test, c] = p[test]
            elif update is UpdateKind.REFITTED:
                assert fit is not None
                out[test, c] = fit(train)(test)
            else:
                level, slope = fit_line(odds[train], y[train], update)
                out[test, c] = expit(level + slope * odds[test])
    lines = {
        update: fit_line(odds, y, update)
        for update in (UpdateKind.IN_THE_LARGE, UpdateKind.RECALIBRATED)
    }
    updated = Predictions.from_arrays(
        y, out, fold, groups=groups, configs=[str(kind) for kind in kinds], positive=1
    )
    return updated, lines


def fit_line(odds: Floats, y: NDArray[np.generic], kind: UpdateKind) -> Line:
    """Return the intercept and the slope of a recalibration.

    Where the log odds separate the classes, or one class is missing, nothing can be learned of the
    slope, or of both: these stay as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.results.validation import UpdateKind
    >>> from earnest.training.validation.validate import fit_line
    >>> odds, y = np.zeros(4), np.array([0, 1, 1, 1])
    >>> level, slope = fit_line(odds, y, UpdateKind.IN_THE_LARGE)
    >>> round(level, 3), slope
    (1.099, 1.0)
    """
    truth, ones = y.astype(np.float64), np.ones(len(odds))
    if not 0.0 < truth.mean() < 1.0:
        return 0.0, 1.0
    if kind is UpdateKind.RECALIBRATED and np.ptp(odds) > 0.0 and not separates(odds, truth):
        design = np.column_stack([ones, odds])
        line = maximise_likelihood(design, 0.0 * odds, truth, ones, np.array([0.0, 1.0]))
        if line is not None:
            return float(line[0]), float(line[1])
    level = maximise_likelihood(ones[:, None], odds, truth, ones, np.zeros(1))
    return (0.0 if level is None else float(level[0])), 1.0


def _judge_updates(
    updated: Predictions,
    lines: dict[UpdateKind, Line],
    level: float,
    n_resamples: int,
    seed: int | None,
) -> Iterator[Update]:
    """Yield each update with its log loss and what it gains."""
    for name in updated.configs.ids:
        kind = UpdateKind(name)
        alone = estimate(
            updated.select(name),
            metric="log_loss",
            method="bbc",
            confidence_level=level,
            n_resamples=n_resamples,
            rng=seed,
        )
        gain = None
        if kind is not UpdateKind.AS_IT_IS:
            try:
                gain = compare(
                    updated,
                    name,
                    str(UpdateKind.AS_IT_IS),
                    metric="log_loss",
                    confidence_level=level,
                    rng=seed,
                )
            except EarnestError:
                gain = None
        intercept, slope = lines.get(kind, (None, None))
        yield Update(kind=kind, log_loss=alone, gain=gain, intercept=intercept, slope=slope)
