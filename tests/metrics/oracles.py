"""What scikit-learn, SciPy, scikit-survival and the definitions say of one column of predictions.

`oracle(name, task, y, response, weight)` is given the rows as they are; `weight` is None, or real
weights where the other library takes them (`WEIGHTED`).
"""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats
from sklearn import metrics as sk

from earnest.core import Task
from tests.metrics.evidence import K
from tests.metrics.survival_oracles import OF_SURVIVAL, of_survival

Values = NDArray[Any]

# scikit-survival has no wheels for the newest Python; where it is missing, the definition is held
# against alone.
SURVIVAL = import_module("sksurv.metrics") if find_spec("sksurv") else None

LABELS = {
    "accuracy": sk.accuracy_score,
    "error_rate": sk.zero_one_loss,
    "mcc": sk.matthews_corrcoef,
}
POSITIVE = {
    "precision": (sk.precision_score, {}),
    "recall": (sk.recall_score, {}),
    "specificity": (sk.recall_score, {"pos_label": 0}),
    "npv": (sk.precision_score, {"pos_label": 0}),
    "f1": (sk.f1_score, {}),
    "f_beta": (sk.fbeta_score, {"beta": 2.0}),
    "f1_macro": (sk.f1_score, {"average": "macro"}),
    "f1_weighted": (sk.f1_score, {"average": "weighted"}),
    "precision_macro": (sk.precision_score, {"average": "macro"}),
    "recall_macro": (sk.recall_score, {"average": "macro"}),
}
VALUES = {
    "mse": sk.mean_squared_error,
    "rmse": sk.root_mean_squared_error,
    "mae": sk.mean_absolute_error,
    "mape": sk.mean_absolute_percentage_error,
    "median_absolute_error": sk.median_absolute_error,
}
AREAS = {
    "roc_auc_ovr": ("ovr", "macro"),
    "roc_auc_ovr_weighted": ("ovr", "weighted"),
    "roc_auc_ovo": ("ovo", "macro"),
    "roc_auc_ovo_weighted": ("ovo", "weighted"),
}
# those for which a weighted value of another library, or a plain definition, is at hand
UNWEIGHTED = {
    *("roc_auc_ovo", "roc_auc_ovo_weighted", "spearman"),
    *("ici", "e50", "e90", "ece", "survival_ici"),  # their quantiles are those of repeated rows
    "survival_slope",  # how many cases there are bounds its log odds
}


