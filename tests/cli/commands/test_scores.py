"""Tables of scores on the command line: wide and long, every format, and what is suggested."""

from __future__ import annotations

import inspect
import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import earnest as en
from earnest.cli import reading
from earnest.core.arguments.shared import PredictionsArguments

ITEMS, PROMPTS = 40, ("p0", "p1", "p2")


def matrix() -> np.ndarray:
    """Return 0/1 scores of three prompts; seed 9."""
    rng = np.random.default_rng(9)
    return (rng.random((ITEMS, 3)) < 0.2 + 0.6 * rng.random((ITEMS, 1))).astype(int)


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, Path]:
    """The same scores as wide CSV and Parquet, long JSON lines and Parquet."""
    values = matrix()
    about = {
        "item": [f"q{i}" for i in range(ITEMS)],
        "passage": (np.arange(ITEMS) // 2).tolist(),
        "subject": np.where(np.arange(ITEMS) % 4, "law", "art").tolist(),
    }
    wide = {**about, **{name: values[:, c].tolist() for c, name in enumerate(PROMPTS)}}
    rows = [
        {**{k: v[i] for k, v in about.items()}, "prompt": name, "score": int(values[i, c])}
        for i in range(ITEMS)
        for c, name in enumerate(PROMPTS)
    ]
    paths = {name: tmp_path / name for name in ("w.csv", "w.parquet", "l.jsonl", "l.parquet")}
    lines = [",".join(wide)] + [",".join(map(str, row)) for row in zip(*wide.values(), strict=True)]
    paths["w.csv"].write_text("\n".join(lines) + "\n")
    pq.write_table(pa.table(wide), paths["w.parquet"])
    paths["l.jsonl"].write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows), paths["l.parquet"])
    return paths


ASK = ("--scores", "--group", "passage", "--task", "subject", "--rng", "1", "--json")


@pytest.mark.parametrize("name", ["w.csv", "w.parquet", "l.jsonl", "l.parquet"])
def test_every_form_and_format_gives_the_estimate_of_the_library(run, tables, name):
    done = run("estimate", tables[name], *ASK, "--id", "item")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    subject = np.where(np.arange(ITEMS) % 4, "law", "art")
    given = en.Scores(matrix(), groups=np.arange(ITEMS) // 2, tasks=subject)
    known = en.estimate(given, rng=1)
    assert found["value"] == pytest.approx(known.value)
    assert found["interval"]["low"] == pytest.approx(known.interval.low)
    assert (found["n_cases"], found["winner"]) == (ITEMS, PROMPTS[int(known.winner[1:])])


def test_what_to_sum_up_to_is_a_metric(run, tables):
    done = run("estimate", tables["w.csv"], *ASK, "-m", "mean", "-m", "median")
    assert done.code == 0, done.err
    found = json.loads(done.out)["metrics"]
    assert found["mean"]["metric"] == "mean score"
    assert found["median"]["naive"] == pytest.approx(np.median(matrix(), axis=0).max())


def test_compare_and_report_take_scores(run, tables, tmp_path):
    done = run("compare", tables["w.csv"], "p0", "p1", *ASK, "-m", "mean")
    assert done.code == 0, done.err
    means = matrix().mean(axis=0)
    assert json.loads(done.out)["difference"] == pytest.approx(means[0] - means[1])
    assert run("compare", tables["l.parquet"], "--all", *ASK).code == 0
    out = tmp_path / "report.md"
    done = run("report", tables["w.csv"], *ASK[:-3], "-o", out)
    assert done.code == 0, done.err
    assert "on items like these" in out.read_text().splitlines()[0]


def test_a_file_that_earnest_wrote_needs_no_flag(run, tmp_path):
    path = en.Scores(matrix(), configs=PROMPTS).save(tmp_path / "scores.parquet")
    plain, flagged = (run("estimate", path, *more, "--rng", "1") for more in ((), ("--scores",)))
    assert plain.code == 0, plain.err
    assert plain.out == flagged.out
    assert "40 items, 3 configurations" in " ".join(plain.out.split())
    assert run("report", path, "-o", tmp_path / "r.html").code == 0
    assert run("compare", path, "--all").code == 0


@pytest.mark.parametrize("more", [(), ("-m", "accuracy")])
def test_scores_without_the_flag_are_recognised_and_the_flag_is_suggested(run, tmp_path, more):
    path = tmp_path / "plain.csv"
    lines = [f"q{i},{','.join(map(str, row))}" for i, row in enumerate(matrix())]
    path.write_text("\n".join(["item,p0,p1,p2", *lines]) + "\n")
    done = run("estimate", path, *more)
    assert done.code != 0
    assert "--scores" in done.err
    assert run("estimate", path, "--scores", "--rng", "1").code == 0


def test_losses_limits_and_what_is_missing_are_options(run, tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("item,a,b\n1,2,3\n2,1,\n3,4,5\n4,2,2\n")
    ask = ("estimate", path, "--scores", "--lower-is-better", "--rng", "1", "--json")
    done = run(*ask, "--limits", "0,10", "--incomplete", "worst")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["greater_is_better"], found["limits"], found["n_cases"]) == (False, [0, 10], 4)
    assert found["naive"] == pytest.approx(9 / 4)
    assert json.loads(run(*ask).out)["n_cases"] == 3


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--scores", "--target", "y"), "--target has no meaning with --scores"),
        (("--scores", "--limits", "1"), "--limits: '1' is not a range"),
        (("--scores", "--incomplete", "mean"), "--incomplete is unknown"),
        (("--scores", "-m", "roc_auc"), "the way to sum up scores is unknown"),
        (("--scores", "--id", "itm"), "Did you mean 'item'?"),
        (("--per", "won"), "--per is for scores"),
        (("--scores", "--model", "a", "--model", "b"), "one column names the configuration"),
    ],
)
def test_what_does_not_fit_is_told_in_the_words_of_the_command_line(run, tables, more, said):
    done = run("estimate", tables["w.csv"], "--task", "subject", *more)
    assert done.code != 0
    assert said in done.err
    assert "Traceback" not in done.err


def test_every_option_of_predictions_is_one_of_scores_or_refused_with_them() -> None:
    signature = inspect.signature(en.Scores.__init__).parameters
    signs = ("delimiter", "decimal", "thousands", "missing")
    for option in fields(PredictionsArguments):
        name = reading._SCORES_LOADED_AS.get(option.name, option.name)
        assert name in (*signature, *signs, *reading._NOT_OF_SCORES), option.name
