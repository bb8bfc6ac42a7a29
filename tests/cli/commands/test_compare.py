"""`earnest compare` and `earnest tests` from a file to what is written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from earnest.comparison import TESTS
from tests.cli.conftest import CASES, Run, write_table
from tests.comparison.evidence import EVERY_TEST
from tests.snapshots import Golden

A, B = "svm C=1", "svm C=5"
ASK = ("--metric", "accuracy")

KEYS = {
    "schema",
    "a",
    "b",
    "difference",
    "value_a",
    "value_b",
    "interval",
    "standard_error",
    "alternative",
    "confidence_level",
    "statistic",
    "p_value",
    "p_values",
    "least_p",
    "best_of",
    "p_at_once",
    "p_simultaneous",
    "probabilities",
    "decision",
    "test",
    "metric",
    "greater_is_better",
    "reading",
    "limits",
    "estimand",
    "n_cases",
    "n_folds",
    "n_repeats",
    "n_resamples",
    "n_valid",
    "cautions",
    "seed",
    "fingerprint",
    "knobs",
    "versions",
    "limits_from",
}


def read(text: str) -> dict:
    """Read strict JSON: one object, no NaN, no infinities."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


@pytest.mark.parametrize("test", EVERY_TEST)
def test_json_is_the_comparison_of_the_library(run: Run, table: Path, test: str) -> None:
    metric = "roc_auc" if test == "delong" else "accuracy"
    done = run("compare", table, A, B, "-m", metric, "--test", test, "--rng", 7, "--json")
    pi = en.Predictions.load(table)
    expected = en.compare(pi, A, B, test=test, metric=metric, rng=7).to_dict()
    assert (done.code, done.err) == (0, "")
    assert read(done.out) == json.loads(json.dumps(expected))
    assert read(done.out).keys() == KEYS | ({"dependence"} if test == "diebold_mariano" else set())


def test_scores_of_compared_configurations_are_called_naive(run: Run, table: Path) -> None:
    many = en.compare_many(en.Predictions.load(table), metric="accuracy", rng=7)
    other = next(name for name in many.p_best if name != many.best)
    chosen = f"Scores naive, not corrected for choosing the best of {len(many.p_best)}"
    for names in ((many.best, other), ("--all", "--rng", 7)):
        done = run("compare", table, *names, *ASK)
        assert done.code == 0
        assert chosen in " ".join(done.out.split())
    assert "naive accuracy" in " ".join(done.out.split())


def test_the_decision_comes_first_then_facts_and_cautions(run: Run, table: Path) -> None:
    done = run("compare", table, A, B, *ASK, "--test", "mcnemar")
    assert (done.code, done.err) == (0, "")
    flat = " ".join(done.out.split())
    made = en.compare(en.Predictions.load(table), A, B, test="mcnemar", metric="accuracy")
    assert flat.startswith(" ".join(made.decision.replace("\u00a0", " ").split()))
    for word in (
        "mcnemar: McNemar's exact test",
        f"{CASES} cases, 5 folds",
        "The predictions of 5 folds are read as those of one fixed model.",
        A,
        B,
    ):
        assert word in flat


def test_level_and_alternative_reach_the_interval(run: Run, table: Path) -> None:
    args = ("--confidence-level", "0.9", "--alternative", "less", "--json")
    data = read(run("compare", table, A, B, *ASK, *args).out)
    assert data["interval"]["side"] == "upper"
    assert (data["interval"]["confidence_level"], data["alternative"]) == (0.9, "less")
    assert data["interval"]["low"] == -1.0
    assert "p_value" in data


def test_knobs_reach_the_test(run: Run, table: Path) -> None:
    args = ("--test", "bootstrap", "--n-resamples", "99", "--rng", "1", "--json")
    data = read(run("compare", table, A, B, *ASK, *args).out)
    assert (data["n_resamples"], data["seed"]) == (99, 1)
    data = read(
        run("compare", table, A, B, *ASK, "--test", "bayesian_t", "--rope", "0.1", "--json").out
    )
    assert data["probabilities"]["rope"] == 0.1
    assert data["p_value"] is None


def test_a_test_may_have_knobs(run: Run, table: Path) -> None:
    done = run("compare", table, A, B, *ASK, "--test", "mcnemar(p='mid')", "--json")
    assert read(done.out)["knobs"] == {"p": "mid"}


def test_all_against_the_best_is_one_object(run: Run, table: Path) -> None:
    done = run("compare", table, "--all", *ASK, "--rng", 3, "--json")
    expected = en.compare_many(en.Predictions.load(table), metric="accuracy", rng=3).to_dict()
    assert read(done.out) == json.loads(json.dumps(expected))
    assert read(done.out)["schema"] == "earnest/comparisons/1"