def oracle(
    name: str, task: Task, y: Values, response: Values, weight: Values | None = None
) -> float:
    """Return the other library's value, NaN where the metric is undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if task is Task.SURVIVAL:
            if name == "concordance":
                risk = response[:, 0]
                return survival(y, risk) if weight is None else pairs(y, risk, weight)
            if name not in OF_SURVIVAL:
                raise no_oracle(name)
            return of_survival(name, y, response, np.ones(len(y)) if weight is None else weight)
        if task is Task.REGRESSION:
            return regression(name, y, response, weight)
        return classes(name, task, y, response, weight)


def no_oracle(name: str) -> AssertionError:
    """Return the error for a metric that is registered and not yet known here."""
    return AssertionError(
        f"no oracle for {name!r}: add its plain definition, or another library's function, to "
        "tests/metrics/oracles.py"
    )


def classes(name: str, task: Task, y: Values, response: Values, weight: Values | None) -> float:
    binary = task is Task.BINARY
    labels = (response > 0.5).astype(int) if binary else response.argmax(axis=1)
    codes = [0, 1] if binary else list(range(K))
    if name in LABELS:
        return float(LABELS[name](y, labels, sample_weight=weight))
    if name in POSITIVE:
        function, more = POSITIVE[name]
        return float(function(y, labels, sample_weight=weight, zero_division=0, **more))
    if name == "balanced_accuracy":
        alone = len(np.unique(y)) < 2  # we call that undefined
        return np.nan if alone else sk.balanced_accuracy_score(y, labels, sample_weight=weight)
    if name in ("cohen_kappa", "quadratic_kappa"):
        how = "quadratic" if name == "quadratic_kappa" else None
        return sk.cohen_kappa_score(y, labels, labels=codes, weights=how, sample_weight=weight)
    if name == "log_loss":
        return sk.log_loss(y, response, labels=codes, sample_weight=weight)
    if name == "brier":
        known = {"pos_label": 1} if binary else {"labels": codes}
        return sk.brier_score_loss(y, response, sample_weight=weight, **known)
    if name in CALIBRATION:
        return calibration(name, y, response, weight)
    if name in AREAS:
        if len(np.unique(y)) < 2:
            return np.nan
        how, average = AREAS[name]
        return sk.roc_auc_score(
            y, response, multi_class=how, average=average, labels=codes, sample_weight=weight
        )
    return two_classes(name, y, response, labels, weight)


CALIBRATION = (
    *("calibration_intercept", "calibration_slope", "expected_observed"),
    *("ici", "e50", "e90", "ece", "brier_skill"),
)


def calibration(name: str, y: Values, response: Values, weight: Values | None) -> float:
    """Return a measure of calibration by its formula; of several classes the mean over them."""
    w = np.ones(len(y)) if weight is None else weight
    classes = len(np.unique(y))
    if classes < (2 if response.ndim == 1 or name == "brier_skill" else K):
        return np.nan
    columns = [(response, y == 1)]
    if response.ndim == 2:
        columns = [(response[:, code], y == code) for code in range(K)]
    if name == "brier_skill":
        lost = [(w * (truth - p) ** 2).sum() for p, truth in columns]
        apart = [(w * (truth - np.average(truth, weights=w)) ** 2).sum() for _, truth in columns]
        return 1 - float(sum(lost) / sum(apart))
    return float(np.mean([calibrate_class(name, p, truth * 1.0, w) for p, truth in columns]))


def fit_logit(design: Values, offset: Values, y: Values, w: Values) -> Values:
    """Return logistic coefficients: where the gradient of the likelihood vanishes; NaN if nowhere.

    It vanishes nowhere if a plane of the design divides the classes, by linear programming, or if
    its columns depend on each other.
    """
    signed = (2 * y - 1)[:, None] * design
    rows = np.vstack([-signed, signed])
    bounds = np.concatenate([np.zeros(len(y)), np.ones(len(y))])
    best = optimize.linprog(-signed.sum(axis=0), A_ub=rows, b_ub=bounds, bounds=(None, None))
    nowhere = np.full(design.shape[1], np.nan)
    if (not offset.any() and best.fun < -1e-7) or np.linalg.matrix_rank(design) < len(nowhere):
        return nowhere

    def lose(beta: Values) -> float:
        score = design @ beta + offset
        return float((w * (np.logaddexp(0, score) - y * score)).sum())

    def descend(beta: Values) -> Values:
        return design.T @ (w * (special.expit(design @ beta + offset) - y))

    def bend(beta: Values) -> Values:
        p = special.expit(design @ beta + offset)
        return (design.T * (w * p * (1 - p))) @ design

    beta = optimize.minimize(
        lose,
        np.zeros(len(nowhere)),
        jac=descend,
        hess=bend,
        method="trust-exact",
        options={"maxiter": 2000},
    ).x
    for _ in range(8):
        beta = beta - np.linalg.solve(bend(beta), descend(beta))
    return beta


def reduce_cases(p: Values, y: Values) -> tuple[Values, Values]:
    """Return the fewest cases of the same shares: 2 of each of two cases are as 1 of each."""
    cases, counts = np.unique(np.column_stack([p, y]), axis=0, return_counts=True)
    return tuple(np.repeat(cases, counts // np.gcd.reduce(counts), axis=0).T)


def divides(odds: Values, y: Values) -> bool:
    """Tell whether a step, up or down, has all of one class on a side, up to ties at the step."""
    return any(max(d * odds[y == 0]) <= min(d * odds[y == 1]) for d in (1, -1))


def bend_odds(odds: Values) -> Values:
    """Return log odds and, where three knots differ, Harrell's restricted cubic spline of them."""
    a, b, c = np.quantile(odds, [0.1, 0.5, 0.9])
    if 5 <= len(odds) < 100:
        a, c = np.sort(odds)[[4, -5]]
    if min(b - a, c - b) < 1e-8:
        return odds[:, None]
    bend = sum(
        f * np.maximum(odds - t, 0) ** 3
        for t, f in ((a, 1), (b, -(c - a) / (c - b)), (c, (b - a) / (c - b)))
    )
    return np.column_stack([odds, bend / (c - a) ** 2])


def count_effective(p: Values, y: Values, w: Values) -> float:
    """Return the number of cases; of masses that are not whole, their effective number."""
    if (w == np.rint(w)).all():
        return float(w.sum())
    masses = [w[(p == a) & (y == b)].sum() for a, b in {*zip(p, y, strict=True)}]
    return float(np.sum(masses) ** 2 / np.square(masses).sum())


