"""What people read: one estimate, several estimates, and lists."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from earnest.cli.show.estimate import show_estimate, show_estimates
from earnest.core import Door, Scale, Selection, arg, through
from earnest.core.cautions import of_evidence, of_limits, of_search
from earnest.results import Estimate, Estimates, Interval, Refusal
from tests.cli.results import CAUTION, NOTE, estimate
from tests.snapshots import read_snapshot

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)


COMMAND = Door(frozenset({"--method", "--n-resamples", "--rng", "--json"}))


def shown(result: Estimate | Estimates, capsys: pytest.CaptureFixture[str]) -> str:
    with through(COMMAND):
        if isinstance(result, Estimates):
            show_estimates(result)
        else:
            show_estimate(result)
    return capsys.readouterr().out


def several() -> Estimates:
    naive = estimate(
        0.93,
        method="naive",
        estimand="the winner's score",
        selection=Selection.UNCORRECTED,
        interval=None,
        standard_error=None,
        cautions=(of_search.best_not_told_apart(3, 5),),
    )
    drawn = estimate(
        0.93,
        method="naive_bootstrap",
        estimand="the winner as fixed",
        selection=Selection.UNCORRECTED,
    )
    fold = estimate(0.85, method="bbc_fold", low=0.66, high=0.97)
    cure = f"Use {arg('method', 'bbc')}. " + "And so on and on. " * 4
    refused = {"holdout": Refusal("it needs one fold", cure=cure.strip())}
    return Estimates((naive, estimate(), fold, drawn), refused)


def test_one_estimate_reads_as_recorded(capsys):
    said = shown(estimate(), capsys)
    assert said == read_snapshot(GOLDEN / "estimate.txt", said)


def test_several_estimates_read_as_recorded(capsys):
    said = shown(several(), capsys)
    assert said == read_snapshot(GOLDEN / "estimates.txt", said)


@pytest.mark.parametrize("result", [estimate(), several()])
def test_eighty_columns_hold_it(capsys, result):
    assert max(map(len, shown(result, capsys).splitlines())) <= 80


NOTES = {"corrected", "bbc"}  # words of the legend that a narrow terminal has no room for
SIGNS = set("├─╌┤●◇")


@pytest.mark.parametrize("columns", [70, 60, 50])
def test_a_narrow_terminal_still_shows_every_word(capsys, monkeypatch, columns):
    wide = {word for word in shown(estimate(), capsys).split() if not SIGNS & set(word)}
    monkeypatch.setenv("COLUMNS", str(columns))
    assert wide - NOTES <= set(shown(estimate(), capsys).split())


@pytest.mark.parametrize("columns", [70, 60, 50, 40, 30])
@pytest.mark.parametrize("result", [estimate(), several(), estimate(0.93, method="naive")])
def test_no_row_of_a_picture_or_a_table_breaks(capsys, monkeypatch, columns, result):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = shown(result, capsys).splitlines()
    assert max(map(len, lines)) <= columns
    drawn = [line for line in lines if SIGNS & set(line)]
    assert all(line.startswith("  ") for line in drawn)
    assert not drawn or columns >= 50
    assert "\\n" not in "".join(lines)


def test_the_notes_of_the_legend_go_first_and_then_the_picture(capsys, monkeypatch):
    said = {}
    for columns in (80, 70, 50, 49):
        monkeypatch.setenv("COLUMNS", str(columns))
        said[columns] = shown(estimate(), capsys)
    assert "◇ naive   not corrected\n" in said[80]
    assert "◇ naive\n" in said[70]
    assert "◇ naive\n" in said[50]
    assert "◇" not in said[49]
    assert "\n\n\n" not in said[49]


def test_a_narrow_table_stacks_its_cells(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert "\n    bbc\n      0.84\n      0.69 to 0.96\n" in shown(several(), capsys)


def test_a_table_in_the_right_size_keeps_its_no_break_space(capsys):
    assert "95 % interval" in shown(several(), capsys)


def test_the_sentence_comes_first(capsys, golden):
    lines = shown(estimate(), capsys).splitlines()
    golden.check(lines[1])
    assert lines[2] == "  reported."
    golden.check(lines[3])


def test_markup_in_a_name_is_literal(capsys):
    assert "Winner     svm [bold]C=1[/bold] β\n" in shown(estimate(), capsys)


def test_control_characters_in_a_name_are_escaped(capsys):
    assert "a\\x1b[31mb\\nc" in shown(estimate(winner="a\x1b[31mb\nc"), capsys)


def test_above_is_said_of_a_one_sided_bound_only(capsys, golden):
    lower = estimate(interval=Interval(0.72, 1.0, 0.95, "lower"))
    golden.check_sentence(shown(lower, capsys), "With 95 %")
    assert "above" not in shown(estimate(), capsys)


def test_one_configuration_shows_no_naive_number(capsys):
    said = shown(estimate(n_configs=1, selection=Selection.NOTHING_SELECTED), capsys)
    assert "0.93" not in said
    assert "naive" not in said
    assert "Model " in said


def test_what_is_not_corrected_is_never_called_honest(capsys, golden):
    said = shown(
        estimate(0.93, method="naive", selection=Selection.UNCORRECTED, interval=None), capsys
    )
    golden.check_sentence(said, "is not corrected")
    assert "honest" not in said
    assert "Expect" not in said


def test_cautions_come_before_notes_with_their_cure_in_options(capsys):
    said = shown(estimate(cautions=(NOTE, of_limits.few_beyond_limit(50, 5, 400))), capsys)
    assert said.index("! EN016") < said.index("i EN005")
    assert "Use --n-resamples 400 or more." in said


def test_no_caution_is_said_too(capsys, golden):
    golden.check_line(shown(estimate(cautions=()), capsys), "No cautions")


def test_only_what_was_checked_is_called_checked(capsys):
    loss = Scale("rmse", False, (0.0, float("inf")))
    alone = estimate(
        cautions=(),
        n_configs=1,
        selection=Selection.NOTHING_SELECTED,
        n_resamples=None,
        scale=loss,
    )
    assert "No cautions. Checked: groups.\n" in shown(alone, capsys)


def test_at_most_five_kinds_are_open(capsys, golden):
    many = (
        CAUTION,
        of_evidence.groups_split(1, 9),
        of_search.disagreement("bbc", "bbc_fold"),
        of_evidence.time_order(),
        of_limits.resamples_undefined(2, 100),
        of_limits.value_moved_back(-0.1, "AUC"),
        of_limits.few_folds(3),
    )
    said = shown(estimate(cautions=many), capsys)
    assert "! EN010" in said
    assert "! EN011" not in said
    golden.check_sentence(said, "2 more; --json")


def test_the_reported_row_is_the_first_corrected_one(capsys, golden):
    lines = shown(several(), capsys).splitlines()
    golden.check(lines[1])
    first = next(line for line in lines if line.startswith("    bbc "))
    assert first.split()[:5] == ["bbc", "0.84", "0.69", "to", "0.96"]


def test_methods_that_refuse_keep_their_row_and_reason(capsys, golden):
    said = shown(several(), capsys)
    golden.check_line(said, "it needs")


def test_a_caution_of_some_methods_names_them(capsys, golden):
    said = shown(several(), capsys)
    golden.check_line(said, "On average")


def test_a_caution_is_told_once_and_no_method_has_the_numbers_of_another(capsys, golden):
    other = dataclasses.replace(CAUTION, facts={**CAUTION.facts, "optimism": 0.12})
    rows = (
        estimate(cautions=(CAUTION,)),
        estimate(method="bbc_fold", cautions=(other,)),
        estimate(method="tibshirani", cautions=(CAUTION,)),
    )
    said = shown(Estimates(rows), capsys)
    golden.check_sentence(said, "EN001")
    assert said.count("EN001") == 1
    golden.check_sentence(said, "(Also")
    assert "0.12" not in said


def ruled(method: str, winner: str, naive: float, **knobs: str) -> Estimate:
    made = estimate(naive=naive, method=method, winner=winner)
    return dataclasses.replace(made, provenance=dataclasses.replace(made.provenance, knobs=knobs))


def test_winners_of_two_rules_are_listed_by_rule(capsys, golden):
    rows = (
        ruled("bbc", "svm", 0.93, selector="pooled"),
        ruled("bbc_fold", "tree", 0.95, selector="mean_of_folds"),
        ruled("holdout", "svm", 0.91, selector="pooled"),
        ruled("tibshirani", "tree", 0.95),
    )
    said = " ".join(shown(Estimates(rows), capsys).split())
    golden.check(said[said.index("Winner svm") : said.index("Evidence")])


def test_one_winner_and_one_naive_score_need_no_rules(capsys):
    rows = (
        ruled("bbc", "svm", 0.93, selector="pooled"),
        ruled("holdout", "svm", 0.91, selector="pooled"),
        ruled("bbc_fold", "svm", 0.931, selector="mean_of_folds"),
    )
    said = shown(Estimates(rows), capsys)
    assert "  Winner    svm\n" in said
    assert "Naive " not in said


def test_large_numbers_have_thousands_in_prose_and_picture(capsys, golden):
    loss = Scale("mae", False, (0.0, float("inf")))
    big = estimate(
        23452.0, 19975.0, 18002.0, 29971.0, scale=loss, standard_error=3000.0, no_information=6e4
    )
    said = shown(big, capsys)
    golden.check_sentence(said, "of 23,452 on")
    assert "between 18,002 and 29,971." in said
    assert "  15,000        20,000         25,000        30,000\n" in said


def test_one_sided_rows_say_their_side(capsys):
    made = tuple(
        dataclasses.replace(e, interval=Interval(0.72, 1.0, 0.9, "lower"))
        for e in several()
        if e.interval is not None
    )
    said = shown(Estimates(made), capsys)
    assert "90 % interval" in said
    assert "above 0.72" in said


@pytest.mark.parametrize(("method", "configs"), [("delong", 3), ("holdout", 3), ("delong", 1)])
def test_a_random_split_shows_its_seed_and_one_model_keeps_nothing_apart(capsys, method, configs):
    y = np.tile([0, 1], 40)
    scores = y[:, None] + np.random.default_rng(0).standard_normal((80, configs))
    made = en.estimate(
        en.Predictions.from_arrays(y, scores), method=method, metric="roc_auc", rng=123
    )
    text = " ".join(shown(made, capsys).split())
    assert ("seed 123" in text) == (configs > 1)
    assert ("held-out part" in text) == (method == "delong" and configs > 1)
    assert "no folds" in text
