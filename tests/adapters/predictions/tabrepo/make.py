"""Write a small repository with the code of tabarena 0.1.0: python make.py FOLDER_OF_THE_PACKAGE.

The modules that write are loaded by themselves, for the package as a whole needs AutoGluon.
"""

import importlib.util
import sys
import types
from pathlib import Path

import numpy as np
import pandas as pd


def main(package: Path, here: Path) -> None:
    """Load the modules that write, and let them write two models of three folds."""
    for name in ("tabarena", "tabarena.predictions", "tabarena.simulation"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [str(package.joinpath(*name.split(".")))]
    predictions = importlib.import_module("tabarena.predictions.tabular_predictions")
    truth = importlib.import_module("tabarena.simulation.ground_truth")

    rng = np.random.default_rng(0)
    rows, models = np.arange(24) * 10, ["CatBoost_c1_BAG_L1", "LinearModel_c1_BAG_L1"]
    y = pd.Series(rng.integers(0, 2, 24), index=rows, name="income")
    p = rng.random((2, 24)).astype(np.float32)
    answers, labels = {"adult": {}}, ({"adult": {}}, {"adult": {}})
    for fold in range(3):
        test = np.arange(24) % 3 == fold
        answers["adult"][fold] = {
            "pred_proba_dict_val": dict(zip(models, p[:, ~test] / 2, strict=True)),
            "pred_proba_dict_test": dict(zip(models, p[:, test], strict=True)),
        }
        labels[0]["adult"][fold], labels[1]["adult"][fold] = y[~test].to_frame(), y[test].to_frame()
    predictions.TabularPredictionsInMemory.from_dict(answers).to_data_dir(str(here))
    truth.GroundTruth(label_val_dict=labels[0], label_test_dict=labels[1]).to_data_dir(str(here))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(__file__).parent)
