"""`earnest explain`: words for people, JSON for programs, a page for both."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from pyarrow import csv

from earnest import explain
from earnest.core import name_option
from earnest.results import Explanation
from tests.cli.conftest import Run
from tests.core.base.test_writing import full_disk
from tests.snapshots import Golden
from tests.training.tune_tables import of

FAST = ("--n-points", "60", "--rng", "1", "--suggest", "1")


def write_trials(path: Path, n: int = 30, hostile: bool = False) -> Path:
    rng = np.random.default_rng(2)
    level = "\x1b[31mred" if hostile else "b"
    lines = ["rate,depth,kind,auc"]
    for _ in range(n):
        rate, depth = 10 ** rng.uniform(-4, -1), int(rng.integers(1, 9))
        kind = rng.choice(["a", level])
        auc = 0.9 - 0.03 * (np.log10(rate) + 2) ** 2 + 0.01 * depth + 0.002 * rng.standard_normal()
        lines.append(
            f"{rate!r},{depth},{kind},{auc:.5f}".replace("np.float64(", "").replace(")", "")
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def trials(tmp_path: Path) -> Path:
    return write_trials(tmp_path / "trials.csv")


READ = ("--objective", "auc", "--direction", "maximize")


def test_the_words_name_effects_regions_and_cautions(run: Run, trials: Path) -> None:
    done = run("explain", trials, *READ, *FAST)
    assert done.code == 0, done.err
    assert "matters most" in done.out or "matter most" in done.out
    for word in ("rate", "depth", "kind", "Regions of", "best here", "Try next", "EN062", "seed 1"):
        assert word in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_the_words_open_with_the_region_of_the_best_configuration(run: Run, trials: Path) -> None:
    data = json.loads(run("explain", trials, *READ, *FAST, "--json").out)
    tree = next(t for t in data["regions"].values() if len(t["regions"]) > 1)
    (leaf,) = [r for r in tree["regions"] if r["holds_best"] and not r["children"]]
    words = " ".join(run("explain", trials, *READ, *FAST).out.split())
    assert 0 < words.index(leaf["words"]) < words.index("Other regions of " + tree["param"])
    assert words.index(leaf["words"]) < words.index("share of variance")
    assert words.count(leaf["words"]) == 1


def test_the_json_is_the_explanation(run: Run, trials: Path) -> None:
    done = run("explain", trials, *READ, *FAST, "--json")
    data = json.loads(done.out)
    assert done.code == 0
    assert len(data.pop("suggestions")) == 1
    again = Explanation.from_dict(data)
    assert set(again.effects) == {"rate", "depth", "kind"}
    assert again.n_trials == 30


def test_parameters_and_regions_are_as_asked_for(run: Run, trials: Path) -> None:
    args = ("--params", "rate, kind", "--regions", "2", "--json")
    data = json.loads(run("explain", trials, *READ, *FAST, *args).out)
    assert set(data["effects"]) == {"rate", "kind"}
    assert all(len(tree["regions"]) == 3 for tree in data["regions"].values())


def test_regions_are_split_as_asked_for_and_as_in_python(run: Run, trials: Path) -> None:
    asked = {"depth": 1, "impurity": "area", "on": "variance", "min_points": 15}
    options = [word for name in asked for word in (name_option(name), str(asked[name]))]
    data = json.loads(run("explain", trials, *READ, *FAST, *options, "--json").out)
    again = explain(
        trials, objective="auc", direction="maximize", n_points=60, rng=1, regions=4, **asked
    )
    assert {key: data["provenance"][key] for key in asked} == asked
    for name, tree in data["regions"].items():
        assert len(tree["regions"]) <= 3
        assert (tree["impurity"], tree["on"]) == ("area", "variance")
        grown = again.region_tree(name, n_regions=4, **asked)
        assert tree == json.loads(json.dumps(grown.to_dict()))
    none = json.loads(run("explain", trials, *READ, *FAST, "--min-gain", "0.99", "--json").out)
    assert all(len(tree["regions"]) == 1 for tree in none["regions"].values())


def test_region_options_are_checked_and_stand_in_the_whole_help_only(
    run: Run, trials: Path
) -> None:
    done = run("explain", trials, *READ, "--impurity", "l3")
    assert done.code == 2
    assert "--impurity" in done.err
    for option in ("--depth", "--min-gain", "--impurity"):
        assert option not in run("explain", "--help").out
        assert option in run("explain", "--help-all").out


def test_a_page_is_written(run: Run, trials: Path, tmp_path: Path) -> None:
    page = tmp_path / "explanation.html"
    done = run("explain", trials, *READ, *FAST, "--params", "kind", "--out", page)
    assert done.code == 0, done.err
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "trials.csv" in text
    assert str(page) in done.out.replace("\n", "").replace("             ", "")
    before = sorted(tmp_path.iterdir())
    with full_disk():
        done = run("explain", trials, *READ, *FAST, "--params", "kind", "--out", page)
    assert (done.code, "cannot be written" in done.err) == (2, True)
    assert page.read_text(encoding="utf-8") == text
    assert sorted(tmp_path.iterdir()) == before


def test_a_terminal_is_not_coloured_by_a_file(run: Run, tmp_path: Path) -> None:
    done = run("explain", write_trials(tmp_path / "t.csv", hostile=True), *READ, *FAST)
    assert done.code == 0
    assert "\x1b[31m" not in done.out


def test_an_encoding_without_blocks_gets_signs_it_has(run_in_ascii: Run, trials: Path) -> None:
    done = run_in_ascii("explain", trials, *READ, *FAST)
    assert done.code == 0, done.err
    assert "matter" in done.out
    assert "\\u" not in done.out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--objective", "auc"), ["--direction", "maximize"]),
        (("--direction", "maximize"), ["objective"]),
        (("--objective", "acu", "--direction", "maximize"), ["acu", "auc"]),
        ((*READ, "--params", "rates"), ["rates", "Did you mean 'rate'"]),
        ((*READ, "--regions", "0"), ["--regions"]),
        ((*READ, "--n-points", "3"), ["--n-points"]),
        ((*READ, "--confidence-level", "95"), ["--confidence-level", "0.95"]),
        ((*READ, "--surrogate", "gp"), ["--surrogate", "gaussian_process"]),
        ((*READ, "--rng", "-1"), ["--rng"]),
        ((*READ, "--suggest", "-1"), ["--suggest"]),
        ((*READ, "--study", "x"), ["--study"]),
        ((*READ, "--out", "page.txt"), ["--out", ".html"]),
        ((*READ, "--out", "nowhere/page.html"), ["nowhere"]),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    run: Run, trials: Path, args: tuple[str, ...], words: list[str]
) -> None:
    done = run("explain", trials, *args)
    assert (done.code, done.out) == (2, "")
    assert len(done.err.strip().splitlines()) == 1
    for word in words:
        assert word in done.err


def test_no_number_is_cut_however_narrow_the_terminal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_trials(tmp_path / "trials.csv")
    text = path.read_text(encoding="utf-8").replace("depth", "gradient_boosting__max_depth", 1)
    path.write_text(text, encoding="utf-8")
    data = json.loads(run("explain", path, *READ, *FAST, "--json").out)
    for width in (50, 30):
        monkeypatch.setenv("COLUMNS", str(width))
        done = run("explain", path, *READ, *FAST)
        assert max(map(len, done.out.splitlines())) <= width
        joined = " ".join(done.out.split())
        for name, curve in data["effects"].items():
            share = data["importance"]["total"][name]
            words = f"{100 * share['value']:.0f} % ({100 * share['low']:.0f} to"
            assert words in joined
            assert f"{min(curve['mean']):.3g} to {max(curve['mean']):.3g} ±" in joined
        name = done.out.replace("\n    ", "").replace("\n  ", "")
        assert "gradient_boosting__max_depth" in name


def test_what_wraps_in_a_region_stays_in_its_column(
    run: Run, trials: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("explain", trials, *READ, *FAST).out.splitlines()
    first = next(i for i, line in enumerate(lines) if "Regions of" in line)
    last = next(i for i, line in enumerate(lines) if line.startswith("  Best"))
    body = [line for line in lines[first:last] if line and "Regions of" not in line]
    assert body
    assert all(line.startswith("    ") for line in body)


def test_a_run_file_is_explained(run: Run, tmp_path: Path, golden: Golden) -> None:
    from sklearn.datasets import make_classification
    from sklearn.tree import DecisionTreeClassifier

    import earnest as en

    X, y = make_classification(90, flip_y=0.1, random_state=1)
    grid = {"max_depth": [1, 2, 3, 4], "min_samples_leaf": [1, 5, 20]}
    search = en.SearchCV(
        DecisionTreeClassifier(random_state=0),
        grid,
        cv=3,
        scoring=["neg_log_loss", "accuracy"],
        refit="accuracy",
        random_state=0,
        store=tmp_path / "run.db",
    )
    search.fit(X, y)
    args = ("--n-points", "40", "--rng", "1", "--suggest", "0")
    done = run("explain", tmp_path / "run.db", *args, "--objective", "log_loss")
    assert done.code == 0, done.err
    golden.check_line(done.out, "range of log_loss")
    data = json.loads(run("explain", tmp_path / "run.db", *args, "--json").out)
    assert data["objective"]["name"] == "accuracy"
    assert data["best_value"] == pytest.approx(search.best_score_, abs=1e-12)
    wrong = run("explain", tmp_path / "run.db", "--objective", "acuracy")
    assert (wrong.code, "Did you mean 'accuracy'" in wrong.err) == (2, True)


@pytest.mark.parametrize("n", [0, 5])
def test_too_few_trials_are_refused(run: Run, tmp_path: Path, n: int) -> None:
    done = run("explain", write_trials(tmp_path / "few.csv", n), *READ)
    assert done.code == 2
    assert len(done.err.strip().splitlines()) == 1


def test_a_file_that_is_not_there_is_refused(run: Run, tmp_path: Path) -> None:
    write_trials(tmp_path / "trials.csv")
    done = run("explain", tmp_path / "trails.csv", *READ)
    assert done.code == 2
    assert "trials.csv" in done.err


def test_the_results_of_a_search_as_pandas_writes_them_need_no_more_than_their_score(
    run: Run, tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)  # any seed: only the columns are looked at
    lines = [",mean_fit_time,param_C,params,split0_test_score,mean_test_score,rank_test_score"]
    for row in range(20):
        c, score = 10 ** rng.uniform(-3, 3), rng.random()
        lines.append(f"{row},0.1,{c:.6g},\"{{'C': {c:.6g}}}\",{score:.4f},{score:.4f},{row + 1}")
    path = tmp_path / "cvres.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("explain", path, "--objective", "mean_test_score", *FAST, "--json")
    assert done.code == 0, done.err
    assert list(json.loads(done.out)["effects"]) == ["C"]


def test_the_marks_of_a_table_of_trials_may_be_said(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)  # any seed: only the marks are looked at
    rows = [
        f'"{rng.integers(1, 99)},{rng.integers(100, 999)}",{rng.random():.4f}' for _ in range(20)
    ]
    path = tmp_path / "trials.csv"
    path.write_text("\n".join(["size,auc", *rows]) + "\n", encoding="utf-8")
    asked = run("explain", path, *READ, *FAST)
    assert (asked.code, asked.out) == (2, "")
    assert "--thousands ," in asked.err
    told = run("explain", path, *READ, *FAST, "--thousands", ",", "--json")
    assert told.code == 0, told.err
    assert list(json.loads(told.out)["effects"]) == ["size"]


def test_a_run_folder_is_explained_as_its_run_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    csv.write_csv(of("relapse"), "patients.csv")
    told = run("tune", "patients.csv", "--target", "relapse", "--n-configs", "12", "--folds", "2",
               "--rng", "7", "--n-jobs", "1", "--no-report", "-q")  # fmt: skip
    assert told.code == 0, told.err
    folder, file = (
        run("explain", name, *FAST, "--regions", "1", "--json") for name in ("run", "run/run.db")
    )
    assert folder.code == 0, folder.err
    assert json.loads(folder.out)["n_trials"] == 12
    assert folder.out == file.out


def test_a_folder_without_trials_is_refused_with_what_it_holds(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    done = run("explain", tmp_path)
    assert done.code == 2
    assert "holds no trials" in done.err
    assert "notes.txt" in done.err
