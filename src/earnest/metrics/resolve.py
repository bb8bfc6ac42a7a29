"""From a name, a callable or a metric to a metric."""

from __future__ import annotations

from collections.abc import Callable

from earnest.core.base import check
from earnest.core.base.errors import InputError, UnknownNameError
from earnest.metrics.families import METRICS, Metric
from earnest.metrics.knobs import FACTORIES, check_knobs, split_knobs


def metric(given: str | Metric | Callable[..., float]) -> Metric:
    """Return the metric of a name, of a callable, or as it is.

    Parameters
    ----------
    given : str, callable or Metric
        A name (`earnest metrics` lists them), one of scikit-learn's names for the same thing, a
        name with knobs such as `'f_beta(beta=0.5)'`, the name of any other scikit-learn scorer, a
        scorer, or a function `f(y, prediction)`; for a function that needs labels or
        probabilities, or is a loss, use `make_metric`.

    Examples
    --------
    >>> import earnest as en
    >>> en.metric("auc").name
    'roc_auc'
    >>> en.metric("neg_log_loss").name, en.metric("neg_log_loss").greater_is_better
    ('log_loss', False)
    >>> en.metric("partial_roc_auc(max_fpr=0.2)").knobs
    {'max_fpr': 0.2}
    """
    if isinstance(given, Metric):
        return given
    if isinstance(given, str):
        return _named(given)
    usable: object = given  # the annotation promises more than a caller may keep
    if callable(usable) and not isinstance(usable, type):
        from earnest.metrics.adapt import from_callable

        return from_callable(given)
    raise InputError(
        "`metric` cannot be read", needs="a name, a callable or a Metric", got=check.show(given)
    )


def _named(name: str) -> Metric:
    word, knobs = split_knobs(name)
    if word not in METRICS:
        return _from_sklearn(word, knobs)
    word = METRICS.canonical(word)
    if not knobs:
        return METRICS[word]
    if word not in FACTORIES:
        raise InputError(
            f"metric {word!r} has no knobs",
            needs=f"{word!r} alone",
            got=check.show(name),
            cure="Metrics with knobs are " + ", ".join(FACTORIES) + ".",
        )
    check_knobs(word, FACTORIES[word], knobs)
    return FACTORIES[word](**knobs)


def _from_sklearn(word: str, knobs: dict[str, object]) -> Metric:
    from earnest.metrics.adapt import from_sklearn_name, sklearn_scorers

    found = from_sklearn_name(word, knobs)
    if found is None:
        ours = [name for one in METRICS.values() for name in (one.name, *one.aliases)]
        raise UnknownNameError(
            f"metric {check.show(word)} is unknown",
            needs=", ".join(METRICS) + ", or the name of a scikit-learn scorer",
            cure=check.nearest(word, [*ours, *sklearn_scorers()]),
        )
    return found
