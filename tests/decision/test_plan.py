"""A plan names as many items as a study needs, by theory and by studies that are simulated."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from benchmarks.claims import widths
from benchmarks.rows import read_rows
from earnest.decision import draw_study, find_units, make_population, tilt_to_corrected
from earnest.engine import ProgressDisplay, ProgressState
from earnest.errors import EvidenceError, InputError
from earnest.metrics import metric as resolve_metric
from tests.decision.populations import answer_items, make_scores


def pilot(n: int = 1000, shares: list[float] | None = None, seed: int = 0) -> en.Scores:
    rng = np.random.default_rng(seed)
    return make_scores(answer_items(rng, n, shares or [0.6, 0.6], 0.5))


@pytest.fixture
def few_studies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate a tenth of the studies, for laws that hold whatever their number."""
    monkeypatch.setattr("earnest.decision.plan.STUDIES", 200)


@pytest.fixture(scope="module")
def planned() -> en.results.Plan:
    """The plan for a difference of 0.05 by a pilot of a thousand items."""
    return en.plan(pilot(), detect=0.05, rng=0)


def test_the_items_for_two_are_those_of_the_formula(planned: en.results.Plan) -> None:
    given = pilot()
    apart = given.values[:, 0, 0] - given.values[:, 1, 0]
    theory = (1.96 + 0.8416) ** 2 * np.var(apart) / 0.05**2
    made = planned
    assert (made.question, made.method, made.power) == ("detect", "paired test", 0.8)
    # 2000 studies a point: the power is known within 0.9 %, the items within 3 % of it.
    assert made.n_items == pytest.approx(theory, rel=0.06)


def test_a_study_of_the_planned_size_has_the_planned_power() -> None:
    """The whole procedure, on new items: `compare` finds a true difference of 0.05 in 80 %."""
    needed = en.plan(pilot(2000, [0.60, 0.65], seed=1), detect=0.05, rng=1).n_items
    assert needed is not None
    count, shown = 80, 0
    for seed in range(count):
        values = answer_items(np.random.default_rng([2, seed]), needed, [0.60, 0.65], 0.5)
        made = en.compare(make_scores(values, "a", "b"), "b", "a")
        shown += bool(made.shown) and made.difference > 0
    # Three binomial errors of 80 studies, and 3 % for the variance that 2000 items tell.
    assert abs(shown / count - 0.8) < 3 * math.sqrt(0.16 / count) + 0.03


def test_the_best_of_many_is_shown_with_the_planned_power() -> None:
    shares = [0.70, 0.62, 0.62, 0.62, 0.62, 0.62]
    needed = en.plan(pilot(1500, shares, seed=3), detect=0.08, n_configs=6, rng=1).n_items
    assert needed is not None
    count, shown = 80, 0
    for seed in range(count):
        values = answer_items(np.random.default_rng([4, seed]), needed, shares, 0.5)
        made = en.compare_many(make_scores(values, *"abcdef"), rng=0)
        shown += made.not_worse == ("a",)
    assert abs(shown / count - 0.8) < 3 * math.sqrt(0.16 / count) + 0.05


def test_an_interval_of_the_planned_size_has_the_planned_width() -> None:
    shares = [0.6] * 5
    plan = en.plan(pilot(800, shares, seed=5), width=0.08, rng=1)
    assert (plan.question, plan.method, plan.power) == ("width", "estimate", None)
    needed = plan.n_items
    assert needed is not None
    widths = []
    for seed in range(8):
        values = answer_items(np.random.default_rng([6, seed]), needed, shares, 0.5)
        interval = en.estimate(make_scores(values), rng=seed).interval
        assert interval is not None
        widths.append(interval.width)
    assert np.mean(widths) == pytest.approx(0.08, rel=0.12)


def test_more_repeats_need_fewer_items_by_the_law_of_variances() -> None:
    rng = np.random.default_rng(7)
    difficulty = rng.random((400, 1, 1))
    given = en.Scores((rng.random((400, 2, 4)) < difficulty).astype(float), limits=(0, 1))
    made = en.plan(given, detect=0.06, n_repeats=[1, 2, 4], rng=0)
    # Both prompts answer by the same chance, so that a difference is all sampling: items go as 1/R.
    one, two, four = (need.n_items or 0 for need in made.needs)
    assert one / two == pytest.approx(2, rel=0.1)
    assert one / four == pytest.approx(4, rel=0.1)


def test_repeats_are_worth_little_where_items_differ_more_than_samples() -> None:
    rng = np.random.default_rng(8)
    own = rng.random((500, 2, 1)) < 0.6  # an answer is always the same
    noise = rng.random((500, 2, 3)) < 0.02
    given = en.Scores((own ^ noise).astype(float), limits=(0, 1))
    made = en.plan(given, detect=0.05, n_repeats=[3, 30], rng=0)
    three, thirty = (need.n_items or 0 for need in made.needs)
    assert thirty == pytest.approx(three, rel=0.1)
    assert made.cheapest == made.needs[0]


