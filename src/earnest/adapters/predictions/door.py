"""The door for predictions: what other tools kept out of fold, recognised and read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from numpy.typing import ArrayLike

from earnest.adapters.predictions import paths
from earnest.adapters.readers import (
    EARLY,
    PREDICTIONS_READERS,
    PredictionsReader,
    PredictionsRequest,
    StoreLike,
    order_readers,
    register,
)
from earnest.adapters.trials.optuna import is_study
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.data.predictions import Predictions

FILES = paths  # the readers of files, folders and URLs register themselves there


def predictions_from(
    source: object,
    y: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
    *,
    store: StoreLike | None = None,
    study: str | None = None,
    fold: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    task: str | None = None,
    positive: object = None,
    classes: Sequence[object] | None = None,
    response: str | None = None,
    static: bool | None = None,
    ensembles: bool | None = None,
    trust_pickle: bool | None = None,
) -> Predictions:
    """Return the out-of-sample predictions that another tool kept of all its models.

    Nothing is fitted. What a tool does that bears on the estimate, such as stopping early on the
    fold that tests, goes with the predictions as a caution of every result made of them.

    Parameters
    ----------
    source : object or path
        An Optuna study (or its storage URL, SQLite or journal file) whose objective called
        `keep_predictions`; the results folder of mljar-supervised; a fitted `TabularPredictor` of
        AutoGluon or its folder; an `H2OAutoML`, or models of H2O trained with
        `keep_cross_validation_predictions=True`; reports of skore (`CrossValidationReport`,
        `EstimatorReport`, `ComparisonReport`, or a list of them); a dataset or a fold of a
        repository of TabRepo or TabArena; a fitted `SearchCV`, or the folder that `earnest tune`
        wrote; Π as it is.
    y : array-like, optional
        The outcome of the cases in the order of the training rows, if the source has none.
    store : path or optuna artifact store, optional
        Where `keep_predictions` put its files.
    study : str, optional
        The name of an Optuna study, if a storage has several.
    fold : array-like, optional
        The fold that tested each case, if the source does not say (AutoGluon).
    groups : array-like, optional
        Groups of cases that belong together.
    task, positive, classes, response
        As in `Predictions.from_arrays`.
    static : bool, optional
        Whether the configurations were fixed before any was evaluated, where you know it better
        than the source: random, quasi-random and complete searches are static, and what AutoML
        tools propose after a look at scores is not.
    ensembles : bool, optional
        Whether to read models that were fitted to the out-of-fold predictions of others. They
        are left out by default.
    trust_pickle : bool, optional
        Whether a folder of AutoGluon, which is pickles, may be read. Reading a pickle can run any
        code.

    Returns
    -------
    Predictions
        One configuration per trial or model.

    Examples
    --------
    >>> import earnest as en
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1], [0.1, 0.8, 0.4, 0.6])
    >>> en.predictions_from(pi) is pi
    True
    >>> en.predictions_from("automl_results")
    Traceback (most recent call last):
        ...
    earnest.core.base.errors.InputError: there is nothing at 'automl_results'. Expected ...
    """
    wanted = PredictionsRequest(
        y=y,
        store=store,
        study=study,
        fold=fold,
        groups=groups,
        task=task,
        positive=positive,
        classes=classes,
        response=response,
        static=static,
        ensembles=ensembles,
        trust_pickle=trust_pickle,
    )
    for reader in order_readers(PREDICTIONS_READERS):
        if reader.takes(source):
            return reader.read(source, wanted)
    raise InputError(
        f"there are no predictions in {check.show(type(source).__name__)}",
        needs="; ".join(reader.words for reader in order_readers(PREDICTIONS_READERS)),
        got=check.show(source),
        cure=cure_for(source),
    )


def cure_for(source: object) -> str:
    """Return how to get predictions out of what is none."""
    if is_study(source):
        return (
            "If its objective called keep_predictions, read them with "
            "earnest.predictions_from(study, y, store=...). earnest.explain(study) shows what "
            "it learned."
        )
    if isinstance(source, (str, Path)):
        return (
            f"Read it first: earnest.Predictions.load({str(source)!r}), or "
            "earnest.predictions_from for what another tool wrote."
        )
    if hasattr(source, "columns"):
        return "Read the table with Predictions.from_frame."
    kinds = {kind.__name__ for kind in type(source).__mro__}
    home = type(source).__module__.split(".")[0]
    if home == "flaml":
        return (
            "FLAML does not keep its predictions: keep them with your own `metric` (see the "
            "page on AutoML), or search with SearchCV."
        )
    if "BaseSearchCV" in kinds or "OptunaSearchCV" in kinds:
        return "It does not keep its predictions: fit it with earnest.harvest(search, X, y)."
    if hasattr(source, "predictions_"):
        return "Use its `predictions_`."
    if kinds & {"TabularPredictor", "AutoML", "H2OAutoML"}:
        return "Read what it kept: earnest.predictions_from(source)."
    if "SearchCV" in kinds:
        return "Call its `fit` first, then use its `predictions_`."
    if hasattr(source, "fit"):
        return "Call its `fit` first, or search with earnest.SearchCV, which keeps predictions."
    return "Make them with Predictions.from_arrays, from_frame or load."


def _read_own(source: Predictions, wanted: PredictionsRequest) -> Predictions:
    wanted.refuse("Predictions", *vars(wanted))
    return source


def _read_own_search(source: object, wanted: PredictionsRequest) -> Predictions:
    wanted.refuse("a fitted SearchCV", *vars(wanted))
    made = getattr(source, "predictions_", None)
    if not isinstance(made, Predictions):
        raise InputError("the search kept no predictions", got=check.show(made))
    return made


register(
    PredictionsReader(
        name="predictions",
        words="earnest.Predictions",
        takes=lambda source: isinstance(source, Predictions),
        read=_read_own,
        rank=EARLY,
    )
)
register(
    PredictionsReader(
        name="search",
        words="a fitted SearchCV",
        takes=lambda source: isinstance(getattr(source, "predictions_", None), Predictions),
        read=_read_own_search,
    )
)
