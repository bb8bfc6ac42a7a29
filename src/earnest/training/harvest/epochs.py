"""Validation predictions of each epoch, written while Keras, Lightning or the Trainer train.

The best epoch is a choice like any other, so each epoch is a configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.adapters.predictions.epochs import (
    EpochCases,
    is_epoch_folder,
    read_cases,
    read_epochs,
    write_answer,
    write_model,
)
from earnest.adapters.readers import PredictionsRequest
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.data.predictions import Predictions
from earnest.core.data.stages import USUAL
from earnest.core.text.doors import arg
from earnest.training.harvest.boosters import find_test_folds, read_folds
from earnest.training.protocols import Splitter

if TYPE_CHECKING:
    from keras.callbacks import Callback as KerasCallback
    from lightning.pytorch import Callback as LightningCallback
    from transformers import TrainerCallback


class EpochFolds:
    """Keep the validation predictions of every epoch, each epoch as a configuration.

    Train one model per fold, and give each training a callback of `keras`, `lightning` or
    `transformers`, or call `record` after each epoch. `en.estimate(folder)` then corrects for the
    choice of the epoch and of the model. Do not stop early: only epochs that all folds have are
    compared.

    Parameters
    ----------
    y : array-like, shape (n,)
        The outcome, in the order of the rows.
    folds : splitter, int or sequence of (train, test)
        The folds, as in `BoosterFolds`.
    folder : str or Path
        Where predictions are written. Trainings in other processes, or later ones, may use the same
        folder with the same `y` and `folds`.
    groups : array-like, optional
        Units that belong together, such as the patient of each row.
    positive : object, optional
        Which of two classes high scores stand for, where their names do not tell.
    random_state : int
        For `folds` given as an int.

    Attributes
    ----------
    folds : list of (train, test)
        The row numbers of each fold.

    Examples
    --------
    >>> import tempfile, numpy as np, earnest as en
    >>> y, rng = np.tile([0, 1], 20), np.random.default_rng(0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kept = en.learners.EpochFolds(y, folds=4, folder=folder)
    ...     for fold, (train, test) in enumerate(kept.folds):
    ...         for epoch in (1, 2, 3):
    ...             kept.record(rng.random(len(test)), fold=fold, epoch=epoch)
    ...     kept.predictions()
    Predictions(n=40, configs=3, repeats=1, folds=4, task=binary, response=probability)
    """

    def __init__(
        self,
        y: ArrayLike,
        folds: Splitter | int | Sequence[tuple[ArrayLike, ArrayLike]] = 5,
        *,
        folder: str | Path,
        groups: ArrayLike | None = None,
        positive: object = None,
        random_state: int = 0,
    ) -> None:
        outcome = np.asarray(y)
        if outcome.ndim != 1 or len(outcome) == 0:
            raise InputError(
                "`y` is not a column", needs="one outcome per row", got=f"shape {outcome.shape}"
            )
        self.folds = read_folds(folds, outcome, groups, random_state)
        self.folder = check.read_path(folder)
        fold = find_test_folds(self.folds, len(outcome))
        # A file holds the predictions of a fold in the order of the rows.
        self._order = [np.argsort(test, kind="stable") for _, test in self.folds]
        labels = np.unique(outcome.astype(str)).tolist()
        if positive is not None:
            check.one_of("positive", str(positive), labels)
        self._column = -1 if positive is None else labels.index(str(positive))  # of two
        together = None if groups is None else np.asarray(groups)
        cases = EpochCases(outcome, fold, together, "" if positive is None else str(positive))
        if is_epoch_folder(self.folder):
            if not cases.equals(read_cases(self.folder)):
                raise InputError(
                    f"{str(self.folder)!r} holds the epochs of other cases or folds",
                    needs="the same `y`, `folds` and `groups` as when it was begun",
                    cure="Use another folder.",
                )
        else:
            cases.write(self.folder)

    def __repr__(self) -> str:
        n = sum(len(test) for _, test in self.folds)
        return f"EpochFolds(n={n}, folds={len(self.folds)}, folder={str(self.folder)!r})"

    def record(
        self,
        predictions: ArrayLike,
        *,
        fold: int,
        epoch: int,
        name: str = "model",
        params: Mapping[str, object] | None = None,
    ) -> None:
        """Keep what a model predicts for the test rows of a fold after an epoch.

        Parameters
        ----------
        predictions : array-like, shape (n_test,), (n_test, 1) or (n_test, K)
            One number per row of `folds[fold][1]`, in that order: a probability, a score or a
            value; or one probability per class, the classes sorted.
        fold : int
            Which fold, from 0.
        epoch : int
            Which epoch, from 1.
        name : str
            The name of the model; another one for other hyperparameters.
        params : mapping, optional
            Its hyperparameters, for tables and explanations.
        """
        check.whole_number("fold", fold, low=0, high=len(self.folds) - 1)
        check.whole_number("epoch", epoch, low=1)
        answer = np.asarray(predictions, dtype=np.float64)
        if answer.ndim == 2 and answer.shape[1] <= 2:
            answer = answer[:, self._column if answer.shape[1] == 2 else 0]
        count = len(self._order[fold])
        if answer.ndim not in (1, 2) or len(answer) != count:
            raise InputError(
                f"the predictions of fold {fold} after epoch {epoch} are not those of its test "
                "rows",
                needs=f"{count} rows, one for each of `folds[{fold}][1]`",
                got=f"an array of shape {np.shape(predictions)}",
                cure="Validate on the whole test part, unshuffled.",
            )
        if not np.isfinite(answer).all():
            raise InputError(
                f"predictions of {name!r} after epoch {epoch} are not finite",
                needs="a number for every case",
                got=f"NaN or infinite values for fold {fold}",
            )
        place = write_model(self.folder, name, params or {})
        write_answer(place, fold, epoch, answer[self._order[fold]])

    def predictions(
        self,
        *,
        task: str | None = None,
        positive: object = None,
        static: bool = True,
        stages: int = USUAL,
    ) -> Predictions:
        """Return the predictions of every model after some of its epochs.

        Parameters
        ----------
        task, positive
            As in `Predictions.from_arrays`.
        static : bool
            Whether the models were fixed before any was evaluated.
        stages : int
            How many epochs of each model at most, evenly spread.
        """
        check.whole_number(arg("stages"), stages, low=1)
        request = PredictionsRequest(task=task, positive=positive, static=static)
        return read_epochs(self.folder, request, stages)

    def keras(
        self,
        X: object,
        *,
        fold: int,
        name: str = "model",
        params: Mapping[str, object] | None = None,
        batch_size: int | None = None,
    ) -> KerasCallback:
        """Return a callback for one `fit` of Keras.

        Parameters
        ----------
        X : array or dataset
            The features of the test rows of the fold, in their order, as `predict` takes them.
        fold, name, params
            As in `record`.
        batch_size : int, optional
            How many rows are predicted at once.
        """
        from keras.callbacks import Callback

        record = self._record_for(fold, name, params)

        class EpochKeeper(Callback):
            """Predict the test rows after each epoch."""

            def on_epoch_end(self, epoch: int, logs: object = None) -> None:
                answer = self.model.predict(X, batch_size=batch_size, verbose=0)
                record(answer, epoch + 1)

        return EpochKeeper()

    def lightning(
        self, *, fold: int, name: str = "model", params: Mapping[str, object] | None = None
    ) -> LightningCallback:
        """Return a callback for one `Trainer` of Lightning.

        `validation_step` returns the predictions of its batch, alone or as "predictions" of a
        dict. The loader of the validation data gives the test rows of the fold, unshuffled.

        Parameters
        ----------
        fold, name, params
            As in `record`.
        """
        from lightning.pytorch import Callback

        record = self._record_for(fold, name, params)

        class EpochKeeper(Callback):
            """Join what `validation_step` returns, and keep it after each epoch."""

            def __init__(self) -> None:
                self.batches: list[NDArray[np.float64]] = []

            def on_validation_epoch_start(self, trainer: Any, pl_module: Any) -> None:
                self.batches = []

            def on_validation_batch_end(
                self,
                trainer: Any,
                pl_module: Any,
                outputs: Any,
                batch: Any,
                batch_idx: int,
                dataloader_idx: int = 0,
            ) -> None:
                answer = outputs.get("predictions") if isinstance(outputs, dict) else outputs
                if answer is None:
                    raise InputError(
                        "`validation_step` returns no predictions",
                        needs='a tensor, or a dict with "predictions"',
                        got=check.show(outputs),
                    )
                self.batches.append(_read_tensor(answer))

            def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
                if not trainer.sanity_checking:
                    record(np.concatenate(self.batches), trainer.current_epoch + 1)

        return EpochKeeper()

    def transformers(
        self, *, fold: int, name: str = "model", params: Mapping[str, object] | None = None
    ) -> TrainerEpochs:
        """Return what keeps the epochs of one `Trainer` of Hugging Face.

        Pass `callbacks=[kept.callback]` and `compute_metrics=kept.compute_metrics` of what this
        returns, and evaluate after each epoch (`eval_strategy="epoch"`) on the test rows of the
        fold. Logits of classes become probabilities.

        Parameters
        ----------
        fold, name, params
            As in `record`.
        """
        return TrainerEpochs(self._record_for(fold, name, params))

    def _record_for(
        self, fold: int, name: str, params: Mapping[str, object] | None
    ) -> EpochRecorder:
        check.whole_number("fold", fold, low=0, high=len(self.folds) - 1)
        return EpochRecorder(self, fold, name, dict(params or {}))


class EpochRecorder:
    """Keeps the epochs of one training."""

    def __init__(
        self, folds: EpochFolds, fold: int, name: str, params: Mapping[str, object]
    ) -> None:
        self.folds, self.fold, self.name, self.params = folds, fold, name, params

    def __call__(self, predictions: ArrayLike, epoch: int) -> None:
        """Keep what is predicted after an epoch."""
        self.folds.record(
            predictions, fold=self.fold, epoch=epoch, name=self.name, params=self.params
        )


class TrainerEpochs:
    """What keeps the epochs of one `Trainer` of Hugging Face: its metrics see the predictions.

    Attributes
    ----------
    callback : TrainerCallback
        Keeps the predictions of each evaluation, with its epoch.
    """

    def __init__(self, record: EpochRecorder) -> None:
        from transformers import TrainerCallback

        self._answer: NDArray[np.float64] | None = None
        epochs = self

        class EpochKeeper(TrainerCallback):
            """Keep the predictions of the evaluation after an epoch."""

            def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
                if epochs._answer is None:
                    raise InputError(
                        "the Trainer computes no metrics, so it does not keep its predictions",
                        needs="compute_metrics",
                        cure="Trainer(..., compute_metrics=kept.compute_metrics)",
                    )
                record(epochs._answer, max(1, round(state.epoch or 0)))

        self.callback: TrainerCallback = EpochKeeper()

    def compute_metrics(self, evaluation: Any) -> dict[str, float]:
        """Remember the predictions of an evaluation; there are no metrics."""
        answer = evaluation.predictions
        answer = np.asarray(answer[0] if isinstance(answer, tuple) else answer, dtype=np.float64)
        if answer.ndim == 2 and answer.shape[1] > 1:
            from scipy.special import softmax

            answer = softmax(answer, axis=1)
        self._answer = answer
        return {}


def _read_tensor(answer: Any) -> NDArray[np.float64]:
    """Return the numbers of a tensor, on whichever device and of whichever precision it is."""
    if hasattr(answer, "detach"):
        answer = answer.detach().cpu().float().numpy()
    return np.asarray(answer, dtype=np.float64)
