"""What the command line must not read in silence: folds, data, long tables, marks, options."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from earnest import Predictions, estimate, scores_from
from earnest.results import Estimate
from tests.cli.conftest import Run
from tests.snapshots import Golden

N = 60
ASK = ("-m", "roc_auc", "--rng", "1", "--n-resamples", "60")


def write(path: Path, columns: dict[str, object]) -> Path:
    """Write columns as a CSV file."""
    rows = zip(*columns.values(), strict=True)  # type: ignore[call-overload]
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def scores(seed: int = 2) -> dict[str, object]:
    """Two configurations of a balanced outcome in five folds, to four decimals."""
    rng = np.random.default_rng(seed)
    y = np.arange(N) % 2
    made = {name: (0.3 * y + 0.7 * rng.random(N)).round(4) for name in ("svm", "tree")}
    return {"y": y, "fold": np.arange(N) // 2 % 5, **made}


def test_real_numbers_as_folds_are_refused_with_the_column_that_is_meant(run: Run, tmp_path: Path):
    rng = np.random.default_rng(3)
    table = scores()
    table["age"], table["part"] = rng.normal(50, 9, N), table.pop("fold")
    done = run("estimate", write(tmp_path / "p.csv", table), *ASK, "--fold", "age")
    assert (done.code, done.out) == (2, "")
    assert "--fold part" in done.err


def test_data_given_for_predictions_are_pointed_to_tune(run: Run, tmp_path: Path, golden: Golden):
    rng = np.random.default_rng(4)
    data = {
        "glucose": rng.integers(60, 199, N),
        "insulin": rng.integers(0, 846, N),
        "bmi": (18 + 40 * rng.random(N)).round(1),
        "age": rng.integers(21, 81, N),
        "ill": np.arange(N) % 2,
    }
    path = write(tmp_path / "data.csv", data)
    done = run("estimate", path, *ASK, "--target", "ill", "--fold", "")
    assert (done.code, done.out) == (2, "")
    golden.check_sentence(done.err, "earnest tune data.csv")
    named = run("estimate", path, *ASK, "--target", "ill", "--fold", "", "--configs", "age")
    assert named.code == 0, named.err


def test_a_long_table_hears_the_options_that_read_it(run: Run, tmp_path: Path):
    rng = np.random.default_rng(5)
    rows = [(case, model) for model in (2, 4, 8) for case in range(N)]
    table = {
        "patient": [case for case, _ in rows],
        "y": [case % 2 for case, _ in rows],
        "fold": [case // 2 % 5 for case, _ in rows],
        "depth": [model for _, model in rows],
        "risk": rng.random(len(rows)).round(4),
    }
    path = write(tmp_path / "long.csv", table)
    done = run("estimate", path, *ASK)
    assert (done.code, done.out) == (2, "")
    options = ("--model", "depth", "--prediction", "risk", "--id", "patient")
    assert " and ".join(f"{a} {b}" for a, b in zip(options[::2], options[1::2], strict=True)) in (
        done.err
    )
    told = run("estimate", path, *ASK, *options, "--json")
    assert json.loads(told.out)["n_cases"] == N


def test_repeats_that_are_stacked_bring_a_caution_that_names_the_options(run: Run, tmp_path: Path):
    rng = np.random.default_rng(6)
    y = np.tile(rng.integers(0, 2, N), 2)
    table = {"y": y, "fold": rng.permutation(2 * N) % 5, "svm": rng.random(2 * N)}
    done = run("estimate", write(tmp_path / "p.csv", table | {"rf": rng.random(2 * N)}), *ASK)
    assert done.code == 0, done.err
    assert "EN156" in done.out
    assert "--id COLUMN" in done.out


def test_commas_that_may_be_two_things_are_asked_about_with_both_options(run: Run, tmp_path: Path):
    table = scores()
    table["svm"] = [f'"{1 + i % 9},{100 + i}"' for i in range(N)]
    path = write(tmp_path / "p.csv", table)
    done = run("estimate", path, *ASK)
    assert (done.code, done.out) == (2, "")
    assert "1100 or 1.1" in done.err
    for option in ("--thousands", "--decimal"):
        assert f"{option} ," in done.err
        told = run("estimate", path, *ASK, option, ",", "--configs", "svm", "--json")
        assert told.code == 0, told.err


def test_percentages_are_read_as_shares_with_a_note(run: Run, tmp_path: Path):
    table = scores()
    shares = np.array(table["svm"])
    table["svm"] = [f"{100 * share:.2f} %" for share in shares]
    done = run("estimate", write(tmp_path / "p.csv", table), *ASK, "--json")
    assert "EN121" in {caution["code"] for caution in json.loads(done.out)["cautions"]}
    plain = run("estimate", write(tmp_path / "q.csv", {**table, "svm": shares}), *ASK, "--json")
    # the same up to rounding to two decimals of a percent, which orders cases alike
    assert json.loads(done.out)["value"] == json.loads(plain.out)["value"]


def test_spaces_between_thousands_may_be_said_by_their_name(run: Run, tmp_path: Path):
    table = scores()
    table["svm"] = [f"{1 + i % 9} {100 + i}" for i in range(N)]
    path = write(tmp_path / "p.csv", table)
    done = run("estimate", path, *ASK, "--thousands", "space", "--configs", "svm")
    assert done.code == 0, done.err


@pytest.mark.parametrize("rows", [1, N])
def test_numbers_of_400_digits_are_refused_and_not_called_constant(
    run: Run, tmp_path: Path, rows: int
):
    table = scores()
    data = {"x": ["1" + "0" * 400 if k < rows else k / 7 for k in range(N)], "z": table["svm"]}
    path = write(tmp_path / "data.csv", data | {"ill": table["y"]})
    ask = ("-t", "ill", "--model", "naive_bayes", "--method", "cv", "--cv", "3")
    done = run("assess", path, *ask, "-m", "roc_auc")
    assert (done.code, done.out) == (2, "")
    assert "in line 2" in done.err
    followed = run("assess", path, *ask, "-m", "roc_auc", "--ignore", "x")
    assert followed.code == 0, followed.err


def test_a_mark_among_scores_is_offered_as_missing_and_then_read(run: Run, tmp_path: Path):
    right = np.arange(N) % 2
    path = write(tmp_path / "scores.csv", {"item": np.arange(N), "a": right, "b": right})
    path.write_text(path.read_text().replace("\n7,1,1\n", "\n7,1,k.A.\n"))
    ask = ("estimate", path, "--scores", "--rng", "1", "--n-resamples", "60")
    done = run(*ask)
    assert (done.code, done.out) == (2, "")
    assert "--missing 'k.A.'" in done.err
    followed = run(*ask, "--missing", "k.A.", "--json")
    assert json.loads(followed.out)["n_cases"] == N - 1


def test_a_leaderboard_may_be_written_by_a_spreadsheet(tmp_path: Path):
    for name, shift in (("short", 0), ("polite", 1)):
        rows = [f"0{k};{'0,5' if (k + shift) % 3 else '1,0'};é" for k in range(9)]
        text = "\r\n".join(["item;score;topic", *rows]) + "\r\n"
        (tmp_path / f"{name}.csv").write_bytes(text.encode("cp1252"))
    table = scores_from(tmp_path)
    assert (table.n_cases, table.n_configs) == (9, 2)
    assert table.parts.ids is not None
    assert table.parts.ids[0] == "00"
    assert set(table.values.ravel().tolist()) == {0.5, 1.0}


# ------------------------------------------------------------------ several metrics


def test_every_metric_is_answered_as_it_is_alone(run: Run, table: Path):
    both = run("estimate", table, *ASK, "-m", "accuracy", "--json")
    assert both.code == 0, both.err
    found = json.loads(both.out)
    assert found["schema"] == "earnest/by-metric/1"
    assert list(found["metrics"]) == ["roc_auc", "accuracy"]
    for name, said in found["metrics"].items():
        alone = run("estimate", table, "-m", name, *ASK[2:], "--json")
        assert said == json.loads(alone.out)
        here = estimate(Predictions.load(table), metric=name, rng=1, n_resamples=60)
        assert Estimate.from_dict(said).value == here.value


def test_every_metric_has_its_block_and_its_table(run: Run, table: Path):
    done = run("estimate", table, *ASK, "-m", "accuracy", "-m", "roc_auc")
    assert [line.split()[1] for line in done.out.splitlines() if "Metric  " in line] == [
        "roc_auc,",
        "accuracy,",
    ]
    written = run("estimate", table, *ASK, "-m", "accuracy", "--table", "markdown")
    assert written.out.count("| --- | ---: ") == 2


def test_several_metrics_without_a_seed_share_one(run: Run, table: Path):
    done = run("estimate", table, "-m", "roc_auc", "-m", "brier", "--n-resamples", "60", "--json")
    seeds = {one["seed"] for one in json.loads(done.out)["metrics"].values()}
    assert len(seeds) == 1


def test_several_methods_and_metrics_are_tables_by_metric(run: Run, table: Path):
    methods = ("--method", "bbc", "--method", "naive")
    done = run("estimate", table, *ASK, "-m", "accuracy", *methods, "--json")
    found = json.loads(done.out)["metrics"]
    assert {name: [e["method"] for e in one["estimates"]] for name, one in found.items()} == {
        "roc_auc": ["bbc", "naive"],
        "accuracy": ["bbc", "naive"],
    }


@pytest.mark.parametrize("which", [("svm C=0", "svm C=1"), ("--all",)])
def test_compare_answers_every_metric(run: Run, table: Path, which: tuple[str, ...]):
    done = run("compare", table, *which, "-m", "accuracy", "-m", "brier", "--json", "--rng", "1")
    assert done.code == 0, done.err
    found = json.loads(done.out)["metrics"]
    for name in ("accuracy", "brier"):
        alone = run("compare", table, *which, "-m", name, "--json", "--rng", "1")
        assert found[name] == json.loads(alone.out)
    shown = run("compare", table, *which, "-m", "accuracy", "-m", "brier")
    assert shown.out.count("Metric  ") == 2


def test_assess_answers_every_metric_and_keeps_a_file_for_each(run: Run, tmp_path: Path):
    rng = np.random.default_rng(7)
    y = np.arange(N) % 2
    data = {"a": (y + rng.standard_normal(N)).round(3), "b": rng.standard_normal(N), "ill": y}
    path = write(tmp_path / "data.csv", data)
    ask = ("-t", "ill", "--model", "naive_bayes", "--method", "cv", "--cv", "3", "--rng", "1")
    out = tmp_path / "run.db"
    done = run("assess", path, *ask, "-m", "accuracy", "-m", "roc_auc", "--json", "--store", out)
    assert done.code == 0, done.err
    found = json.loads(done.out)["metrics"]
    assert list(found) == ["accuracy", "roc_auc"]
    alone = json.loads(run("assess", path, *ask, "-m", "roc_auc", "--json").out)
    assert found["roc_auc"]["value"] == alone["value"]
    assert {p.name for p in tmp_path.glob("*.db")} == {"run-accuracy.db", "run-roc_auc.db"}
    refused = run("assess", path, *ask, "-m", "accuracy", "-m", "roc_auc", "--test", path)
    assert (refused.code, refused.out) == (2, "")


# ------------------------------------------------------------------ options given twice


@pytest.mark.parametrize(
    "args",
    [
        ("estimate", "p.csv", "-m", "roc_auc", "--rng", "1", "--rng", "2"),
        ("estimate", "p.csv", "-m", "roc_auc", "--fold", "a", "--fold=b"),
        ("compare", "p.csv", "-m", "roc_auc", "--test", "bayle", "--test", "delong"),
        ("report", "p.csv", "--method", "bbc", "--method", "naive"),
        ("tune", "p.csv", "-t", "y", "-m", "roc_auc", "-m", "accuracy"),
        ("gather", "p.db", "-o", "x.csv", "--static", "--dynamic"),
        ("explain", "p.csv", "--objective", "a", "--objective", "b"),
    ],
)
def test_an_option_that_takes_one_value_and_is_given_twice_is_refused(
    run: Run, args: tuple[str, ...], golden: Golden
):
    done = run(*args)
    assert (done.code, done.out) == (2, "")
    golden.check_sentence(done.err, "takes one value")


def test_a_switch_may_be_turned_on_twice_and_lists_go_on_being_lists(run: Run, table: Path):
    done = run(
        "estimate", table, *ASK, "--json", "--json", "--configs", "svm C=0", "--configs", "svm C=1"
    )
    assert json.loads(done.out)["n_configs"] == 2