def test_more_configurations_need_more_items_also_beyond_the_pilot(few_studies: None) -> None:
    made = en.plan(pilot(200, [0.6] * 4), detect=0.05, n_configs=[2, 4, 40], rng=0)
    two, four, forty = (need.n_items or 0 for need in made.needs)
    assert two < four < forty
    assert [need.runs for need in made.needs] == [2 * two, 4 * four, 40 * forty]
    assert made.n_items == two
    assert made.cheapest == made.needs[0]


def test_the_sentence_names_the_items_of_what_was_asked_for_first(few_studies: None) -> None:
    made = en.plan(pilot(200, [0.6] * 4), detect=0.05, n_configs=[4, 2], rng=0)
    said = [int(word.replace(",", "")) for word in re.findall(r"([\d,]+) items", made.sentence)]
    assert said == pytest.approx([need.n_items for need in made.needs], rel=0.1)  # rounded up
    assert min(made.needs, key=lambda need: need.runs or 0) == made.needs[1]  # told as the cheapest


def test_a_difference_far_below_the_noise_needs_more_items_than_a_study_has() -> None:
    values = np.random.default_rng(0).random((40, 3)) * 1e149
    made = en.plan(en.Scores(values), detect=1e-9, rng=0)
    assert made.n_items is None
    assert made.curve == ()


def test_groups_that_agree_need_more_items() -> None:
    rng = np.random.default_rng(9)
    values = np.repeat(answer_items(rng, 150, [0.6, 0.6], 0.5), 5, axis=0)
    alone = en.plan(en.Scores(values, limits=(0, 1)), detect=0.05, rng=0).n_items
    grouped = en.plan(
        en.Scores(values, groups=np.repeat(np.arange(150), 5), limits=(0, 1)), detect=0.05, rng=0
    ).n_items
    assert alone is not None
    assert grouped is not None
    assert grouped / alone == pytest.approx(5, rel=0.1)  # five equal items tell what one does


def test_the_curve_rises_and_crosses_the_power_where_the_plan_says(
    planned: en.results.Plan,
) -> None:
    made = planned
    items = [point.n_items for point in made.curve]
    values = [point.value for point in made.curve]
    assert items == sorted(items)
    assert values == sorted(values)
    assert np.interp(made.n_items or 0, items, values) == pytest.approx(0.8, abs=0.01)


def test_the_error_of_a_point_is_that_of_the_share_of_its_studies(planned: en.results.Plan) -> None:
    studies = planned.provenance.knobs["studies"]
    assert any(0.2 < point.value < 0.95 for point in planned.curve)
    for point in planned.curve:
        binomial = math.sqrt(max(point.value * (1 - point.value), 1e-9) / studies)
        assert point.error == pytest.approx(binomial)


def test_predictions_are_a_pilot_too() -> None:
    rng = np.random.default_rng(10)
    y = np.tile([0, 1], 150)
    pi = en.Predictions.from_arrays(y, y[:, None] + rng.standard_normal((300, 3)))
    small, large = (
        en.plan(pi, metric="roc_auc", detect=d, rng=0).n_items or 0 for d in (0.1, 0.05)
    )
    assert large / small == pytest.approx(4, rel=0.15)


def test_the_same_seed_gives_the_same_plan(few_studies: None) -> None:
    given = pilot(200)
    assert en.plan(given, detect=0.1, rng=3) == en.plan(given, detect=0.1, rng=3)


def test_a_small_pilot_is_said(planned: en.results.Plan) -> None:
    for small in (20, 60):
        assert [one.code for one in en.plan(pilot(small), detect=0.2, rng=0).cautions] == ["EN036"]
    assert not planned.cautions


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ({}, InputError),
        ({"detect": 0.1, "width": 0.1}, InputError),
        ({"detect": 0.0}, InputError),
        ({"detect": 0.1, "n_configs": 1}, InputError),
        ({"detect": 0.1, "n_repeats": 3}, EvidenceError),
        ({"width": 0.1, "n_configs": 9}, EvidenceError),
        ({"detect": 0.1, "power": 1.0}, InputError),
        ({"detect": 3}, InputError),
        ({"detect": 1.0}, InputError),
        ({"width": 1.0}, InputError),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(
    asked: dict[str, float], kind: type[Exception]
) -> None:
    with pytest.raises(kind):
        en.plan(pilot(50), **asked)  # type: ignore[arg-type]


def test_a_pilot_without_differences_is_refused() -> None:
    same = np.repeat(answer_items(np.random.default_rng(0), 50, [0.6], 0.5), 2, axis=1)
    with pytest.raises(EvidenceError, match="same answers"):
        en.plan(make_scores(same), detect=0.1)
    with pytest.raises(EvidenceError, match="one configuration"):
        en.plan(make_scores(same[:, :1]), detect=0.1)


def test_a_pilot_of_a_few_items_plans_nothing() -> None:
    few = en.Scores(np.random.default_rng(3).random((9, 5)))
    with pytest.raises(EvidenceError) as raised:
        en.plan(few, width=0.3, rng=0)
    assert raised.value.got == "9"


