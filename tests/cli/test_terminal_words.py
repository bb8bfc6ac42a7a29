"""What people meet on a terminal: errors in parts, tables piped in, seeds to type, completion."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
from itertools import product

import numpy as np
import pytest
from rich.console import Console

import earnest as en
from earnest.cli import main
from earnest.core import Seeds


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [40, 80, 120])
def test_an_error_on_a_terminal_has_a_line_for_each_part_and_whole_words(
    run, table, monkeypatch, width, golden
):
    piped = run("estimate", table, "-m", "roc_auc", "--method", "bcc").err
    assert piped.count("\n") == 1  # a log has one line
    screen = Terminal()
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", screen)
    assert main(["estimate", str(table), "-m", "roc_auc", "--method", "bcc"]) == 2
    plain = re.sub(r"\r|\x1b\[[0-9;]*[mK]", "", screen.getvalue())
    lines = [line.rstrip() for line in plain.split("\n") if line]
    golden.check(lines[0])
    heads = [line.split()[0] for line in lines[1:] if line[2:3].strip()]
    assert heads == ["expected", "try"]
    assert max(map(len, lines)) <= min(width, 100)
    whole = set(" ".join(lines).split())
    assert set(piped.split()) - whole <= {"unknown.", "Expected", "tilted."}


def test_a_table_may_come_on_standard_input(run, table, tmp_path, monkeypatch):
    ask = ["--metric", "roc_auc", "--rng", "1", "--n-resamples", "100", "--json"]
    from_file = json.loads(run("estimate", table, *ask).out)
    wide = en.Predictions.load(table).save(tmp_path / "preds.parquet")
    for source in (table, wide):
        with source.open() as stream:  # of a file: the descriptor is what a shell hands over
            monkeypatch.setattr(sys, "stdin", stream)
            done = run("estimate", "-", *ask)
        assert json.loads(done.out)["value"] == from_file["value"]


@pytest.mark.parametrize("command", ["estimate", "tune"])
def test_standard_input_that_is_empty_or_a_terminal_is_refused(run, monkeypatch, command):
    ask = ["--metric", "roc_auc"] if command == "estimate" else ["--target", "y"]
    for stream in (Terminal(), io.TextIOWrapper(io.BytesIO(b""))):
        monkeypatch.setattr(sys, "stdin", stream)
        done = run(command, "-", *ask)
        assert done.code == 2
        assert "standard input" in done.err


def test_standard_input_goes_nowhere_else(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y,fold,a\n0,0,0.1\n")))
    assert run("estimate", "-", "-m", "roc_auc").code == 2  # one case: read, and refused as such
    assert not list(tmp_path.iterdir())


def test_json_lines_may_come_on_standard_input(run, monkeypatch):
    rows = [{"y": i % 2, "fold": i // 8, "a": i % 2 + i % 3, "b": i % 5} for i in range(40)]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    for content in (lines, gzip.compress(lines)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        done = run("estimate", "-", "-m", "roc_auc", "--rng", "1", "--json")
        assert done.code == 0
        assert json.loads(done.out)["n_cases"] == 40


def test_a_drawn_seed_has_at_most_ten_digits():
    drawn = [Seeds.of(None).entropy for _ in range(200)]
    assert max(drawn) < 10**10
    assert len(set(drawn)) > 190  # of 2**32: two alike among 200 have a chance of 5e-6


def test_a_shell_is_told_how_to_complete(spawn):
    done = spawn(_EARNEST_COMPLETE="complete_bash", COMP_WORDS="earnest comp", COMP_CWORD="1")
    assert done.out.split() == ["compare", "compare-learners"]
    undetected = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}  # whatever started the tests
    assert "complete" in spawn("--show-completion", "bash", **undetected).out


def test_a_caution_of_several_methods_is_told_once(run, table):
    done = run("estimate", table, "-m", "roc_auc", "--all", "--rng", "1")
    codes = [line.split()[1] for line in done.out.splitlines() if line[:4] in ("  ! ", "  i ")]
    assert len(codes) > 1
    assert len(codes) == len(set(codes))


def found(seed: int = 7) -> en.Predictions:
    y = np.tile([0, 1], 50)
    scores = y[:, None] + 1.5 * np.random.default_rng(seed).standard_normal((100, 20))
    return en.Predictions.from_arrays(y, scores, fold=np.arange(100) // 2 % 10)


def printed(made: object, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(made)
    return console.file.getvalue()


def test_rich_prints_a_result_as_the_command_line_does_with_advice_in_python():
    pi = found()
    results = [
        en.estimate(pi, metric="roc_auc", rng=7),
        en.estimate_all(pi, metric="roc_auc", rng=7),
        en.compare(pi, "c0", "c1", metric="roc_auc", rng=7),
        en.compare_many(pi, metric="roc_auc", rng=7),
        en.gain(pi, metric="roc_auc", rng=7),
        en.inference.bootstrap(
            lambda w: np.average(np.arange(20.0), weights=w), np.arange(20.0), rng=7
        ),
    ]
    for made, width in product(results, (60, 80, 120)):
        text = printed(made, width)
        assert max(len(line) for line in text.splitlines()) <= width
        assert "--" not in text
        assert "\ue000" not in text
        assert made is not results[0] or "Expect a ROC AUC of" in text
    assert "method='bbc'" in printed(results[1], 120)


def test_every_command_that_measures_takes_several_metrics(run, table, tmp_path):
    page = tmp_path / "page.md"
    done = run("report", table, "-m", "roc_auc", "-m", "accuracy", "-o", page, "--rng", "1",
               "--n-resamples", "100")  # fmt: skip
    assert done.code == 0
    assert {one.name for one in tmp_path.glob("page*")} == {"page-roc_auc.md", "page-accuracy.md"}
    cases = tmp_path / "cases.csv"
    rows = [f"{i % 7},{i % 5},{int(i % 7 > 3)}" for i in range(60)]
    cases.write_text("\n".join(["a,b,y", *rows]) + "\n", "utf-8")
    ask = ["--target", "y", "--model", "logistic", "--versus", "lda", "--cv", "3", "--quiet"]
    both = ["-m", "accuracy", "-m", "roc_auc"]
    done = run("compare-learners", cases, *ask, *both, "--rng", "1", "--json")
    assert done.code == 0, done.err
    assert list(json.loads(done.out)["metrics"]) == ["accuracy", "roc_auc"]
    alone = run("compare-learners", cases, *ask, "-m", "roc_auc", "--rng", "1", "--json")
    assert json.loads(alone.out) == json.loads(done.out)["metrics"]["roc_auc"]
