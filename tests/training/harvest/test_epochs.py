"""Validation predictions by epoch: what a callback writes is what `estimate` reads."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.errors import EarnestError, InputError

N = 60
RNG = np.random.default_rng(0)
Y = RNG.permutation(np.tile([0, 1], N // 2))
EPOCHS = 4
SHARES = RNG.random((EPOCHS, N))  # what a model predicts after each epoch


def fill(kept: Any, epochs: int = EPOCHS, **model: Any) -> None:
    for fold, (_, test) in enumerate(kept.folds):
        for epoch in range(epochs):
            kept.record(SHARES[epoch, test], fold=fold, epoch=epoch + 1, **model)


def begin(folder: Path, **options: Any) -> Any:
    return en.learners.EpochFolds(Y, 3, folder=folder, **options)


def test_each_epoch_is_a_configuration_with_the_predictions_of_all_folds(tmp_path: Path) -> None:
    kept = begin(tmp_path)
    fill(kept, name="net", params={"lr": 0.1})
    pi = kept.predictions()
    assert pi.configs.ids == tuple(f"net@{epoch}" for epoch in (1, 2, 3, 4))
    assert pi.configs.params[2] == {"lr": 0.1, "epoch": 3}
    np.testing.assert_array_equal(pi.responses[:, :, 0], SHARES.T)
    direct = en.Predictions.from_arrays(
        Y, SHARES.T[:, :, None], pi.folds, configs=list(pi.configs.ids)
    )
    by_folder = en.estimate(str(tmp_path), metric="roc_auc", rng=0, n_resamples=100)
    by_hand = en.estimate(direct, metric="roc_auc", rng=0, n_resamples=100)
    assert by_folder.value == by_hand.value
    assert by_folder.winner == by_hand.winner
    assert en.predictions_from(tmp_path).configs.ids == pi.configs.ids


def test_rows_of_a_fold_come_in_the_order_of_the_user(tmp_path: Path) -> None:
    rows = RNG.permutation(N)
    folds = [(rows[20:], rows[:20]), (np.r_[rows[:20], rows[40:]], rows[20:40])]
    folds.append((rows[:40], rows[40:]))
    kept = en.learners.EpochFolds(Y, folds, folder=tmp_path)
    fill(kept)
    np.testing.assert_array_equal(kept.predictions().responses[:, :, 0], SHARES.T)


def test_few_of_many_epochs_are_read_and_the_last_of_them(tmp_path: Path) -> None:
    kept = begin(tmp_path)
    for fold, (_, test) in enumerate(kept.folds):
        for epoch in range(1, 101 + fold):  # a fold went on for longer
            kept.record(np.full(len(test), epoch / 200), fold=fold, epoch=epoch)
    pi = kept.predictions()
    assert pi.configs.ids == tuple(f"model@{epoch}" for epoch in range(5, 101, 5))
    assert len(kept.predictions(stages=3).configs.ids) == 3


def test_many_classes_and_two_columns(tmp_path: Path) -> None:
    y = np.array(["b", "a", "c"] * 20)
    kept = en.learners.EpochFolds(y, 3, folder=tmp_path / "many")
    shares = RNG.dirichlet(np.ones(3), 60)
    for fold, (_, test) in enumerate(kept.folds):
        kept.record(shares[test], fold=fold, epoch=1)
    np.testing.assert_allclose(kept.predictions().responses[:, 0, 0], shares)
    words = np.array(["ill", "well"])[Y]
    for positive, column in (("ill", 0), ("well", 1)):
        two = en.learners.EpochFolds(words, 3, folder=tmp_path / positive, positive=positive)
        for fold, (_, test) in enumerate(two.folds):
            two.record(
                shares[test][:, :2] / shares[test][:, :2].sum(1)[:, None], fold=fold, epoch=1
            )
        pi = two.predictions()
        assert pi.target.classes[1] == positive
        np.testing.assert_allclose(
            pi.responses[:, 0, 0], shares[:, column] / shares[:, :2].sum(axis=1)
        )


def test_groups_and_odd_names_survive_the_folder(tmp_path: Path) -> None:
    groups = np.array([f"p{i // 4}" for i in range(N)], dtype=object)
    for name in ("../up", "ä/ö", "plain", ".", "x" * 300):
        fill(begin(tmp_path / "here", groups=groups), 1, name=name)
    pi = begin(tmp_path / "here", groups=groups).predictions()
    assert {name.removesuffix("@1") for name in pi.configs.ids} == {
        "../up", "ä/ö", "plain", ".", "x" * 300
    }  # fmt: skip
    assert len(np.unique(pi.target.groups)) == N // 4
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_a_model_that_lacks_folds_is_left_out_with_a_caution(tmp_path: Path) -> None:
    kept = begin(tmp_path)
    fill(kept, name="whole")
    kept.record(SHARES[0, kept.folds[0][1]], fold=0, epoch=1, name="begun")
    estimate = en.estimate(tmp_path, metric="roc_auc", rng=0, n_resamples=50)
    assert estimate.n_configs == EPOCHS
    assert "EN012" in [caution.code for caution in estimate.cautions]


def test_wrong_records_are_refused(tmp_path: Path) -> None:
    kept = begin(tmp_path)
    size = len(kept.folds[0][1])
    wrong: list[tuple[Any, dict[str, Any]]] = [
        (np.zeros(size + 1), {"fold": 0, "epoch": 1}),
        (np.full(size, np.nan), {"fold": 0, "epoch": 1}),
        (np.zeros(size), {"fold": 3, "epoch": 1}),
        (np.zeros(size), {"fold": 0, "epoch": 0}),
        (np.zeros((size, 2, 2)), {"fold": 0, "epoch": 1}),
    ]
    for predictions, where in wrong:
        with pytest.raises(InputError):
            kept.record(predictions, **where)
    with pytest.raises(EarnestError):
        kept.predictions()
    with pytest.raises(InputError):  # other cases
        en.learners.EpochFolds(1 - Y, 3, folder=tmp_path)


@pytest.mark.parametrize("file", ["model/model.json", "model/fold0-epoch00001.npy"])
def test_a_damaged_file_is_refused(tmp_path: Path, file: str) -> None:
    fill(begin(tmp_path))
    (tmp_path / file).write_bytes(b"\x80\x04no numbers")
    with pytest.raises(EarnestError):
        en.estimate(tmp_path, metric="roc_auc")


# Callbacks, with stand-ins that have the hooks of Keras 3, Lightning 2 and Transformers 4 and 5.


def provide(monkeypatch: pytest.MonkeyPatch, module: str, name: str) -> None:
    """Put a module with an empty class in place of a framework."""
    parents = module.split(".")
    for depth in range(1, len(parents) + 1):
        monkeypatch.setitem(
            sys.modules, ".".join(parents[:depth]), ModuleType(".".join(parents[:depth]))
        )
    setattr(sys.modules[module], name, type(name, (), {}))


def test_keras_predicts_after_each_epoch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provide(monkeypatch, "keras.callbacks", "Callback")
    kept = begin(tmp_path)
    for fold, (_, test) in enumerate(kept.folds):
        callback: Any = kept.keras(test, fold=fold)
        for epoch in range(EPOCHS):
            callback.model = SimpleNamespace(
                predict=lambda rows, batch_size, verbose, at=epoch: SHARES[at, rows][:, None]
            )
            callback.on_epoch_end(epoch, logs={"loss": 0.5})
    np.testing.assert_array_equal(kept.predictions().responses[:, :, 0], SHARES.T)


class Tensor:
    """Has what is called of a tensor."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def detach(self) -> Tensor:
        return self

    cpu = float = detach

    def numpy(self) -> Any:
        return self.values


