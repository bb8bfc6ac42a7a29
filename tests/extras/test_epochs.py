"""Epochs that Keras, Lightning and the Trainer of Hugging Face write, and `estimate` reads.

Run with Keras 3, Lightning 2 and Transformers 5.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earnest as en

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4)).astype(np.float32)
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)
EPOCHS = 3


def check_epochs(kept: Any, last: dict[int, Any]) -> None:
    """The last epoch is what the trained models predict, and the folder has an estimate."""
    pi = kept.predictions()
    assert [name.split("@")[1] for name in pi.configs.ids] == ["1", "2", "3"]
    for fold, (_, test) in enumerate(kept.folds):
        np.testing.assert_allclose(pi.responses[test, -1, 0], last[fold], rtol=1e-4, atol=1e-6)
    assert (pi.responses[:, 0, 0] != pi.responses[:, -1, 0]).any()
    estimate = en.estimate(kept.folder, metric="roc_auc", rng=0, n_resamples=100)
    assert estimate.n_configs == EPOCHS


def test_keras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "KERAS_BACKEND", "jax")
    keras = pytest.importorskip("keras")
    kept, last = en.learners.EpochFolds(Y, 3, folder=tmp_path), {}
    for fold, (train, test) in enumerate(kept.folds):
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.layers.Dense(1, activation="sigmoid")])
        model.compile(optimizer="adam", loss="binary_crossentropy")
        callback = kept.keras(X[test], fold=fold)
        model.fit(X[train], Y[train], epochs=EPOCHS, verbose=0, callbacks=[callback])
        last[fold] = np.asarray(model.predict(X[test], verbose=0))[:, 0]
    check_epochs(kept, last)


def test_lightning(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    lightning = pytest.importorskip("lightning.pytorch")
    from torch.utils.data import DataLoader, TensorDataset

    class Net(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def forward(self, x: Any) -> Any:
            return torch.sigmoid(self.layer(x))[:, 0]

        def training_step(self, batch: Any, number: int) -> Any:
            x, y = batch
            return torch.nn.functional.binary_cross_entropy(self(x), y)

        def validation_step(self, batch: Any, number: int) -> Any:
            return {"predictions": self(batch[0])}

        def configure_optimizers(self) -> Any:
            return torch.optim.Adam(self.parameters(), lr=0.1)

    kept, last = en.learners.EpochFolds(Y, 3, folder=tmp_path / "epochs"), {}
    outcome = torch.tensor(Y, dtype=torch.float32)
    for fold, (train, test) in enumerate(kept.folds):
        torch.manual_seed(0)
        model = Net()
        trainer = lightning.Trainer(
            max_epochs=EPOCHS,
            callbacks=[kept.lightning(fold=fold)],
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            accelerator="cpu",
            default_root_dir=tmp_path,
        )
        loaders = [
            DataLoader(TensorDataset(torch.tensor(X[rows]), outcome[rows]), batch_size=8)
            for rows in (train, test)
        ]
        trainer.fit(model, *loaders)
        last[fold] = model(torch.tensor(X[test])).detach().numpy()
    check_epochs(kept, last)


def test_the_trainer_of_hugging_face(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")

    class Net(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 2)

        def forward(self, features: Any = None, labels: Any = None) -> Any:
            logits = self.layer(features)
            return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

    kept, last = en.learners.EpochFolds(Y, 3, folder=tmp_path / "epochs"), {}
    for fold, (train, test) in enumerate(kept.folds):
        torch.manual_seed(0)
        model, epochs = Net(), kept.transformers(fold=fold)
        trainer = transformers.Trainer(
            model=model,
            args=transformers.TrainingArguments(
                output_dir=str(tmp_path / "trainer"),
                num_train_epochs=EPOCHS,
                eval_strategy="epoch",
                save_strategy="no",
                report_to=[],
                learning_rate=0.1,
                use_cpu=True,
                disable_tqdm=True,
            ),
            train_dataset=[{"features": X[row], "labels": int(Y[row])} for row in train],
            eval_dataset=[{"features": X[row], "labels": int(Y[row])} for row in test],
            callbacks=[epochs.callback],
            compute_metrics=epochs.compute_metrics,
        )
        trainer.train()
        logits = model.layer(torch.tensor(X[test]))
        last[fold] = torch.softmax(logits, dim=1)[:, 1].detach().numpy()
    check_epochs(kept, last)
