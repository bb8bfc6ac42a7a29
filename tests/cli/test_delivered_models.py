"""What `earnest tune` delivers, `earnest predict` uses: every family, alone and with every other.

The tables are tiny and the trees few: what a file is made of depends on neither.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from earnest.cli import main
from earnest.learners import load_portfolio
from earnest.results import Model
from earnest.rules import TopAverage
from earnest.training import MODELS, list_packaged
from earnest.training.learners.averaged import AveragedModel
from earnest.training.learners.portfolio import Entry
from earnest.training.tune import options

ROLES = {
    "binary": ("--target", "relapse"),
    "multiclass": ("--target", "grade"),
    "regression": ("--target", "score"),
    "survival": ("--time", "days", "--event", "died"),
}
QUICK_METRICS = {"binary": "log_loss", "multiclass": "log_loss", "regression": "rmse"}
NEW_PROCESS = """
import json, sys
from earnest.cli import main
sys.exit(max([main(args) for args in json.load(sys.stdin)]))
"""


def write_table(task: str, path: Path, n: int = 48) -> Path:
    """Write numbers, gaps, a category, true and false, and the outcome; seed 0."""
    rng = np.random.default_rng(0)
    age, marker = rng.normal(50, 10, n), rng.normal(size=n)
    risk = (age - 50) / 10 + (marker > 0) + rng.normal(0, 0.7, n)
    outcomes = {
        "binary": {"relapse": np.where(risk > np.median(risk), "yes", "no")},
        "multiclass": {"grade": np.array(list("abc"))[np.argsort(np.argsort(risk)) * 3 // n]},
        "regression": {"score": risk},
        "survival": {"days": rng.exponential(np.exp(-risk)), "died": rng.random(n) < 0.7},
    }
    gaps = np.where(rng.random(n) < 0.1, np.nan, marker)
    columns = {
        "age": age,
        "marker": pa.array(gaps, from_pandas=True),
        "site": rng.choice(["Graz", "Linz"], n),
        "smoker": rng.random(n) < 0.5,
    }
    pq.write_table(pa.table({**columns, **outcomes[task]}), path)
    return path


def list_families(task: str) -> list[Entry]:
    """Return an entry of each family that a packaged portfolio has for a task."""
    portfolios = [load_portfolio(name).contents for name in list_packaged()]
    entries = [entry for one in portfolios if task in one.tasks for entry in one.models]
    usable = [entry for entry in entries if task in entry.tasks and MODELS[entry.name].installed]
    return list({entry.name: entry for entry in reversed(usable)}.values())[::-1]


def list_portfolios(task: str, *, every: bool) -> Iterator[tuple[str, ...]]:
    """Yield every family alone and with the next, or with every other.

    Risks of survival have no average.
    """
    names = [entry.name for entry in list_families(task)]
    yield from ((name,) for name in names)
    if task != "survival":
        yield from combinations(names, 2) if every else pairwise(names)


def write_portfolio(task: str, names: Sequence[str], path: Path, rounds: int = 3) -> Path:
    """Write a portfolio of the best guess of each family, with few trees."""
    entries = {entry.name: entry for entry in list_families(task)}
    lines = ["format = 1", f'tasks = ["{task}"]']
    for name in names:
        guess = {knob: values[0] for knob, values in entries[name].grid.items()}
        guess |= {knob: rounds for knob in ("trees", "rounds") if knob in guess}
        lines += ["[[model]]", f'model = "{name}"']
        lines += [f"{knob} = {json.dumps(value)}" for knob, value in guess.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def tune(task: str, names: Sequence[str], table: Path, out: Path) -> int:
    """Tune in this process; a pair as an ensemble, one as the command line does by itself."""
    portfolio = write_portfolio(task, names, out.with_suffix(".toml"))
    asked: list[object] = [
        "--portfolio",
        portfolio,
        "--n-configs",
        len(names),
        "--folds",
        2,
        "--rng",
        7,
    ]
    asked += ["--n-jobs", 1, "--no-report", "--quiet", "--out", out]
    if len(names) > 1:
        asked += ["--ensemble", "greedy"]
        asked += ["--metric", QUICK_METRICS[task]]
    return main(["tune", str(table), *ROLES[task], *map(str, asked)])


def predict_anew(runs: Sequence[Path]) -> None:
    """Predict the table beside each run in one new process, into the folder of the run."""
    calls = [
        ["predict", run, run.parent / "table.parquet", "--out", run / "new.parquet"] for run in runs
    ]
    done = subprocess.run(
        [sys.executable, "-c", NEW_PROCESS],
        input=json.dumps([[*map(str, call)] for call in calls]).encode(),
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_family_predicts_the_same_in_a_new_process_alone_and_in_pairs(
    every: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which of two the greedy rule takes is up to the data, so here it takes both."""
    monkeypatch.setitem(options.ENSEMBLE_RULES, "greedy", TopAverage(k=2))
    delivered: list[Model] = []
    to_bytes = Model.to_bytes
    monkeypatch.setattr(Model, "to_bytes", lambda model: delivered.append(model) or to_bytes(model))
    runs: list[Path] = []
    for task in ROLES:
        (tmp_path / task).mkdir()
        table = write_table(task, tmp_path / task / "table.parquet")
        for names in list_portfolios(task, every=every):
            runs.append(tmp_path / task / "+".join(names))
            assert tune(task, names, table, runs[-1]) == 0
            members = getattr(delivered[-1].estimator, "estimators_", [delivered[-1].estimator])
            assert len(members) == len(names)
            assert isinstance(delivered[-1].estimator, AveragedModel) == (len(names) > 1)
    predict_anew(runs)
    assert len(runs) == len(delivered)
    for run, model in zip(runs, delivered, strict=True):
        before = model.predict(run.parent / "table.parquet").to_dict()
        after = pq.read_table(run / "new.parquet").to_pydict()
        assert list(after) == list(before)
        for name, values in before.items():
            if isinstance(values[0], float):  # another process may round the last bits otherwise
                np.testing.assert_allclose(after[name], values, rtol=1e-10, err_msg=run.name)
            else:
                assert after[name] == values, run.name


