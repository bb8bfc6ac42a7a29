"""Configurations in the terminal: the id that commands take, and the name that all pages use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import earnest as en
from earnest.core import name_configs
from tests.cli.conftest import Run

PARAMS = [{"model": "rbf_svm", "C": 10.0**i, "gamma": 0.1} for i in range(3)]
PARAMS += [{"model": "elastic_net", "alpha": 0.5}]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Four configurations with parameters, c2 far the best; seed 5."""
    y = np.arange(120) % 2
    noise = np.random.default_rng(5).standard_normal((120, 4))
    scores = np.array([0.3, 0.4, 3.0, 0.5]) * y[:, None] + noise
    pi = en.Predictions.from_arrays(y, scores, fold=np.arange(120) // 2 % 5, configs=PARAMS)
    pi.save(tmp_path / "preds.npz")
    return tmp_path / "preds.npz"


CALLED = name_configs(["c0", "c1", "c2", "c3"], PARAMS)
BEST = f"c2: {CALLED['c2'].words}"


@pytest.mark.parametrize(
    ("command", "label"),
    [
        (("estimate", "--n-resamples", "40"), "Winner"),
        (("estimate", "--method", "bbc", "--method", "naive", "--n-resamples", "40"), "Winner"),
        (("gain", "--n-resamples", "40"), "Winner"),
        (("compare", "--all"), "Best"),
        (("gate", "--above", "0.6"), "Judged"),
    ],
)
def test_a_terminal_tells_the_id_and_the_name_of_the_winner(
    run: Run, table: Path, command: tuple[str, ...], label: str
) -> None:
    done = run(command[0], table, "--metric", "roc_auc", "--rng", "1", *command[1:])
    assert BEST == "c2: RBF SVM, C 100"
    facts = [line.split(maxsplit=1) for line in done.out.splitlines() if line.strip()]
    said = {words[0]: words[1].strip() for words in facts if len(words) == 2}
    assert said[label].startswith(BEST), done.out


def test_a_comparison_names_both_and_every_rival(run: Run, table: Path) -> None:
    pair = run("compare", table, "c2", "c3", "--metric", "roc_auc").out
    assert BEST in pair
    assert "c3: elastic net" in pair
    rivals = run("compare", table, "--all", "--metric", "roc_auc").out
    for id_ in ("c0", "c1", "c3"):
        assert f"{id_}: {CALLED[id_].words}" in rivals


def test_an_id_without_parameters_stands_alone(run: Run, tmp_path: Path) -> None:
    y = np.arange(60) % 2
    scores = np.column_stack([y + 0.1, np.random.default_rng(1).random(60)])
    pi = en.Predictions.from_arrays(y, scores, fold=np.arange(60) // 2 % 5, configs=["a", "b"])
    pi.save(tmp_path / "bare.npz")
    out = run("estimate", tmp_path / "bare.npz", "--metric", "roc_auc", "--rng", "1").out
    winner = next(line for line in out.splitlines() if line.strip().startswith("Winner"))
    assert winner.split() == ["Winner", "a"]