def test_studies_whose_intervals_have_one_end_are_left_out_of_a_plan() -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(size=30)
    one_error = y + (np.arange(30) == 0)
    planned = en.plan(
        en.Predictions.from_arrays(y, one_error[:, None]), metric="mae", width=0.3, rng=0
    )
    assert all(math.isfinite(point.value) for point in planned.curve)
    assert planned.needs[0].n_items == 31  # studies of 30 may draw no error at all


def test_the_figure_shows_a_curve_a_goal_and_a_need(few_studies: None) -> None:
    made = en.plan(pilot(200), detect=0.1, n_configs=[2, 3], rng=0)
    ax = made.plot()
    assert len(ax.get_legend().get_texts()) == 2
    assert ax.get_xscale() == "log"


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "mae"])
def test_studies_are_drawn_from_a_pilot_whose_winners_have_their_corrected_score(
    metric: str,
) -> None:
    # Sixty configurations that are equally good, 40 cases: all of the winner's lead is luck.
    pi = widths.draw(40, 60, metric, np.random.default_rng(11))
    measure = resolve_metric(metric)
    units = find_units(pi)
    shares = tilt_to_corrected(pi, units, measure, np.random.default_rng(0))
    seed = int(np.random.default_rng(0).integers(2**31))
    corrected = en.estimate(pi, method="bbc", metric=metric, rng=seed)
    assert corrected.naive is not None
    wins = corrected.details.win_share
    weights = shares[None] * len(units)
    plain, tilted = (
        float(en.kernels.score_table(pi, metric, rows)[0] @ wins)
        for rows in (np.ones((1, 40)), weights)
    )
    assert tilted == pytest.approx(corrected.value, abs=1e-6)
    assert abs(plain - corrected.value) > 0.01
    # One configuration was not chosen, so nothing of it is luck.
    alone = tilt_to_corrected(pi.select([0]), units, measure, np.random.default_rng(0))
    assert np.ptp(alone) == 0.0


def test_a_simulated_study_has_two_cases_of_every_class() -> None:
    # Old plans broke off where a small study happened to draw one case of a class.
    pi = widths.draw(30, 60, "roc_auc", np.random.default_rng(3))
    made = en.plan(pi, width=0.6, metric="roc_auc", rng=0)
    assert made.n_items is not None


@pytest.mark.parametrize("n_units", [20, 61, 300])
@pytest.mark.parametrize("metric", ["accuracy", "mae"])
def test_a_study_of_another_size_has_the_classes_and_folds_of_the_pilot(
    n_units: int, metric: str
) -> None:
    pi = widths.draw(60, 4, metric, np.random.default_rng(2))
    random = np.random.default_rng(1)
    population = make_population(pi, resolve_metric(metric), random)
    study = draw_study(population, random, n_units)
    assert study.n_cases == n_units
    folds = np.bincount(study.folds[:, 0], minlength=5)
    assert folds.max() - folds.min() <= 2  # one of each class
    if metric == "accuracy":
        sizes = np.bincount(study.target.y)
        assert abs(int(sizes[0]) - int(sizes[1])) <= 1
    # Folds are dealt anew: cases of a fold of the pilot are in others now.
    fold_of = dict(zip(pi.responses[:, 0, 0], pi.folds[:, 0], strict=True))
    before = np.array([fold_of[value] for value in study.responses[:, 0, 0]])
    assert 0 < np.mean(before == study.folds[:, 0]) < 0.6  # one of five by chance


def test_a_file_of_repeated_scores_is_a_pilot_for_other_repeats(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    scores = en.Scores(rng.random((40, 3, 3)), limits=(0, 1))
    scores.save(tmp_path / "scores.npz")
    asked = {"detect": 0.1, "n_repeats": [1, 3], "rng": 0}
    assert en.plan(tmp_path / "scores.npz", **asked).needs == en.plan(scores, **asked).needs


def test_a_plan_shows_its_studies_until_all_are_done() -> None:
    states: list[ProgressState] = []

    class Display(ProgressDisplay):
        def show(self, state: ProgressState) -> None:
            states.append(state)

    en.plan(pilot(200), detect=0.1, n_configs=[2, 3], rng=0, progress=Display())
    last = states[-1]
    assert (last.ended, last.fraction) == (True, 1.0)
    assert last.fits == last.fits_planned > 0
    assert last.noun == "studies"


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "mae"])
def test_planned_widths_are_achieved_on_average_over_pilots(metric: str) -> None:
    # 24 pilots, with the seeds of the benchmark; a mean of ratios has an error of about .03.
    pilots = [(30, 60), (60, 10), (120, 60)]
    places = [widths.CELLS.index((*size, metric, 0.0)) for size in pilots]
    ratios = [ratio for place in places for ratio in widths.measure(place, 0, 8)]
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.05 + 3 * 0.03)


def test_committed_widths_are_within_five_percent_on_average() -> None:
    rows = read_rows(widths.Width, widths.HERE / "widths.csv")
    assert {(row.n, row.configs, row.metric, row.apart) for row in rows} == set(widths.CELLS)
    assert 0.95 <= np.mean([row.ratio for row in rows]) <= 1.05
    for row in rows:  # each kind of pilot up to two standard errors
        assert 0.95 - 2 * row.error <= row.ratio <= 1.05 + 2 * row.error, row