def calibrate_class(name: str, p: Values, y: Values, w: Values) -> float:
    if name == "expected_observed":
        return (w * p).sum() / (w * y).sum()
    if (w == 1).all():
        p, y = reduce_cases(p, y)
        w = np.ones(len(y))
    if name == "ece":
        ranked = np.sort(p)
        places = (round(k * len(p) / 10) for k in range(1, 10))
        borders = [ranked[place] for place in places if 0 < place < len(p)]
        total = 0.0
        for places in (np.digitize(p, np.unique(borders)) == b for b in range(11)):
            if (size := places.sum()) > 0:
                share, away = y[places].mean(), abs((y - p)[places].mean())
                spread = np.sqrt(share * (1 - share) / size)
                folded = (
                    stats.foldnorm(away / spread, scale=spread).mean()
                    if spread and np.ptp(p[places]) > 1e-9
                    else away
                )
                total += size / len(p) * (2 * away - folded)
        return max(total, 0.0)
    least = 0.5 / count_effective(p, y, w)  # half a case
    odds, ones = stats.logistic.ppf(np.clip(p, least, 1 - least)), np.ones((len(p), 1))
    if name == "calibration_intercept":
        return fit_logit(ones, odds, y, w)[0]
    if np.ptp(odds) == 0:
        return np.nan if name == "calibration_slope" else abs(p[0] - y.mean())
    if name == "calibration_slope":
        return fit_logit(np.column_stack([ones, odds]), 0 * odds, y, w)[1]
    if divides(odds, y):
        away = np.abs(p - y)
    else:
        design = np.column_stack([ones, bend_odds(odds)])
        away = np.abs(p - special.expit(design @ fit_logit(design, 0 * odds, y, w)))
    return away.mean() if name == "ici" else np.quantile(away, 0.5 if name == "e50" else 0.9)


def two_classes(
    name: str, y: Values, score: Values, labels: Values, weight: Values | None
) -> float:
    w = np.ones(len(y)) if weight is None else weight
    if name == "risk":
        return float((w * (labels != y)).sum() / w.sum())
    if name == "average_precision":
        return sk.average_precision_score(y, score, sample_weight=weight) if y.any() else np.nan
    if len(np.unique(y)) < 2:
        return np.nan
    if name == "roc_auc":
        return sk.roc_auc_score(y, score, sample_weight=weight)
    if name == "partial_roc_auc":
        return sk.roc_auc_score(y, score, max_fpr=0.1, sample_weight=weight)
    if name != "ks":
        raise no_oracle(name)
    if weight is None:
        return stats.ks_2samp(score[y == 1], score[y == 0], method="asymp").statistic
    one, zero = w * (y == 1) / w[y == 1].sum(), w * (y == 0) / w[y == 0].sum()
    return float(max(abs((one - zero)[score <= cut].sum()) for cut in score))


def regression(name: str, y: Values, value: Values, weight: Values | None) -> float:
    if name in VALUES:
        return VALUES[name](y, value, sample_weight=weight)
    if name == "calibration_slope":
        w = np.ones(len(y)) if weight is None else weight
        apart = value - np.average(value, weights=w)
        squares = (w * apart * apart).sum()
        return (w * apart * y).sum() / squares if np.ptp(value) > 0 else np.nan
    if np.ptp(y) == 0:
        return np.nan  # scikit-learn sets 0 or 1; we call that undefined
    if name == "r2":
        return sk.r2_score(y, value, sample_weight=weight, force_finite=False)
    if name == "explained_variance":
        return sk.explained_variance_score(y, value, sample_weight=weight, force_finite=False)
    if np.ptp(value) == 0:
        return np.nan
    if name == "spearman":
        return stats.spearmanr(y, value).statistic
    if name != "pearson":
        raise no_oracle(name)
    covariance = np.cov(y, value, aweights=weight)
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


def survival(y: Values, risk: Values) -> float:
    """Return scikit-survival's value, or that of the definition; `y` holds (time, event)."""
    by_definition = pairs(y, risk, np.ones(len(y)))
    if np.isnan(by_definition) or SURVIVAL is None:
        return by_definition
    return SURVIVAL.concordance_index_censored(y[:, 1] > 0, y[:, 0], risk)[0]


def pairs(y: Values, risk: Values, weight: Values) -> float:
    """Return the concordance by its definition, a pair at a time."""
    time, event = y[:, 0], y[:, 1] > 0
    good = count = 0.0
    for i in np.flatnonzero(event):
        for j in range(len(time)):
            if time[i] < time[j] or (time[i] == time[j] and not event[j]):
                both = weight[i] * weight[j]
                good += both * (1.0 if risk[i] > risk[j] else 0.5 if risk[i] == risk[j] else 0.0)
                count += both
    return good / count if count else np.nan
