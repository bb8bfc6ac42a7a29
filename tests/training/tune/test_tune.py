"""`tune`: winner and estimate are those of a search by hand; runs end, resume and repeat."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from joblib import parallel_config
from sklearn.base import clone

import earnest as en
from earnest import load_model
from earnest.core import Seeds, TaskOutcome
from earnest.engine import Place, backends
from earnest.engine.limits import DeadlineError
from earnest.errors import EarnestError, InputError, StoreError
from earnest.store import read_run
from earnest.training import FILES, TunePlan, read_training_table
from earnest.training.tune import job as tune_job
from earnest.training.tune.job import Clock, begin
from earnest.training.tune.options import TuneOptions
from earnest.training.tune.plan import DOCUMENT, make_pairs
from tests.snapshots import Golden
from tests.training.tune_tables import of, portfolio
from tests.training.watching import Watcher

QUICK = {"n_configs": 3, "folds": 3, "rng": 7, "n_jobs": 1, "ensemble": "none"}


@pytest.fixture(scope="module")
def quick(tmp_path_factory) -> dict:
    return {**QUICK, "portfolio": portfolio(tmp_path_factory.mktemp("portfolio"))}


@pytest.fixture(scope="module")
def kept(tmp_path_factory, quick) -> tuple[en.results.Tuned, Path]:
    """What a tuning found, and its folder, which is not to be written to."""
    out = tmp_path_factory.mktemp("kept") / "run"
    return en.tune(of("relapse"), target="relapse", out=out, **quick), out


@pytest.fixture
def tuned(kept) -> en.results.Tuned:
    return kept[0]


@pytest.fixture
def folder(kept, tmp_path) -> Path:
    """A copy of the folder of a tuning."""
    return shutil.copytree(kept[1], tmp_path / "run")


def codes(tuned) -> set[str]:
    return {caution.kind for caution in tuned.estimate.cautions}


# ---------------------------------------------------------------------------------- by hand


def test_winner_estimate_and_model_are_those_of_the_folds_by_hand(quick, tuned):
    found = tuned
    table = read_training_table(of("relapse"), target="relapse")
    configs = begin(
        of("relapse"),
        TuneOptions(target="relapse", seed=7, n_configs=3, folds=3, portfolio=quick["portfolio"]),
        out=None,
    ).configs
    scores = np.empty((table.n_cases, 3))
    for train, test in make_pairs(table, 3, 1, Seeds(7)):
        for config in configs:
            place = found.predictions.configs.ids.index(config.name)
            model = clone(config.estimator).fit(table.X[train], table.y[train])
            scores[test, place] = model.predict_proba(table.X[test])[:, 1]
    responses = found.predictions.responses[:, :, 0]
    np.testing.assert_allclose(responses, scores, rtol=1e-12)
    pi = found.predictions
    again = en.estimate(pi, metric="roc_auc", rng=7)
    assert again.value == found.estimate.value
    assert again.winner == found.winner.name
    whole = clone(found.winner.estimator).fit(table.X, table.y)
    said = found.model.predict(of("relapse"))
    assert (said.labels == np.array(table.classes)[whole.predict(table.X)]).all()


def test_predictions_name_classes_and_rows_as_the_table_does(quick):
    table = of("relapse")
    gaps = pa.array([None, *table["relapse"].to_pylist()[1:]])
    table = table.set_column(table.column_names.index("relapse"), "relapse", gaps)
    found = en.tune(table, target="relapse", **quick)
    assert found.predictions.target.classes == ("no", "yes")
    assert found.predictions.target.ids.tolist() == list(range(2, 91))
    assert {
        "identifiers_left_out",
        "empty_left_out",
        "columns_encoded",
        "outcomes_missing",
    } <= codes(found)


@pytest.mark.parametrize(
    ("target", "metric", "task"),
    [
        ("relapse", "roc_auc", "binary"),
        ("grade", "roc_auc_ovr", "multiclass"),
        ("score", "r2", "regression"),
    ],
)
def test_every_task_has_its_usual_metric(quick, target, metric, task):
    found = en.tune(of(target), target=target, ignore=["seen"], **quick)  # dates of no use
    assert (found.estimate.metric, str(found.table.task)) == (metric, task)
    assert 0.5 < found.estimate.value < 1.0
    assert len(found.model.predict(of(target))) == 90


def test_survival_is_tuned_by_concordance():
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    frame = pd.DataFrame(
        {"x": x, "z": rng.normal(size=120), "days": rng.exponential(np.exp(-x)), "died": True}
    )
    frame.loc[::4, "died"] = False
    found = en.tune(frame, time="days", event="died", n_configs=2, folds=3, rng=0, n_jobs=1)
    assert found.estimate.metric == "concordance"
    assert found.estimate.value > 0.65
    assert found.model.predict(frame).columns == ("risk",)


def test_groups_stay_in_one_fold_and_are_resampled_together(quick):
    table = of("relapse", keep=("ward",))
    found = en.tune(table, target="relapse", group="ward", **quick)
    folds, groups = found.predictions.folds[:, 0], found.predictions.target.groups
    for group in np.unique(groups):
        assert len(set(folds[groups == group])) == 1
    assert "groups_split" not in codes(found)


def test_repeats_are_repeats_of_the_predictions(quick):
    found = en.tune(of("relapse"), target="relapse", **{**quick, "repeats": 2})
    assert found.predictions.folds.shape == (90, 2)
    assert found.n_fits == 3 * 6 + 1
    assert found.n_fits_nested == 2 * 9 * 3 + 2 * 3 + 1


def test_fits_are_counted_as_nested_cross_validation_counts_them(tuned):
    assert tuned.n_fits == 3 * 3 + 1
    assert tuned.n_fits_nested == 3**2 * 3 + 3 + 1  # K² C + K + 1


def test_dropping_saves_fits_and_is_told(quick):
    rng = np.random.default_rng(1)
    n = 300
    frame = pd.DataFrame({"x": rng.normal(size=n)})
    frame["y"] = np.where(frame.x + 0.5 * rng.normal(size=n) > 0, "b", "a")
    found = en.tune(frame, target="y", **{**quick, "folds": 5, "n_configs": 5, "drop": "bced"})
    assert found.n_fits <= 26
    assert found.plan.asked["drop"] == "bced"


def test_the_same_seed_gives_the_same_and_jobs_do_not_matter(quick, tuned):
    with parallel_config(backend="threading"):
        two = en.tune(of("relapse"), target="relapse", **{**quick, "n_jobs": 2})
    one = tuned
    assert one.to_dict() == two.to_dict()
    assert one.predictions.fingerprint == two.predictions.fingerprint


# ---------------------------------------------------------------------------------- the folder


def test_the_folder_has_the_files_and_they_say_the_same(kept):
    found, folder = kept
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    saved = json.loads((folder / "estimate.json").read_text("utf-8"))
    assert en.results.Estimate.from_dict(saved).value == found.estimate.value
    assert saved["tuning"]["winner"]["name"] == found.winner.name
    pi = en.Predictions.load(folder / "predictions.parquet")
    assert pi.fingerprint == found.predictions.fingerprint
    loaded = load_model(folder).predict(of("relapse"))
    np.testing.assert_array_equal(loaded.scores, found.model.predict(of("relapse")).scores)
    plan = TunePlan.from_json(read_run(folder / "run.db").documents[DOCUMENT])
    assert (plan.seed, plan.n_rows, len(plan.configs)) == (7, 90, 3)


def test_the_run_in_memory_is_that_of_the_file_also_after_a_resumption(kept, folder, quick):
    first, out = kept
    again = en.tune(of("relapse"), target="relapse", out=folder, resume=True, **quick)
    for found, place in ((first.run, out), (again.run, folder)):
        read = read_run(place / "run.db", arrays=False)
        assert (found.path, found.identity) == (read.path, read.identity)
        assert found.documents == read.documents
        assert found.outcomes.keys() == read.outcomes.keys()
        for key, outcome in read.outcomes.items():
            assert found.outcomes[key].numbers == outcome.numbers
            assert not found.outcomes[key].arrays


def test_a_folder_that_holds_a_run_needs_resume(folder, quick, tuned):
    out, first = folder, tuned
    with pytest.raises(InputError, match="already holds a run"):
        en.tune(of("relapse"), target="relapse", out=out, **quick)
    again = en.tune(of("relapse"), target="relapse", out=out, resume=True, **quick)
    assert again.to_dict() == first.to_dict()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"folds": 4}, "folds 3 there, 4 now"),
        ({"rng": 8}, "seed 7 there, 8 now"),
        ({"metric": "accuracy"}, "metric None there, 'accuracy' now"),
        ({"drop": "bced"}, "drop None there, 'bced' now"),
    ],
)
def test_another_run_is_not_resumed_and_it_says_what_differs(folder, quick, change, said):
    with pytest.raises(StoreError, match="holds another run") as caught:
        en.tune(of("relapse"), target="relapse", out=folder, resume=True, **quick | change)
    assert said in caught.value.got


def test_a_run_on_sampled_rows_is_resumed_on_the_same_rows(tmp_path, quick, monkeypatch):
    monkeypatch.setattr("earnest.training.tune.plan.FEWEST_ROWS", 61)  # no whole share of classes
    monkeypatch.setattr("earnest.training.tune.pilot.FEWEST_SECONDS", 60.0)
    asked = {**quick, "budget": "60s", "out": tmp_path / "run"}
    first = en.tune(of("grade"), target="grade", **asked)
    assert 60 <= first.table.n_cases <= 63
    assert "searched_on_fewer" in codes(first)
    assert first.growth.n_delivered == 90
    again = en.tune(of("grade"), target="grade", **asked, resume=True)
    assert again.to_dict() == first.to_dict()


def test_few_large_groups_are_all_kept_when_rows_are_sampled(quick, monkeypatch):
    monkeypatch.setattr("earnest.training.tune.plan.FEWEST_ROWS", 31)  # a group has 30
    monkeypatch.setattr("earnest.training.tune.pilot.FEWEST_SECONDS", 60.0)
    table = of("relapse").append_column("hospital", pa.array(np.arange(90) // 30))
    found = en.tune(table, target="relapse", group="hospital", budget="60s", **quick)
    assert 30 <= found.table.n_cases <= 33  # classes in their shares
    assert len(np.unique(found.table.groups)) == 3


@pytest.mark.parametrize("outcome", ["class", "survival"])
def test_a_sample_keeps_as_many_of_a_rare_class_as_there_are_folds(outcome, monkeypatch):
    monkeypatch.setattr("earnest.training.tune.job.FEWEST_READ", 200)
    monkeypatch.setattr("earnest.training.tune.job.ROWS_A_SECOND", 0)
    rare = np.arange(3000) % 200 == 0  # 15 cases, and one in a sample of 200 by its share
    x = np.random.default_rng(0).normal(size=3000)
    frame = pa.table({"x": x + rare, "rare": rare, "days": 1.0 + np.arange(3000)})
    survival = outcome == "survival"
    named = {"time": "days", "event": "rare"} if survival else {"target": "rare"}
    job = begin(frame, TuneOptions(**named, folds=12, seed=1), out=None)
    assert int(job.table.layers.sum()) == 12


class Late(Clock):
    """A clock whose time is over from the start, if it has an end."""

    def __init__(self, *, deadline, **rest) -> None:
        super().__init__(deadline=deadline if deadline == float("inf") else -1.0, **rest)


def test_configurations_asked_for_by_number_all_run_whatever_the_time(monkeypatch, quick):
    monkeypatch.setattr(tune_job, "Clock", Late)
    found = en.tune(of("relapse"), target="relapse", **quick)
    assert len(found.predictions.configs.ids) == quick["n_configs"]
    short = en.tune(of("relapse"), target="relapse", budget="60s", **quick)
    assert len(short.predictions.configs.ids) < quick["n_configs"]


def test_a_plan_counts_the_workers_of_the_active_back_end_and_not_the_cores_here(monkeypatch):
    monkeypatch.setattr("earnest.training.tune.pilot.FEWEST_SECONDS", 2.0)
    asked = TuneOptions(target="relapse", folds=3, seed=1, n_jobs=-1, budget=60.0)
    job = begin(of("relapse"), asked, out=None)

    def planned(place: Place, at_once: int) -> int:
        where = backends.BackendPlan(place, at_once)
        monkeypatch.setattr(backends, "plan_backend", lambda n_jobs, limited: where)
        return len(job.plan().configs)

    monkeypatch.setattr(
        "earnest.training.tune.job.measure_crowding", lambda before, after, at_once: float(at_once)
    )
    alone, crowded = planned(Place.HERE, 1), planned(Place.PROCESSES, 8)
    assert crowded <= alone  # eight on one core are no quicker
    assert planned(Place.DASK, 8) > 4 * alone


def test_progress_tells_every_fit_and_changes_nothing(quick, tuned, capsys):
    watcher = Watcher()
    seen = en.tune(of("relapse"), target="relapse", progress=watcher, **quick)
    assert [total for total, _ in watcher.planned] == [seen.n_fits - 1]
    assert (watcher.done, watcher.ended) == (seen.n_fits - 1, 1)
    shown = en.tune(of("relapse"), target="relapse", progress=True, **quick)
    assert f"{seen.n_fits - 1} of {seen.n_fits - 1} fits" in capsys.readouterr().err
    assert seen.to_dict() == shown.to_dict() == tuned.to_dict()


def test_other_data_are_not_resumed(folder, quick):
    with pytest.raises(StoreError, match="other data"):
        en.tune(of("relapse", n=80), target="relapse", out=folder, resume=True, **quick)


def test_a_resumed_run_may_have_another_budget_and_no_seed(folder, quick, tuned):
    more = {**quick, "rng": None, "budget": "1h"}
    again = en.tune(of("relapse"), target="relapse", out=folder, resume=True, **more)
    assert again.to_dict() == tuned.to_dict()


def test_a_folder_that_cannot_be_written_is_refused_before_any_work(tmp_path, quick):
    (tmp_path / "file").write_text("x")
    with pytest.raises(EarnestError, match="is a file"):
        en.tune(of("relapse"), target="relapse", out=tmp_path / "file", **quick)
    with pytest.raises(EarnestError, match="is a file"):
        en.tune(of("relapse"), target="relapse", out=tmp_path / "file" / "run", **quick)


def test_a_full_disk_is_refused_before_any_fit(tmp_path, quick, monkeypatch):
    class Full:
        free = 1000

    monkeypatch.setattr("shutil.disk_usage", lambda path: Full())
    with pytest.raises(EarnestError, match="is too full"):
        en.tune(of("relapse"), target="relapse", out=tmp_path / "run", **quick)
    assert not (tmp_path / "run" / "run.db").exists()


def test_bad_data_leave_no_folder(tmp_path, quick):
    with pytest.raises(InputError):
        en.tune(of("relapse"), target="nope", out=tmp_path / "run", **quick)
    assert not (tmp_path / "run").exists()


SCRIPT = """
import os, signal, sys
from earnest.training.tune.job import begin
from earnest.training.tune.options import TuneOptions
from tests.training.tune_tables import of

