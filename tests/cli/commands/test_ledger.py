"""`earnest ledger` from files to a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from tests.cli.conftest import Run
from tests.snapshots import Golden

N = 80
Y = np.tile([0, 1], N // 2)
DIGEST = "[0-9a-f]{32}"


def write_try(path: Path, seed: int, skill: float) -> Path:
    """Write predictions of one model, the rows in an order of their own."""
    rng = np.random.default_rng(seed)
    scores = skill * Y + rng.standard_normal(N)
    lines = [f"p{i},{i // 2 % 4},{Y[i]},{scores[i]:.4f}" for i in rng.permutation(N)]
    path.write_text("\n".join(["row_id,fold,y,m", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def tries(tmp_path: Path) -> list[Path]:
    return [write_try(tmp_path / f"try-{k}.csv", k, 0.6 * k) for k in range(4)]


def test_a_ledger_from_the_first_try_to_the_estimate(
    run: Run,
    tries: list[Path],
    tmp_path: Path,
    golden: Golden,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # a path of one length, by which lines are broken
    work = Path("work.db")
    golden.check(run("ledger", "new", work, tries[0], "-m", "roc_auc", "--rng", 1).out, DIGEST)
    told = run("ledger", "score", work, tries[1], "--name", "one")
    golden.check(told.out)
    again = json.loads(run("ledger", "score", work, tries[1], "--name", "one", "--json").out)
    assert (again["name"], again["half"], again["best"]) == ("one", "A", "one")
    run("ledger", "score", work, tries[3], "--name", "three", "--builds-on", "one")
    golden.check(run("ledger", "show", work).out, DIGEST)
    shown = json.loads(run("ledger", "show", work, "--json").out)
    assert [each["score_b"] for each in shown["tries"]] == [None] * 3
    for verb in ("estimate", "gain", "compare", "thresholds", "report", "explain"):
        assert run(verb, work).code == 2, verb
    passed = run("gate", work, "--configs", "three", "--above", 0.5)
    assert passed.code == 0
    golden.check(passed.out)
    assert run("gate", work, "--configs", "one", "--against", tries[3]).code == 4
    assert run("gate", work, "--configs", "three", "--against", work, "--json").code in (0, 4)
    golden.check(run("ledger", "finish", work).out, DIGEST)
    answer = json.loads(run("estimate", work, "--n-resamples", 50, "--json").out)
    assert answer["guide"] == "crossed"
    assert answer["value"] == pytest.approx(en.estimate(work, n_resamples=50).value)
    assert run("gain", work, "--n-resamples", 50).code == 0
    assert run("compare", work, "--all").code == 0
    assert run("report", work, "-o", tmp_path / "r.html", "--n-resamples", 50).code == 0
    assert run("gate", work, "--above", 0.5, "--json").code in (0, 3, 4)


def test_scores_of_items_are_read_as_such_once_the_ledger_holds_scores(
    run: Run, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    for name in ("in-use", "try"):
        rows = [f"q{i},{int(rng.random() < 0.6)}" for i in range(50)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,prompt", *rows]) + "\n")
    work = tmp_path / "work.db"
    begun = run("ledger", "new", work, tmp_path / "in-use.csv", "--scores", "--agent", "ada",
                "--agent", "bob")  # fmt: skip
    assert begun.code == 0, begun.err
    told = run("ledger", "score", work, tmp_path / "try.csv", "--name", "try", "--agent", "bob",
               "--json")  # fmt: skip
    assert json.loads(told.out)["half"] == "B"
    assert json.loads(run("ledger", "show", work, "--json").out)["tries"][0]["score_a"] is None


def test_what_an_action_does_not_take_is_refused(
    run: Run, tries: list[Path], tmp_path: Path, golden: Golden
) -> None:
    work = tmp_path / "work.db"
    run("ledger", "new", work, tries[0], "-m", "roc_auc")
    for arguments in (
        ("begin", work),
        ("show", work, tries[0]),
        ("score", work),
        ("show", work, "--name", "x"),
        ("score", work, tries[1], "--metric", "accuracy"),
        ("score", work, tries[1], "--agent", "a", "--agent", "b"),
        ("new", work, tries[0], "-m", "roc_auc"),
        ("show", tmp_path / "none.db"),
        ("show", tries[0]),
    ):
        done = run("ledger", *arguments)
        assert done.code == 2
        golden.check(done.err)
    refused = run("gate", work, "--above", 0.5)
    assert refused.code == 2
    golden.check(refused.err)
    golden.check(run("estimate", work).err)