def test_all_shows_the_best_and_those_that_may_be(run: Run, table: Path) -> None:
    done = run("compare", table, "--all", *ASK, "--rng", 3, "--adjust", "bh")
    many = en.compare_many(en.Predictions.load(table), metric="accuracy", adjust="bh", rng=3)
    flat = " ".join(done.out.split())
    assert many.decision in flat
    assert "Benjamini and Hochberg" in flat
    assert "p best" in flat
    for made in many:
        assert made.b in flat


def test_all_can_be_held_against_a_reference(run: Run, table: Path) -> None:
    data = read(run("compare", table, "--all", *ASK, "--reference", B, "--rng", 3, "--json").out)
    assert {made["a"] for made in data["comparisons"]} == {B}
    text = run("compare", table, "--all", *ASK, "--reference", B, "--rng", 3).out
    assert re.search(rf"Against +{B}\n", text)


def test_some_configurations_can_be_compared(run: Run, table: Path, golden: Golden) -> None:
    args = ("--configs", A, "--configs", B, "--rng", "1")
    data = read(run("compare", table, "--all", *ASK, *args, "--json").out)
    assert len(data["comparisons"]) == 1
    golden.check_sentence(run("compare", table, "--all", *ASK, *args).out, "not shown")


def test_groups_folds_and_formats_are_read(run: Run, table: Path) -> None:
    header, *rows = table.read_text().splitlines()
    other = table.with_name("grouped.csv")
    lines = [f"{header},patient", *(f"{row},p{i // 4}" for i, row in enumerate(rows))]
    other.write_text("\n".join(lines) + "\n")
    data = read(run("compare", other, A, B, *ASK, "--group", "patient", "--json").out)
    assert "groups_beyond_theorem" in {caution["kind"] for caution in data["cautions"]}
    data = read(run("compare", table, A, B, *ASK, "--fold", "", "--json").out)
    assert data["n_folds"] == 1
    saved = table.with_name("preds.parquet")
    en.Predictions.load(table).save(saved)
    here = read(run("compare", saved, A, B, *ASK, "--json").out)
    assert here["difference"] == read(run("compare", table, A, B, *ASK, "--json").out)["difference"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((A,), f"or --all, got one name, '{A}'"),
        ((), "got no name"),
        ((A, "svm C=55"), "Did you mean 'svm C=5'?"),
        ((A, B, "--all"), "--all cannot be combined with names of configurations"),
        ((A, B, "--adjust", "bh"), "--adjust and --reference need --all"),
        ((A, B, "--rope", "0.1"), "--rope needs --test bayesian_t"),
        ((A, B, "--test", "bayes"), "test 'bayes' is unknown"),
        ((A, B, "--alternative", "lower"), "--alternative is unknown"),
        ((A, B, "--confidence-level", "95"), "--confidence-level is out of range"),
        ((A, B, "--n-resamples", "9"), "has no option --n-resamples"),
        ((A, B, "--rng", "-1"), "--rng is out of range"),
        ((A, B, "--test", "delong"), "Use --metric roc_auc, or --test bootstrap"),
        (("--all", "--adjust", "sidak"), "--adjust is unknown"),
        (("--all", "--reference", "svm"), "configuration 'svm' is unknown"),
        (("--all", "--test", "bayesian_t"), "Use --test corrected_t"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(
    run: Run, table: Path, args: tuple[str, ...], said: str
) -> None:
    done = run("compare", table, *args, *ASK)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_a_rope_that_is_missing_is_asked_for_as_an_option(
    run: Run, table: Path, golden: Golden
) -> None:
    done = run("compare", table, A, B, "-m", "log_loss", "--test", "bayesian_t")
    assert done.code == 2
    golden.check_sentence(done.err, "--rope must be")


@pytest.mark.parametrize("columns", [30, 45, 60, 80, 200])
@pytest.mark.parametrize("args", [(A, B), ("--all", "--rng", "1")], ids=["pair", "all"])
def test_no_line_is_longer_than_the_terminal(
    run: Run, table: Path, monkeypatch: pytest.MonkeyPatch, columns: int, args: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = run("compare", table, *args, *ASK)
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= min(columns, 100)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("metric", ["accuracy", "log_loss", "roc_auc"])
def test_the_picture_names_the_better_side(
    run: Run, table: Path, metric: str, alternative: str
) -> None:
    done = run("compare", table, A, B, "-m", metric, "--alternative", alternative)
    assert done.code == 0
    assert "better" in done.out
    assert {"two-sided": "├", "less": "◀", "greater": "▶"}[alternative] in done.out


@pytest.mark.parametrize("name", ["[bold]x[/bold]", "naïve β=½", "模型", "a,b", "x" * 90])
def test_any_name_is_shown_as_it_is(run: Run, tmp_path: Path, name: str) -> None:
    path = write_table(tmp_path / "preds.csv", [name, "other"])
    pair, every = run("compare", path, name, "other", *ASK), run("compare", path, "--all", *ASK)
    assert pair.code == every.code == 0
    assert name[:20] in pair.out.replace("\n", "")
    assert read(run("compare", path, name, "other", *ASK, "--json").out)["a"] == name


def test_a_narrow_encoding_is_no_obstacle(run_in_ascii: Run, table: Path) -> None:
    for args in ((A, B), ("--all", "--rng", "1")):
        done = run_in_ascii("compare", table, *args, *ASK)
        assert (done.code, done.err) == (0, "")
        assert "\\u" not in done.out


def test_with_json_there_is_json_only(run: Run, table: Path) -> None:
    done = run("compare", table, A, B, *ASK, "--json")
    assert (done.code, done.err) == (0, "")
    assert read(done.out)["test"] == "corrected_z"


def test_tests_are_listed_by_what_they_compare(run: Run) -> None:
    done = run("tests")
    assert done.code == 0
    flat = " ".join(done.out.split())
    for kind in TESTS.values():
        assert f"{kind.spec.name} " in flat
        assert kind.spec.title in flat
        assert f"Compares {kind.spec.estimand}" in flat
    assert max(map(len, done.out.splitlines())) <= 80


def test_tests_are_listed_as_json(run: Run) -> None:
    data = read(run("tests", "--json").out)
    assert data["schema"] == "earnest/tests/1"
    assert [one["name"] for one in data["tests"]] == list(TESTS)
    assert all(one["cites"] for one in data["tests"])


def test_the_reference_lists_every_key_of_the_json(table: Path) -> None:
    import re

    page = Path(__file__).parents[3] / "docs" / "reference" / "command-line.md"
    rows = page.read_text(encoding="utf-8").split("### The JSON of a comparison")[1]
    rows, rest = rows.split("With `--all` it is one object")
    listed = [key for row in re.findall(r"^\| (`.+?) \|", rows, re.M) for key in row.split(", ")]
    assert sorted(key.strip("`") for key in listed) == sorted(KEYS)
    pi = en.Predictions.load(table)
    many = en.compare_many(pi, metric="accuracy", rng=0).to_dict()
    for key in set(many) - {"schema"}:
        assert f"`{key}`" in rest.split("## earnest methods")[0]


def test_all_tell_the_cautions_that_only_some_pairs_have(
    run: Run, tmp_path: Path, golden: Golden
) -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 100)
    near, far = y.copy(), y.copy()
    near[:3], far[rng.random(200) < 0.3] = 1 - y[:3], 0
    pi = en.Predictions.from_arrays(
        y,
        np.column_stack([y, near, far]),
        np.arange(200) // 2 % 5,
        configs=["best", "near", "far"],
        response="label",
    )
    pi.save(tmp_path / "some.npz")
    golden.check_sentence(run("compare", tmp_path / "some.npz", "--all", *ASK).out, "Against near")


def test_a_credible_interval_is_not_called_confidence(run: Run, table: Path) -> None:
    ask = ("compare", table, A, B, *ASK, "--test", "bayesian_t")
    both = run(*ask).out
    one = run(*ask, "--alternative", "less").out
    assert "95 % credible interval" in both.replace(chr(160), " ")
    assert "95 % probability below" in " ".join(one.replace(chr(160), " ").split())
    assert "confidence" not in one


def test_of_two_configurations_neither_need_be_named(run, table):
    only = ("--configs", A, "--configs", B)
    wanted = run("compare", table, A, B, *ASK, *only, "--json").out
    assert run("compare", table, *ASK, *only, "--json").out == wanted
    assert run("compare", table, A, *ASK, *only, "--json").out == wanted
    turned = read(run("compare", table, B, *ASK, *only, "--json").out)
    assert turned["difference"] == -read(wanted)["difference"]


def test_a_table_for_a_paper_is_that_of_the_library(run, table):
    pi = en.Predictions.load(table)
    made = en.compare(pi, A, B, metric=ASK[1])
    assert run("compare", table, A, B, *ASK, "--table", "latex").out == made.to_latex()
    many = run("compare", table, "--all", *ASK, "--rng", "7", "--table", "markdown").out
    assert many == en.compare_many(pi, metric=ASK[1], rng=7).to_markdown()