class Deadly:
    fits = 0
    def start(self, total, title=""): ...
    def drop(self, count): ...
    def finish(self): ...
    def advance(self, outcome, *, stored=False):
        self.fits += 1
        if self.fits == 5:
            os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    asked = TuneOptions(target="relapse", folds=3, n_configs=4, seed=7, n_jobs=1,
                        portfolio=sys.argv[2], ensemble=sys.argv[3])
    job = begin(of("relapse"), asked, out=sys.argv[1])
    job.run(job.plan(), Deadly())
"""


class Interrupting(Watcher):
    """Interrupts a run at its fifth fit, as a user does."""

    def advance(self, outcome: TaskOutcome, *, stored: bool = False) -> None:
        super().advance(outcome, stored=stored)
        if self.done == 5:
            raise KeyboardInterrupt


def end_by_interrupt(out: Path, given: str, ensemble: str) -> None:
    asked = TuneOptions(target="relapse", folds=3, n_configs=4, seed=7, n_jobs=1,
                        portfolio=given, ensemble=ensemble)  # fmt: skip
    job = begin(of("relapse"), asked, out=out)
    with pytest.raises(KeyboardInterrupt):
        job.run(job.plan(), Interrupting())


def end_by_kill(out: Path, given: str, ensemble: str) -> None:
    root = Path(__file__).resolve().parents[3]
    env = {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    told = [sys.executable, "-c", SCRIPT, str(out), given, ensemble]
    victim = subprocess.run(told, env=env, timeout=300, check=False)
    assert victim.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("end", "ensemble"),
    [
        (end_by_interrupt, "none"),  # with an ensemble it is in test_tuned_ensemble
        pytest.param(end_by_kill, "greedy", marks=pytest.mark.slow),
        pytest.param(end_by_kill, "none", marks=pytest.mark.slow),
    ],
)
def test_a_run_that_was_ended_and_is_resumed_gives_the_same_bytes(tmp_path, end, ensemble):
    cut, given = tmp_path / "cut", portfolio(tmp_path)
    end(cut, given, ensemble)
    assert 4 <= len(read_run(cut / "run.db").outcomes) <= 5
    assert not (cut / "estimate.json").exists()
    options = {"target": "relapse", "folds": 3, "n_configs": 4, "rng": 7, "n_jobs": 1}
    for out in (cut, tmp_path / "whole"):
        en.tune(
            of("relapse"),
            portfolio=given,
            out=out,
            resume=out is cut,
            ensemble=ensemble,
            **options,
        )
    for name in ("estimate.json", "predictions.parquet", "model.skops", "plan.json"):
        assert (tmp_path / "whole" / name).read_bytes() == (cut / name).read_bytes(), name
    told = json.loads((cut / "estimate.json").read_text(encoding="utf-8"))
    assert ("ensemble" in told) == (ensemble == "greedy")


@pytest.mark.parametrize("content", [None, [], ["notes.txt"], ["plan.json"]])
def test_a_folder_without_a_run_is_not_resumed_and_stays_as_it_is(tmp_path, quick, content):
    out = tmp_path / "new"
    if content is not None:
        out.mkdir()
    for name in content or ():
        (out / name).write_text("{}")
    with pytest.raises(StoreError, match="no run to resume") as refusal:
        en.tune(of("relapse"), target="relapse", out=out, resume=True, **quick)
    assert all(word in refusal.value.cure for word in ("`out`", "`resume`"))
    assert (sorted(path.name for path in out.iterdir()) if out.exists() else None) == content


def test_a_run_that_was_ended_before_its_plan_begins_anew(tmp_path, quick):
    from earnest.store import SqliteStore

    (tmp_path / "run").mkdir()
    with SqliteStore(tmp_path / "run" / "run.db") as store:
        store.open({"data": "x"})
    found = en.tune(of("relapse"), target="relapse", out=tmp_path / "run", resume=True, **quick)
    assert found.n_fits == 10


# ---------------------------------------------------------------------------------- the time


class Never(Clock):
    """A clock whose time is over from the start."""

    def __init__(self, *, deadline, **rest) -> None:
        super().__init__(deadline=-1.0, **rest)


def test_a_search_whose_time_is_over_takes_what_is_complete(tmp_path, quick, tuned, monkeypatch):
    whole = tuned
    monkeypatch.setattr(tune_job, "Clock", Never)
    found = en.tune(of("relapse"), target="relapse", out=tmp_path / "run", **quick)
    assert found.estimate.n_configs == 2
    np.testing.assert_array_equal(found.predictions.responses, whole.predictions.responses[:, :2])
    (said,) = (c for c in found.estimate.cautions if c.kind == "time_ran_out")
    assert said.severity == "caution"
    assert "2 of 3 configurations were complete" in said.what
    assert "portfolio" not in said.what  # all of it was planned
    monkeypatch.undo()
    again = en.tune(of("relapse"), target="relapse", out=tmp_path / "run", resume=True, **quick)
    assert again.to_dict() == whole.to_dict()


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_search_whose_deadline_passed_before_it_began_goes_on_until_two_are_complete(
    tmp_path, quick, tuned, n_jobs, monkeypatch
):
    monkeypatch.setattr(tune_job.Job, "find_deadline", lambda self, plan: monotonic())
    given = {**quick, "n_jobs": n_jobs}
    found = en.tune(of("relapse"), target="relapse", out=tmp_path / "run", **given)
    assert 2 <= found.estimate.n_configs <= 3
    pi = found.predictions.usable()
    expected = tuned.predictions.select(pi.configs.ids)  # with two jobs any two may be first
    np.testing.assert_array_equal(pi.responses, expected.responses)


def test_seconds_are_those_since_the_start_that_is_told(quick):
    asked = TuneOptions(target="relapse", n_configs=2, seed=7, folds=3, n_jobs=1,
                        portfolio=quick["portfolio"])  # fmt: skip
    job = begin(of("relapse"), asked, out=None, started=monotonic() - 500.0)
    assert 500.0 < job.run(job.plan()).seconds < 700.0


def test_a_search_by_folds_whose_time_is_over_takes_whole_folds(quick, monkeypatch):
    monkeypatch.setattr(tune_job, "Clock", Never)
    found = en.tune(of("relapse"), target="relapse", **{**quick, "drop": "bced"})
    (said,) = (c for c in found.estimate.cautions if c.kind == "time_ran_out")
    assert "1 of 3 folds were complete" in said.what
    assert "cases_untested" in codes(found)


def test_the_clock_waits_for_two_complete_configurations_and_spares_the_last_fit():
    clock = Clock(deadline=-1.0, fits=2, by_fold=False)
    clock.start(6)
    for key in [(0, 0, 0), (1, 0, 0), (0, 0, 1)]:
        clock.advance(TaskOutcome(key))
    with pytest.raises(DeadlineError):
        clock.advance(TaskOutcome((1, 0, 1)))
    short = Clock(deadline=-1.0, fits=2, by_fold=False)
    short.start(4)
    for key in [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1)]:
        short.advance(TaskOutcome(key))  # nothing is left to do, so nothing is cut short


# ---------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "`folds` is out of range"),
        ({"repeats": 0}, "`repeats` is out of range"),
        ({"budget": "soon"}, "`budget`: 'soon' is not a duration"),
        ({"budget": 0}, "`budget`: 0 is less than a second"),
        ({"budget": "400d"}, "`budget`: '400d' is more than a year"),
        ({"budget": True}, "`budget`: True is not a duration"),
        ({"n_configs": 0}, "`n_configs` is out of range"),
        ({"drop": "all"}, "drop"),
        ({"metric": "rmse"}, "metric 'rmse' is not defined for a binary task"),
        ({"metric": "rok"}, "metric 'rok' is unknown"),
        ({"portfolio": "huge"}, "portfolio 'huge' is unknown"),
        ({"confidence_level": 95}, "`confidence_level` is out of range"),
        ({"n_jobs": 0}, "`n_jobs` is out of range"),
        ({"folds": 60}, "cannot make 60 stratified folds: class no of relapse has 45 cases"),
        ({"group": "ward", "folds": 19}, "cannot make 19 grouped folds: there are 18 groups"),
        ({"resume": True}, "`resume` needs a folder"),
    ],
)
def test_what_cannot_work_is_refused(options, message):
    table = of("relapse", keep=("ward",)) if "group" in options else of("relapse")
    with pytest.raises(EarnestError) as caught:
        en.tune(table, target="relapse", **options)
    assert message in str(caught.value)


def test_too_few_cases_for_plain_folds_are_refused(golden: Golden):
    frame = pd.DataFrame({"x": np.sin(np.arange(12.0)), "y": np.arange(12) ** 1.5})
    with golden.raises(InputError):
        en.tune(frame, target="y")


def test_groups_that_are_the_classes_are_refused(golden: Golden):
    frame = pd.DataFrame({"x": np.sin(np.arange(60.0)), "y": np.repeat(["a", "b"], 30)})
    frame["g"] = np.repeat([0, 1, 2, 3], 15) * (frame.y == "a")  # all of b in one group
    with golden.raises(InputError):
        en.tune(frame, target="y", group="g", folds=2, n_configs=1, n_jobs=1, rng=0)


def test_fits_that_all_fail_are_told_without_a_traceback(monkeypatch, quick):
    from earnest.training import Preprocessor
    from earnest.training.tune.job import Job

    monkeypatch.setattr(Job, "plan", lambda job: TunePlan(
        seed=7, most_rows=90, n_rows=90, configs=tuple(c.name for c in job.configs), n_offered=3,
        fit_seconds=0.1, asked={},
    ))  # fmt: skip

    def broken(self, X, y=None):
        raise ValueError("no fit today")

    monkeypatch.setattr(Preprocessor, "fit", broken)
    with pytest.raises(InputError, match="fits failed") as caught:
        en.tune(of("relapse"), target="relapse", **quick)
    assert caught.value.got == "ValueError: no fit today"


def test_the_outcome_cannot_be_ignored(golden: Golden):
    with golden.raises(InputError):
        en.tune(of("relapse"), target="relapse", ignore="relapse")


def test_models_that_cannot_be_fitted_at_all_are_told_before_the_search(
    monkeypatch, quick, golden: Golden
):
    from earnest.training import Preprocessor

    def broken(self, X, y=None):
        raise ValueError("no fit today")

    monkeypatch.setattr(Preprocessor, "fit", broken)
    with golden.raises(InputError) as caught:
        en.tune(of("relapse"), target="relapse", **quick)
    assert caught.value.got == "ValueError: no fit today"


@pytest.mark.parametrize(
    "target",  # several classes; numbers differ in their metric alone
    ["grade", pytest.param("score", marks=pytest.mark.slow)],
)
def test_a_tuning_tells_what_more_cases_gave_where_it_is_asked(quick, tmp_path, target) -> None:
    asked = {**quick, "out": tmp_path / "run", "learning_curve": True}
    found = en.tune(of(target), target=target, **asked)
    made = found.learning
    assert made is not None, found.no_learning
    assert made.learner == found.winner.name
    assert (made.metric, made.n_fits) == (found.estimate.metric, 12)
    assert "settings_of_all" in [caution.kind for caution in made.cautions]
    assert en.results.LearningCurve.load(tmp_path / "run" / "learning.json") == made
    for source in (found, tmp_path / "run"):
        part = en.report(source, explain=False).content.gain
        assert part is not None
        assert part.learning is not None
        assert part.learning.data["scores"] == list(made.scores)
        assert "settings_of_all" in [caution.kind for caution in part.cautions]


def test_the_share_of_the_budget_in_fits_is_told_where_there_is_a_budget(quick, tuned) -> None:
    found = en.tune(of("relapse"), target="relapse", **quick, budget="40s")
    assert found.budget_used == pytest.approx(found.fit_seconds / 40, abs=1e-12)  # one worker
    assert tuned.budget_used is None