@pytest.mark.parametrize("task", ["binary", pytest.param("regression", marks=pytest.mark.slow)])
def test_a_greedy_ensemble_with_boosting_predicts_in_a_new_process(task, tmp_path, run, spawn):
    """A line and a step: an elastic net and boosting each know one of them."""
    rng = np.random.default_rng(5)
    x = rng.standard_normal((240, 3))
    y = x[:, 0] + 1.5 * (x[:, 1] > 0) + 0.8 * rng.standard_normal(240)
    outcome = np.where(y > 0.75, "yes", "no") if task == "binary" else y
    columns = {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], ROLES[task][1]: outcome}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    names = ("elastic_net", "hist_gradient_boosting")
    portfolio = write_portfolio(task, names, tmp_path / "both.toml", rounds=40)
    done = run(
        "tune", tmp_path / "t.parquet", *ROLES[task], "--portfolio", portfolio, "--folds", 3,
        "--n-configs", 2, "--ensemble", "greedy", "--rng", 7, "--n-jobs", 1, "--no-report",
        "--out", tmp_path / "run",
    )  # fmt: skip
    assert done.code == 0
    estimate = json.loads((tmp_path / "run" / "estimate.json").read_text(encoding="utf-8"))
    assert len(estimate["ensemble"]) == 2
    new = spawn("predict", tmp_path / "run", tmp_path / "t.parquet", "--json")
    assert (new.code, new.err) == (0, "")
    assert json.loads(new.out)["n_rows"] == 240


def test_an_ensemble_of_risks_is_refused_before_anything_is_trained(tmp_path, run):
    table = write_table("survival", tmp_path / "t.parquet")
    done = run("tune", table, *ROLES["survival"], "--ensemble", "greedy", "--out", tmp_path / "run")
    assert done.code == 2
    assert "--ensemble" in done.err
    assert not (tmp_path / "run").exists()
