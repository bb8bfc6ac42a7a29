"""How much fits into a budget: configurations first come, rows go when they must."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from earnest.core import Seeds
from earnest.errors import FormatError
from earnest.training import TunePlan, read_training_table, warn_of_plan
from earnest.training.tune.options import TuneOptions, read_budget
from earnest.training.tune.pilot import (
    CROSSED_AGAIN,
    FinishPace,
    JudgingPace,
    Pace,
    Pilot,
    measure,
    rehearse_finish,
)
from earnest.training.tune.plan import (
    CELL,
    CHECKING,
    FEWEST_ROWS,
    LEAVING,
    STOPPING,
    WAKING,
    WRITING,
    Ending,
    estimate_ending,
    estimate_least_seconds,
    fit_into,
    list_more,
)
from tests.snapshots import Golden
from tests.training.tune_tables import of


@dataclass(frozen=True)
class Config:
    name: str
    family: str
    cost: float = 1.0
    share: float = 1.0


COSTS = {"a": 1.0, "b": 4.0}
CONFIGS = [Config(f"{f}{i}", f, cost) for i in range(20) for f, cost in COSTS.items()]
PILOT = Pilot({"a": Pace(1000, 0.1), "b": Pace(1000, 0.1, 2.0)}, 1.0)
ASKED = TuneOptions(target="relapse", folds=10, n_jobs=1)


def table(rows: int):
    small = read_training_table(of("relapse"), target="relapse")
    return small.take(np.arange(rows) % 90)


def test_a_pace_grows_with_the_power_of_the_cases_and_the_cost():
    assert Pace(100, 0.5, 2.0).at(200) == pytest.approx(2.0)
    assert Pace(100, 0.5, 1.0).at(200, cost=3.0) == pytest.approx(3.0)


def chosen(budget: float, rows: int, asked: TuneOptions = ASKED) -> tuple[list[str], int]:
    found, kept = fit_into(budget, CONFIGS, table(rows), PILOT, asked)
    return [config.name for config in found], kept


def test_all_configurations_fit_into_much_time():
    names, rows = chosen(1e6, 1000)
    assert (len(names), rows) == (40, 1000)


def test_what_fits_is_the_first_of_each_family_and_then_quick_ones_come_first():
    # 900 training cases: 0.09 s for a and 0.324 s for b, ten fits each: 0.9 s and 3.24 s. Of 40 s
    # 30 s are used, by a and b in turns.
    names, rows = chosen(40.0, 1000)
    a, b = ([n for n in names if n[0] == family] for family in "ab")
    assert rows == 1000
    assert names == [a[0], b[0], *a[1:], *b[1:]]
    assert a == [f"a{i}" for i in range(len(a))]
    assert b == [f"b{i}" for i in range(len(b))]
    assert 29.0 < 0.9 * len(a) + 3.24 * len(b) < 30.0


def test_the_order_does_not_depend_on_what_was_measured():
    late = Pilot({"a": Pace(1000, 5.0), "b": Pace(1000, 0.1)}, 1.0)
    found, _ = fit_into(1e6, CONFIGS, table(1000), late, ASKED)
    assert [config.name for config in found] == chosen(1e6, 1000)[0]


def test_a_slow_family_takes_its_share_of_the_time_and_then_what_others_leave():
    shares = {"a": 1.0, "b": 0.25}
    configs = [replace(config, share=shares[config.family]) for config in CONFIGS]
    # 0.9 s for a, and 0.25 s of 4 s for b, each ten times: of 30 s b may take 7.5 s.
    slow = Pilot({"a": Pace(1000, 0.1), "b": Pace(1000, 0.07)}, 1.0)
    found, rows = fit_into(40.0, configs, table(1000), slow, ASKED)
    families = [config.family for config in found]
    assert (families.count("b"), rows) == (4, 1000)  # two within its share, two when a is done
    assert families.count("a") == 20
    slower = replace(slow, paces={**slow.paces, "b": Pace(1000, 0.3)})
    found, rows = fit_into(40.0, configs, table(1000), slower, ASKED)
    assert ({config.family for config in found}, rows) == ({"a", "b"}, 1000)
    assert [config.family for config in found].count("b") == 1
    slowest = replace(slow, paces={**slow.paces, "b": Pace(1000, 0.9)})
    found, rows = fit_into(40.0, configs, table(1000), slowest, ASKED)
    assert ({config.family for config in found}, rows) == ({"a"}, 1000)


def test_slow_families_go_before_rows_do_and_rows_not_below_five_thousand():
    # 18 s for each of a; 1,296 s for each of b, for which there is no time.
    names, rows = chosen(400.0, 20_000)
    assert {name[0] for name in names} == {"a"}
    assert (len(names) >= 4, rows) == (True, 20_000)
    names, rows = chosen(40.0, 20_000)  # now four of a do not fit into 30 s
    assert len(names) >= 4
    assert FEWEST_ROWS < rows < 20_000
    assert chosen(1.0, 20_000) == (["a0", "a1"], FEWEST_ROWS)


def test_a_number_that_is_asked_for_is_kept():
    names, rows = chosen(1.0, 8000, replace(ASKED, n_configs=40))
    assert (len(names), rows) == (40, FEWEST_ROWS)


def test_more_budget_never_means_less():
    found = [chosen(budget, 5000) for budget in (5, 20, 80, 320, 1280)]
    sizes = [(rows, len(names)) for names, rows in found]
    assert sizes == sorted(sizes)


def test_the_budget_is_told_where_it_cost_something():
    plan = TunePlan(seed=0, most_rows=9, n_rows=50, configs=("a",), n_offered=2, fit_seconds=1.0,
                asked={})  # fmt: skip
    data = read_training_table(of("relapse"), target="relapse")
    some = data.take(np.arange(50))
    assert [c.kind for c in warn_of_plan(plan, some)] == ["rows_left_out", "portfolio_cut"]
    assert list(warn_of_plan(replace(plan, n_offered=1), data)) == []


def test_a_plan_survives_the_run_file_and_other_text_is_refused(golden: Golden):
    plan = TunePlan(seed=3, most_rows=9, n_rows=5, configs=("a", "b"), n_offered=7, fit_seconds=1.5,
                asked={"folds": 3})  # fmt: skip
    assert TunePlan.from_json(plan.to_json()) == plan
    with golden.raises(FormatError):
        TunePlan.from_json("{}")


def test_a_pilot_measures_every_family_and_leaves_out_what_fails():
    from sklearn.dummy import DummyClassifier

    @dataclass(frozen=True)
    class Real:
        family: str
        estimator: object
        cost: float = 2.0

    configs = [Real("ok", DummyClassifier()), Real("bad", DummyClassifier(strategy="nope"))]
    pilot = measure(table(2000), configs, 600.0, Seeds(0))
    assert list(pilot.paces) == ["ok"]
    assert pilot.paces["ok"].n == 2000
    assert pilot.fit_seconds(configs[0], 2000) > 0
    assert pilot.fit_seconds(configs[1], 2000) < 0.01


def test_a_pilot_that_takes_too_long_tells_the_rest_by_cost(monkeypatch):
    from sklearn.dummy import DummyClassifier

    from earnest.training.tune import pilot as tune_pilot

    @dataclass(frozen=True)
    class Real:
        family: str
        cost: float
        estimator: object = DummyClassifier()

    monkeypatch.setattr(tune_pilot, "LONGEST", 0.0)
    configs = [Real("slow", 8.0), Real("quick", 2.0)]
    pilot = measure(table(500), configs, 600.0, Seeds(0))
    ratio = pilot.fit_seconds(configs[0], 500) / pilot.fit_seconds(configs[1], 500)
    assert ratio == pytest.approx(4.0)


def test_a_busy_machine_makes_fits_longer():
    pace = Pilot({"a": Pace(100, 1.0)}, 1.0, crowding=3.0)
    assert pace.fit_seconds(CONFIGS[0], 100) == 3.0


def test_the_least_that_a_search_takes_is_two_configurations_with_starting_and_ending():
    # 900 training cases: 0.9 s for each of the two quickest with its ten folds.
    found, rows = fit_into(1.0, CONFIGS, table(1000), PILOT, ASKED)
    several, ending = [*found, CONFIGS[2]], Ending(finishing=3.0, around=2.0)
    data = table(1000)
    alone = estimate_least_seconds(several, data, rows, PILOT, ASKED, 1, ending)
    assert alone == pytest.approx(1.8 + 5.0, abs=0.01)
    two = estimate_least_seconds(several, data, rows, PILOT, ASKED, 2, ending)
    assert two == pytest.approx(WAKING + 0.9 + 5.0, abs=0.01)
    busy = replace(PILOT, crowding=3.0)
    crowded = estimate_least_seconds(several, data, rows, busy, ASKED, 2, ending)
    assert crowded == pytest.approx(3.0 * (two - 5.0) + 5.0, rel=0.01)


def test_what_the_pilot_saw_of_the_machine_is_not_kept_in_the_run_file():
    plan = TunePlan(
        seed=1, most_rows=9, n_rows=9, configs=("a",), n_offered=1, fit_seconds=1.0, asked={}
    )
    seen = replace(plan, least_seconds=12.0, crowding=3.0, ending=Ending(refit=9.0))
    assert seen.to_json() == plan.to_json()
    assert TunePlan.from_json(seen.to_json()) == plan


def test_a_plan_goes_on_with_the_next_configurations_in_the_order_of_the_portfolio():
    data = table(1000)
    first, rows = fit_into(40.0, CONFIGS, data, PILOT, ASKED)
    more = list_more(40.0, CONFIGS, first, data, rows, PILOT, ASKED)
    rest = [config for config in CONFIGS if config not in first]
    assert {config.name for config in more} == {config.name for config in rest}
    for family in "ab":  # in turns until one has its share
        names = [config.name for config in more if config.family == family]
        assert names == [config.name for config in rest if config.family == family]
    assert len(more) == len(rest)  # 40 configurations take 83 s, and three times 40 s are listed
    short = list_more(10.0, CONFIGS, first[:2], data, 1000, PILOT, ASKED)
    assert {config.family for config in short} == {"a"}  # one of b would take a third of the time
    assert list_more(40.0, CONFIGS, first, data, rows, PILOT, replace(ASKED, n_configs=5)) == ()
    assert list_more(40.0, CONFIGS, first, data, rows, PILOT, replace(ASKED, drop="bced")) == ()


def test_a_search_that_went_on_says_what_it_tried_and_not_that_it_was_cut_short(
    tmp_path, monkeypatch
):
    import earnest as en
    from earnest.training.tune import job as tune_job
    from tests.training.tune.test_tune import Never
    from tests.training.tune_tables import portfolio

    def two(budget, configs, *rest):
        return tuple(configs[:2]), rest[0].n_cases

    monkeypatch.setattr(tune_job, "fit_into", two)
    monkeypatch.setattr(tune_job, "Clock", Never)  # ends when two are complete
    found = en.tune(
        of("relapse"),
        target="relapse",
        folds=3,
        rng=7,
        n_jobs=1,
        portfolio=portfolio(tmp_path),
        out=tmp_path / "run",
    )
    assert len(found.predictions.configs.ids) == 2
    said = [c for c in found.estimate.cautions if c.kind == "portfolio_cut"]
    assert [(c.severity, "2 of the 5" in c.what) for c in said] == [("note", True)]
    kept = TunePlan.from_json(found.run.documents["plan"])
    assert (kept.n_sure, len(kept.configs)) == (2, 5)
    assert (found.plan.n_sure, len(found.plan.configs)) == (None, 2)


def test_a_part_of_the_portfolio_that_was_cut_short_has_one_caution(tmp_path, monkeypatch, golden):
    import earnest as en
    from earnest.training.tune import job as tune_job
    from tests.training.tune.test_tune import Never
    from tests.training.tune_tables import portfolio

    def three(budget, configs, *rest):
        return tuple(configs[:3]), rest[0].n_cases

    monkeypatch.setattr(tune_job, "fit_into", three)
    monkeypatch.setattr(tune_job, "Clock", Never)  # ends when two are complete
    ask = {"target": "relapse", "folds": 3, "rng": 7, "n_jobs": 1}
    found = en.tune(of("relapse"), **ask, portfolio=portfolio(tmp_path))
    (said,) = (c for c in found.estimate.cautions if c.kind == "time_ran_out")
    assert said.severity == "caution"
    assert "2 of 3 configurations" in said.what
    golden.check_sentence(said.what, "3 of the 5")


def test_a_number_of_configurations_counts_where_no_budget_is_given() -> None:
    """Without a budget all of them are tried; with one, or without a number, time is limited."""
    assert TuneOptions(n_configs=60).seconds == math.inf
    assert TuneOptions().seconds == 300.0
    assert TuneOptions(n_configs=60, budget=90.0).seconds == 90.0
    assert TuneOptions(n_configs=60).planned_seconds == 300.0
    assert read_budget(None) is None
    assert read_budget("90s") == 90.0


def test_what_follows_a_search_is_the_sum_of_what_was_measured_of_it():
    pace = FinishPace(fixed=0.5, case=0.001, explained=0.2)
    assert pace.at(4000, 25) == pytest.approx(0.5 + 4.0 + 0.2 * 5)
    ending = estimate_ending(pace, [0.1, 2.0, 0.4], 4000, 25, crowding=1.5)
    assert ending.finishing == pytest.approx(1.5 * (CHECKING + 5.5))
    assert ending.refit == pytest.approx(1.5 * 2.0)  # the slowest: the winner is not known yet
    assert ending.ensembles == 0.0
    assert ending.writing == pytest.approx(1.5 * (WRITING + CELL * 4000 * 25))
    assert ending.around == pytest.approx(1.5 * (STOPPING + LEAVING))
    assert ending.explaining == 0.0  # without a budget
    parts = (ending.finishing, ending.refit, ending.writing, ending.around)
    assert ending.seconds == pytest.approx(sum(parts))
    several = estimate_ending(pace, [1.0, 1.0], 4000, 25, ensembles=7.0)
    assert (several.ensembles, several.refit) == (7.0, 4.0)  # a few members
    fits = [0.1] * 20 + [1.0] * 4  # those that a search likes best are often the slowest
    assert estimate_ending(pace, fits, 4000, 25, ensembles=7.0).refit == pytest.approx(4.0)


def test_what_the_model_does_takes_a_tenth_of_the_budget_at_most():
    pace = FinishPace()
    for seconds, at_once in ((0.0, 1), (1.0, 2), (1.4, 4)):
        ending = estimate_ending(pace, [seconds], 4000, 25, budget=60.0, at_once=at_once)
        assert 0.0 < ending.explaining <= 6.0
        assert ending.after_explaining == ending.finishing + ending.around
    # Fits that may take longer than half of the share leave no time to explain: none is kept.
    assert estimate_ending(pace, [1.6], 4000, 25, budget=60.0).explaining == 0.0
    quick, slow = (
        estimate_ending(pace, [seconds], 4000, 25, budget=600.0).explaining
        for seconds in (0.1, 5.0)
    )
    assert quick < slow < 60.0


def test_a_search_ends_so_early_that_what_follows_fits_into_the_budget():
    assert Ending(finishing=5.0, refit=2.0, around=1.0).find_time_of_search(60.0) == 52.0
    # However long the end takes, half of the time is for the search.
    assert Ending(finishing=100.0).find_time_of_search(60.0) == 30.0


class Ticks:
    """A clock of the processor that each rehearsal moves by what it is told."""

    def __init__(self, cost) -> None:
        self.now, self.cost, self.sizes = 0.0, cost, []

    def __call__(self) -> float:
        return self.now

    def finish(self, pi, metric) -> None:
        self.sizes.append(pi.n_cases)
        self.now += self.cost(pi.n_cases, len(self.sizes))


@pytest.mark.parametrize(("target", "rows"), [("relapse", 90), ("score", 700), ("grade", 30_000)])
def test_the_rehearsal_finds_the_line_by_which_the_end_takes_longer(target, rows, monkeypatch):
    ticks = Ticks(lambda n, turn: 0.3 + 0.0002 * n + (2.0 if turn == 1 else 0.0))
    monkeypatch.setattr("earnest.training.tune.pilot.process_time", ticks)
    small = read_training_table(of(target), target=target)
    cases = small.take(np.arange(rows) % 90)
    pace = rehearse_finish(ticks.finish, cases, "roc_auc", Seeds(1), explains=True)
    assert max(ticks.sizes) <= max(1010, rows // 9)  # classes keep a few more
    assert pace.at(rows, 0) == pytest.approx(0.3 + 0.0002 * rows, rel=0.1)  # what loads is free
    assert pace.explained > 0.0
    alone = rehearse_finish(ticks.finish, cases, "roc_auc", Seeds(1), explains=False)
    assert alone.explained == 0.0


def test_what_is_loaded_in_the_second_rehearsal_does_not_make_the_end_longer(monkeypatch):
    ticks = Ticks(lambda n, turn: 5.0 if turn < 3 else 0.4)
    monkeypatch.setattr("earnest.training.tune.pilot.process_time", ticks)
    cases = read_training_table(of("relapse"), target="relapse").take(np.arange(2000) % 90)
    pace = rehearse_finish(ticks.finish, cases, "roc_auc", Seeds(1), explains=False)
    assert (pace.fixed, pace.case) == (pytest.approx(0.4), 0.0)


def test_survival_is_rehearsed_too():
    from earnest.training.tune.job import _judge_winner

    died = {"days": np.arange(1.0, 91.0), "died": np.arange(90) % 3 > 0}
    table = read_training_table(
        pd.DataFrame({"x": np.arange(90) % 7, **died}), time="days", event="died"
    )
    judged = []

    def judge(pi, metric) -> None:
        _judge_winner(pi, metric)
        judged.append(str(pi.target.task))

    rehearse_finish(judge, table, "concordance", Seeds(1), explains=False)
    assert set(judged) == {"survival"}


def test_the_deadline_is_the_budget_from_the_start_without_what_follows(tmp_path, monkeypatch):
    """The clock stands still: the arithmetic of a plan has no time in it but what is measured."""
    from earnest.training.tune import job as tune_job
    from tests.training.tune_tables import portfolio

    given: dict[str, float] = {}
    now = 1000.0

    def measure_nothing(*_):
        return JudgingPace(0.01 * 22 / 7, 0.0, parts=10)  # of twenty; of five it is 0.01 s

    def search_nothing(*_, deadline, **__):
        given["deadline"] = deadline
        raise InterruptedError

    def plan_with(ensemble: str = "none", **options: object) -> tuple[TunePlan, float, float]:
        asked = {"budget": 50.0, "ensemble": ensemble, **options}
        options = TuneOptions(
            target="relapse", folds=3, seed=7, n_jobs=1, portfolio=portfolio(tmp_path), **asked
        )
        job = tune_job.begin(of("relapse"), options, out=None, started=now - 6.0)
        plan = job.plan()
        with pytest.raises(InterruptedError):
            job.run(plan)
        return plan, given["deadline"] - job.started, job.find_budget(plan)

    monkeypatch.setattr(tune_job, "monotonic", lambda: now)
    monkeypatch.setattr(tune_job, "measure", lambda *_: Pilot({"model": Pace(90, 0.5)}, 0.1))
    monkeypatch.setattr(tune_job, "rehearse_finish", lambda *_, **__: FinishPace(2.0))
    monkeypatch.setattr(tune_job, "measure_judging", measure_nothing)
    monkeypatch.setattr(tune_job, "measure_crowding", lambda *_: 2.0)
    monkeypatch.setattr(tune_job, "run_search", search_nothing)
    alone, deadline, _ = plan_with()
    assert alone.n_resamples is None
    assert alone.ending.finishing == 2 * (CHECKING + 2.0)
    assert alone.ending.ensembles == 0.0
    assert deadline == pytest.approx(50.0 - alone.ending.seconds)
    several, deadline, _ = plan_with("greedy")
    # A choice takes 0.01 s on a machine that is twice as slow: 15 % of 50 s are enough for 300
    # resamples and, three times, the 2 x 10 parts beside them.
    assert (several.n_resamples, several.library) == (300, 20)
    assert several.ending.ensembles == pytest.approx(2 * 0.01 * (300 + 60))
    assert deadline == pytest.approx(50.0 - several.ending.seconds)
    assert plan_with(n_configs=2, budget=None)[1:] == (math.inf, None)
    monkeypatch.setattr(tune_job, "measure_crowding", lambda *_: 9.0)
    last, deadline, _ = plan_with("greedy")
    assert last.n_resamples == 240  # six draws beyond each end of a 95 % interval
    assert last.ending.ensembles == pytest.approx(0.4 * 50)  # more is never kept
    assert deadline == 25.0  # and half of the time is for the search
    assert TunePlan.from_json(last.to_json()).n_resamples == 240
    none, deadline, _ = plan_with("auto", budget=160.0)
    assert (none.library, none.ending.ensembles) == (0, 0.0)  # not asked for: then there is none
    assert TunePlan.from_json(none.to_json()).library == 0
    assert deadline > 80.0


def test_a_plan_that_goes_on_while_there_is_time_is_measured_by_its_budget(tmp_path):
    from earnest.training.tune.job import begin
    from tests.training.tune_tables import portfolio

    asked = TuneOptions(target="relapse", folds=3, seed=7, portfolio=portfolio(tmp_path))
    job = begin(of("relapse"), asked, out=None)
    plan = TunePlan(
        seed=7, most_rows=90, n_rows=90, configs=("a", "b"), n_offered=9, fit_seconds=1.0, asked={}
    )
    assert job.find_budget(plan) is None  # it ends with its fits
    assert job.find_budget(replace(plan, n_sure=1)) == 300.0


@pytest.mark.parametrize(
    ("target", "metric"), [("relapse", "roc_auc"), ("score", "r2"), ("grade", "log_loss")]
)
def test_the_time_of_ensembles_is_a_line_through_two_numbers_of_cases(target, metric, monkeypatch):
    from earnest.training.tune import pilot as tune_pilot
    from earnest.training.tune.options import ENSEMBLE_RULES

    ticks = iter([0.0, 1.6, 10.0, 13.2])  # 0.1 s for each of 16 resamples, and then 0.2 s
    monkeypatch.setattr(tune_pilot, "process_time", lambda: next(ticks))
    small = read_training_table(of(target), target=target)
    rule = ENSEMBLE_RULES["greedy"]
    pace = tune_pilot.measure_judging(small.take(np.arange(9000) % 90), metric, rule, Seeds(0))
    assert pace.fixed + 1000 * pace.case == pytest.approx(0.1, rel=0.05)
    assert pace.tables == (target == "relapse")  # that of thresholds, of 200 resamples
    crossed = 4 * pace.parts
    choices = 1000 + (1 + CROSSED_AGAIN) * crossed + pace.tables * (200 + crossed)
    assert pace.at(7000, 1000) == pytest.approx(0.3 * choices, rel=0.05)
    assert pace.count_within(0.3 * 120, 7000, 50, 1000) <= 120