def test_lightning_joins_the_batches_and_skips_the_sanity_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provide(monkeypatch, "lightning.pytorch", "Callback")
    kept = begin(tmp_path)
    for fold, (_, test) in enumerate(kept.folds):
        callback: Any = kept.lightning(fold=fold)
        for epoch in range(-1, EPOCHS):
            trainer = SimpleNamespace(sanity_checking=epoch < 0, current_epoch=max(epoch, 0))
            callback.on_validation_epoch_start(trainer, None)
            for number, rows in enumerate(np.array_split(test, 3)):
                answer = Tensor(SHARES[epoch, rows])
                outputs = {"loss": 0.1, "predictions": answer} if number else answer
                callback.on_validation_batch_end(trainer, None, outputs, None, number)
                if epoch < 0:
                    break
            callback.on_validation_epoch_end(trainer, None)
    np.testing.assert_array_equal(kept.predictions().responses[:, :, 0], SHARES.T)
    with pytest.raises(InputError):
        callback.on_validation_batch_end(trainer, None, None, None, 0)


def test_the_trainer_keeps_the_probabilities_of_its_evaluations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provide(monkeypatch, "transformers", "TrainerCallback")
    kept = begin(tmp_path)
    for fold, (_, test) in enumerate(kept.folds):
        trainer = kept.transformers(fold=fold)
        callback: Any = trainer.callback
        with pytest.raises(InputError):
            callback.on_evaluate(None, SimpleNamespace(epoch=1.0), None)
        for epoch in range(EPOCHS):
            share = SHARES[epoch, test]
            logits = np.log(np.stack([1 - share, share], axis=1)) + 5
            evaluation = SimpleNamespace(predictions=logits, label_ids=Y[test])
            assert trainer.compute_metrics(evaluation) == {}
            callback.on_evaluate(None, SimpleNamespace(epoch=epoch + 1.0), None, metrics={})
    np.testing.assert_allclose(kept.predictions().responses[:, :, 0], SHARES.T, rtol=1e-12)
