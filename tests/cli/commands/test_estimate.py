"""`earnest estimate` from a file to what is written."""

from __future__ import annotations

import json
from contextvars import copy_context

import numpy as np
import pytest
from typer.testing import CliRunner

import earnest as en
from earnest.cli.app import make_app
from earnest.core import Evidence
from earnest.methods import METHODS, methods_for
from tests.cli.conftest import write_table

ASKED_OF_SEVERAL = [
    name
    for name in methods_for(Evidence.OUT_OF_SAMPLE)
    if not METHODS[name].spec.one_learner  # which would only repeat the naive score
]
ASK = ("--metric", "roc_auc", "--rng", "7")

KEYS = {
    "schema",
    "value",
    "interval",
    "standard_error",
    "naive",
    "optimism",
    "no_information",
    "method",
    "metric",
    "greater_is_better",
    "reading",
    "limits",
    "estimand",
    "winner",
    "n_cases",
    "n_configs",
    "n_folds",
    "n_repeats",
    "n_resamples",
    "n_valid",
    "cautions",
    "seed",
    "fingerprint",
    "knobs",
    "versions",
}


def read(text: str) -> dict:
    """Read strict JSON: one object, no NaN, no infinities."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


def test_json_is_the_estimate_of_the_library(run, table):
    done = run("estimate", table, *ASK, "--json")
    pi = en.Predictions.load(table)
    expected = en.estimate(pi, metric="roc_auc", rng=7).to_dict()
    assert (done.code, done.err) == (0, "")
    assert read(done.out) == json.loads(json.dumps(expected))


def test_json_has_the_documented_keys(run, table):
    data = read(run("estimate", table, *ASK, "--json").out)
    assert data.keys() >= KEYS
    assert data["schema"] == "earnest/estimate/1"
    assert data["interval"].keys() == {"low", "high", "confidence_level", "side"}


def test_json_of_several_methods_is_one_object(run, table):
    done = run("estimate", table, *ASK, "--json", "--method", "naive", "--method", "bbc")
    data = read(done.out)
    assert data["schema"] == "earnest/estimates/1"
    assert [part["method"] for part in data["estimates"]] == ["naive", "bbc"]
    assert data["refused"] == {}


def test_several_methods_use_the_same_resamples(run, table):
    both = read(run("estimate", table, *ASK, "--json", "--method", "naive", "--method", "bbc").out)
    alone = read(run("estimate", table, *ASK, "--json").out)
    assert both["estimates"][1]["value"] == alone["value"]


def test_a_method_given_twice_is_asked_once(run, table):
    twice = run("estimate", table, *ASK, "--json", "--method", "bbc", "--method", "bbc")
    assert read(twice.out)["schema"] == "earnest/estimate/1"


def test_all_asks_every_method_that_can_answer(run, table):
    data = read(run("estimate", table, *ASK, "--all", "--json").out)
    answered = {part["method"] for part in data["estimates"]}
    assert {"bbc", "bbc_fold", "naive", "naive_bootstrap", "tibshirani"} <= answered
    assert answered | set(data["refused"]) == set(ASKED_OF_SEVERAL)


def test_all_shows_every_method_with_its_estimand(run, table):
    done = run("estimate", table, *ASK, "--all")
    assert done.code == 0
    for name in ASKED_OF_SEVERAL:
        assert f"    {name} " in done.out
    flat = " ".join(done.out.split())
    assert METHODS["naive"].spec.estimand in flat


def test_the_same_seed_gives_the_same_text(run, table):
    first = run("estimate", table, *ASK)
    assert first.out == run("estimate", table, *ASK).out
    assert first.out != run("estimate", table, "--metric", "roc_auc", "--rng", "8").out


def test_threads_change_nothing(run, table):
    one = run("estimate", table, *ASK, "--json")
    assert one.out == run("estimate", table, *ASK, "--json", "--n-jobs", "2").out


def test_level_and_side_reach_the_interval(run, table):
    data = read(
        run("estimate", table, *ASK, "--json", "--confidence-level", "0.9", "--side", "lower").out
    )
    assert data["interval"]["confidence_level"] == 0.9
    assert data["interval"]["side"] == "lower"
    assert "it is above" in run("estimate", table, *ASK, "--side", "lower").out


def test_knobs_reach_the_method(run, table):
    args = ("--n-resamples", "200", "--undefined", "stratify", "--selector", "pooled")
    data = read(run("estimate", table, *ASK, "--json", *args).out)
    assert data["n_resamples"] == 200
    assert data["knobs"]["undefined"] == "stratify"
    assert data["knobs"]["selector"] == "pooled"


def test_knobs_may_be_typed_with_the_name_of_a_method(run, table):
    done = run("estimate", table, *ASK, "--method", "delong(variant='logit')", "--json")
    pi = en.Predictions.load(table)
    expected = en.estimate(pi, metric="roc_auc", method=en.methods.DeLong(variant="logit"), rng=7)
    assert done.code == 0
    assert read(done.out) == json.loads(json.dumps(expected.to_dict()))
    assert "delong(variant='logit')" in " ".join(run("estimate", "--help").out.split())


def test_the_default_level_is_documented_as_95(run, table, golden):
    golden.check_sentence(run("estimate", table, *ASK).out, "With 95 %")


def test_one_configuration_can_be_asked_for(run, table):
    data = read(run("estimate", table, *ASK, "--json", "--configs", "svm C=3").out)
    assert (data["n_configs"], data["winner"]) == (1, "svm C=3")


def test_some_configurations_can_be_asked_for(run, table):
    args = ("--configs", "svm C=3", "--configs", "svm C=5")
    assert read(run("estimate", table, *ASK, "--json", *args).out)["n_configs"] == 2


def test_columns_may_have_other_names(run, table):
    text = table.read_text().replace("y,fold,", "bad risk,part,", 1)
    other = table.with_name("other.csv")
    other.write_text(text)
    args = ("--target", "bad risk", "--fold", "part")
    renamed = read(run("estimate", other, *ASK, *args, "--json").out)
    assert renamed["value"] == read(run("estimate", table, *ASK, "--json").out)["value"]


def test_an_empty_fold_name_makes_one_hold_out_set(run, table):
    data = read(run("estimate", table, *ASK, "--json", "--fold", "").out)
    assert data["n_folds"] == 1


def test_groups_are_resampled_together(run, table):
    header, *rows = table.read_text().splitlines()
    lines = [f"{header},patient", *(f"{row},p{i // 4}" for i, row in enumerate(rows))]
    grouped = table.with_name("grouped.csv")
    grouped.write_text("\n".join(lines) + "\n")
    data = read(run("estimate", grouped, *ASK, "--json", "--group", "patient").out)
    assert data["n_configs"] == 8
    assert data["knobs"]["resampler"] == "group"


def test_a_positive_class_in_words(run, table):
    header, *rows = table.read_text().splitlines()
    words = [("good" if row[0] == "1" else "bad") + row[1:] for row in rows]
    named = table.with_name("named.csv")
    named.write_text("\n".join([header, *words]) + "\n")
    assert run("estimate", named, *ASK).code == 2  # which class the scores speak for is not clear
    data = read(run("estimate", named, *ASK, "--positive", "good", "--json").out)
    assert data["value"] == read(run("estimate", table, *ASK, "--json").out)["value"]


def test_a_threshold_moves_the_labels(run, table):
    def accuracy(*args: str) -> float:
        done = run("estimate", table, "-m", "accuracy", "--rng", "7", "--json", *args)
        return read(done.out)["naive"]

    assert accuracy("--threshold", "0.5") == accuracy()
    assert accuracy("--threshold", "0.99") < accuracy()


def test_response_and_task_are_handed_on(run, table):
    args = ("-m", "accuracy", "--rng", "7", "--json")
    as_decision = read(run("estimate", table, *args, "--response", "decision").out)
    assert as_decision["naive"] == 0.5  # every score is above 0, so all cases are called positive
    done = run("estimate", table, "-m", "rmse", "--rng", "7", "--task", "regression", "--json")
    assert read(done.out)["greater_is_better"] is False


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".npz", ".csv"])
def test_every_kind_of_file_gives_the_same_number(run, table, suffix):
    path = table.with_name(f"saved{suffix}")
    en.Predictions.load(table).save(path)
    here = read(run("estimate", path, *ASK, "--json").out)
    assert here["value"] == read(run("estimate", table, *ASK, "--json").out)["value"]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".npz", ".csv"])
def test_configurations_can_be_asked_for_of_every_kind_of_file(run, table, suffix):
    path = table.with_name(f"saved{suffix}")
    en.Predictions.load(table).save(path)
    args = (*ASK, "--configs", "svm C=3", "--configs", "svm C=5", "--json")
    assert read(run("estimate", path, *args).out)["n_configs"] == 2
    refused = run("estimate", path, *ASK, "--configs", "svm C=9")
    assert (refused.code, refused.out) == (2, "")
    assert "'svm C=9'" in refused.err


def test_configurations_can_be_asked_for_of_arrays_of_others(run, tmp_path):
    y = np.tile([0, 1], 20)
    scores = np.random.default_rng(2).random((40, 3))
    path = tmp_path / "arrays.npz"
    np.savez(path, y=y, scores=scores, fold=np.arange(40) // 2 % 4, configs=["a", "b", "c"])
    data = read(run("estimate", path, *ASK, "--configs", "b", "--json").out)
    assert (data["n_configs"], data["winner"]) == (1, "b")


@pytest.mark.parametrize(("mark", "option"), [(";", ";"), ("|", "|"), ("\t", "tab"), ("\t", "\\t")])
def test_other_delimiters_and_decimal_signs_are_read(run, table, mark, option):
    other = table.with_name("other.csv")
    other.write_text(table.read_text().replace(",", mark).replace(".", ","))
    args = ("--delimiter", option, "--decimal", ",", "--json")
    there = read(run("estimate", other, *ASK, *args).out)
    assert there["value"] == read(run("estimate", table, *ASK, "--json").out)["value"]


def test_a_long_table_is_read(run, table):
    import pyarrow.csv

    path = table.with_name("long.csv")
    pyarrow.csv.write_csv(en.Predictions.load(table).to_frame(form="long"), path)
    long = read(run("estimate", path, *ASK, "--format", "long", "--json").out)
    assert long["value"] == read(run("estimate", table, *ASK, "--json").out)["value"]


def test_survival_is_read_from_time_and_event(run, tmp_path):
    rng = np.random.default_rng(5)
    days, seen = rng.exponential(10, 40), rng.integers(0, 2, 40)
    risk = -days[:, None] + 5 * rng.standard_normal((40, 2))
    rows = [
        f"{d:.3f},{e},{i % 4},{a:.3f},{b:.3f}"
        for i, (d, e, (a, b)) in enumerate(zip(days, seen, risk, strict=True))
    ]
    path = tmp_path / "survival.csv"
    path.write_text("\n".join(["days,dead,fold,cox,forest", *rows]) + "\n")
    args = ("-m", "concordance", "--time", "days", "--event", "dead", "--rng", "1", "--json")
    data = read(run("estimate", path, *args).out)
    assert (data["metric"], data["n_configs"]) == ("concordance", 2)


@pytest.mark.parametrize("name", ["[bold]x[/bold]", "[red]", "naïve β=½", "模型", "a,b", "$x$ `y`"])
def test_any_name_is_shown_as_it_is(run, tmp_path, name):
    path = write_table(tmp_path / "preds.csv", [name])
    assert f"Model      {name}\n" in run("estimate", path, *ASK).out
    assert read(run("estimate", path, *ASK, "--json").out)["winner"] == name


def test_the_runner_of_typer_sees_the_same(run, table):
    shown = copy_context().run(CliRunner().invoke, make_app(), ["estimate", str(table), *ASK])
    assert shown.exit_code == 0
    assert shown.output == run("estimate", table, *ASK).out


@pytest.mark.slow
def test_a_process_writes_json_only(spawn, table):
    """In this process it is held by the tests above, and that a process writes what a run here
    writes by test_a_process_without_a_terminal_writes_what_a_run_here_writes."""
    done = spawn("estimate", table, *ASK, "--json")
    assert (done.code, done.err) == (0, "")
    assert read(done.out)["method"] == "bbc"


@pytest.mark.parametrize(("form", "method"), [("latex", "to_latex"), ("markdown", "to_markdown")])
def test_a_table_for_a_paper_is_that_of_the_library(run, table, form, method):
    made = en.estimate(en.Predictions.load(table), metric="roc_auc", rng=7)
    done = run("estimate", table, *ASK, "--table", form)
    assert done.code == 0
    assert done.out == getattr(made, method)()
    several = run("estimate", table, *ASK, "--method", "bbc", "--method", "naive", "--table", form)
    assert several.out.count("roc") == 1  # one head for both
    assert "naive" in several.out


def test_a_table_of_another_form_is_refused_before_any_work(run, tmp_path, golden):
    missing = tmp_path / "missing.csv"
    assert "--table is unknown" in run("estimate", missing, *ASK, "--table", "word").err
    both = run("estimate", missing, *ASK, "--table", "latex", "--json")
    golden.check_sentence(both.err, "--json and --table")


def test_large_files_are_told_of_off_a_terminal(run, table, monkeypatch):
    assert run("estimate", table, *ASK).err == ""
    monkeypatch.setattr("earnest.cli.reading.LARGE", 100)
    for more, by in (((), ""), (("--method", "bbc"), " by bbc"), (("--all",), " by all methods")):
        done = run("estimate", table, *ASK, *more)
        assert done.err.splitlines() == ["Reading preds.csv, 4 kB", f"Estimating{by}"]


@pytest.mark.parametrize("tool", ["jackknife", "influence"])
def test_errors_of_one_configuration_are_those_of_the_general_tools(run, table, tool):
    pi = en.Predictions.load(table)
    name = pi.configs.ids[0]
    ask = ("estimate", table, "--configs", name, "--metric", "brier", "--error", tool)
    data = read(run(*ask, "--json").out)
    losses = (pi.target.y - pi.responses[:, 0, 0]) ** 2
    error = losses.std(ddof=tool == "jackknife") / np.sqrt(pi.n_cases)
    assert data["value"] == pytest.approx(losses.mean())
    assert data["standard_error"] == pytest.approx(error, rel=1e-6)
    done = run(*ask)
    assert done.code == 0, done.err
    assert tool in done.out
    assert "nothing is corrected" in " ".join(done.out.split())


def test_errors_of_several_configurations_are_refused(run, table):
    done = run("estimate", table, "--metric", "roc_auc", "--error", "jackknife")
    assert done.code == 2
    assert "--configs NAME" in done.err
    done = run("estimate", table, *ASK, "--error", "jackknife", "--method", "bbc")
    assert done.code == 2
    assert "--method" in done.err
    assert "--error" not in run("estimate", "--help").out
