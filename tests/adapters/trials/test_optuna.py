"""Optuna: studies, storages and journals are read as they were written."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

import earnest as en
from earnest.adapters import unite_distributions
from earnest.core import ParameterKind
from tests.adapters.studies import conditional, open_database
from tests.snapshots import Golden


@pytest.fixture(scope="module")
def study() -> optuna.Study:
    return conditional()


def test_a_conditional_study_is_read_with_its_conditions(study: optuna.Study) -> None:
    trials = en.trials_from(study)
    conditions = {p.name: str(p.condition) for p in trials.space if p.condition is not None}
    assert conditions == {
        "svm_C": "model is svm",
        "kernel": "model is svm",
        "gamma": "kernel is rbf",
        "depth": "model is forest",
        "trees": "model is forest",
        "layers": "model is mlp",
        "units_0": "model is mlp",
        "units_1": "layers >= 2",
        "units_2": "layers >= 3",
    }
    assert trials.space.inferred is not None
    assert dict(trials.space.inferred.conditions) == conditions


def test_ranges_and_scales_are_those_of_the_study_and_not_of_its_trials(
    study: optuna.Study,
) -> None:
    space = en.trials_from(study).space
    assert (space["svm_C"].low, space["svm_C"].high, space["svm_C"].log) == (1e-3, 1e3, True)
    assert (space["trees"].kind, space["trees"].step) == (ParameterKind.INT, 50)
    assert (space["depth"].low, space["depth"].high, space["depth"].log) == (2, 20, False)
    assert space["units_0"].log
    assert space["model"].choices == ("svm", "forest", "mlp")


def test_failed_and_pruned_trials_are_counted_left_out_and_said(study: optuna.Study) -> None:
    trials = en.trials_from(study)
    assert (len(trials), trials.n_failed, trials.n_pruned) == (57, 1, 2)
    assert trials.counts.left_out == 3
    assert "EN060" in {caution.code for caution in trials.cautions}


def test_configurations_and_objectives_are_those_of_the_study(study: optuna.Study) -> None:
    trials = en.trials_from(study)
    done = [t for t in study.trials if t.state.name == "COMPLETE"]
    assert trials.configs == tuple(t.params for t in done)
    np.testing.assert_array_equal(trials.objective, [t.value for t in done])
    assert trials.best_config == study.best_params
    assert trials.direction == "maximize"
    assert trials.space.valid(trials.codes).all()


def test_a_study_from_sqlite_a_url_and_a_journal_is_the_study(
    study: optuna.Study, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'study.db'}"
    with open_database(tmp_path / "study.db") as storage:
        optuna.copy_study(from_study_name="tuning", from_storage=study._storage, to_storage=storage)
    journal = JournalStorage(JournalFileBackend(str(tmp_path / "study.log")))
    optuna.copy_study(from_study_name="tuning", from_storage=study._storage, to_storage=journal)
    expected = en.trials_from(study)
    for source in (url, tmp_path / "study.db", str(tmp_path / "study.log")):
        found = en.trials_from(source, study="tuning")
        assert found.configs == expected.configs
        np.testing.assert_array_equal(found.objective, expected.objective)
        assert found.space == expected.space
        assert en.trials_from(source).configs == expected.configs  # the only study there


def test_a_storage_with_several_studies_asks_which_and_offers_the_nearest(tmp_path: Path) -> None:
    storage = JournalStorage(JournalFileBackend(str(tmp_path / "two.log")))
    for name in ("first", "second"):
        conditional(storage, trials=14, name=name)
    with pytest.raises(en.errors.InputError, match=r"several studies.*'first', 'second'"):
        en.trials_from(tmp_path / "two.log")
    with pytest.raises(en.errors.InputError, match="Did you mean 'second'"):
        en.trials_from(tmp_path / "two.log", study="secnd")
    assert len(en.trials_from(tmp_path / "two.log", study="second")) == 11


def test_a_pickle_is_never_read(study: optuna.Study, tmp_path: Path) -> None:
    path = tmp_path / "study.pkl"
    path.write_bytes(pickle.dumps(study))
    with pytest.raises(en.errors.FormatError, match="is a pickle"):
        en.trials_from(path)


def test_a_storage_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(en.errors.FormatError, match="no file"):
        en.trials_from(f"sqlite:///{tmp_path / 'study.db'}")
    with pytest.raises(en.errors.FormatError, match="cannot be read"):
        en.trials_from("nosuchbase://host/study")
    with pytest.raises(en.errors.FormatError, match="no file"):
        en.trials_from(tmp_path / "study.db")
    assert not list(tmp_path.iterdir())


def test_a_file_is_read_whatever_its_name_and_is_not_written_to(
    study: optuna.Study, tmp_path: Path
) -> None:
    with open_database(tmp_path / "plain.db") as storage:
        optuna.copy_study(from_study_name="tuning", from_storage=study._storage, to_storage=storage)
    folder = tmp_path / "my ü #1 100%?x"
    folder.mkdir()
    odd = (tmp_path / "plain.db").rename(folder / "st udy.sqlite3")
    before = odd.read_bytes()
    assert en.trials_from(odd).configs == en.trials_from(study).configs
    assert odd.read_bytes() == before
    assert [p.name for p in folder.iterdir()] == ["st udy.sqlite3"]


def test_damaged_storages_are_refused(tmp_path: Path) -> None:
    journal = tmp_path / "broken.log"
    journal.write_text('{"op_code": 0, "worker_id": "x"}\n')
    with pytest.raises(en.errors.FormatError, match="complete Optuna journal"):
        en.trials_from(journal)
    base = tmp_path / "broken.db"
    base.write_bytes(b"SQLite format 3\0" + bytes(100))
    with pytest.raises(en.errors.FormatError, match=r"broken\.db"):
        en.trials_from(base)


def test_several_objectives_are_refused_unless_one_is_named() -> None:
    study = optuna.create_study(
        directions=["maximize", "minimize"], sampler=optuna.samplers.RandomSampler(seed=0)
    )

    def two(trial: optuna.Trial) -> tuple[float, float]:
        x = trial.suggest_float("x", 0, 1)
        return x, x**2

    study.optimize(two, n_trials=12)
    with pytest.raises(en.errors.InputError, match="several objectives"):
        en.trials_from(study)
    assert en.trials_from(study, objective=1).direction == "minimize"
    np.testing.assert_array_equal(
        en.trials_from(study, objective=0).objective, [t.values[0] for t in study.trials]
    )
    with pytest.raises(en.errors.InputError, match="from 0 to 1"):
        en.trials_from(study, objective=2)


def test_a_range_that_changed_between_trials_is_their_union() -> None:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))

    def growing(trial: optuna.Trial) -> float:
        high = 1.0 if trial.number < 8 else 10.0
        return trial.suggest_float("x", 0.5, high)

    study.optimize(growing, n_trials=16)
    space = en.trials_from(study).space
    assert (space["x"].low, space["x"].high) == (0.5, 10.0)


def test_an_enqueued_trial_outside_the_range_widens_it() -> None:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    fixed = optuna.distributions.FloatDistribution(0, 1)
    wide = optuna.distributions.FloatDistribution(0, 5)
    for i in range(11):
        study.add_trial(
            optuna.trial.create_trial(
                params={"x": 4.0 if i == 3 else 0.05 * i},
                distributions={"x": wide if i == 3 else fixed},
                value=float(i),
            )
        )
    assert en.trials_from(study).space["x"].high == 5.0


def test_values_that_are_not_of_their_distribution_are_levels() -> None:
    # A damaged storage gives such a trial; Optuna itself refuses to make one.
    wide = optuna.distributions.FloatDistribution(0, 5)
    space = unite_distributions([{"x": wide}] * 3, [{"x": 1.0}, {"x": "a"}, {"x": "b"}])
    assert space["x"].choices == (1.0, "a", "b")


def test_a_contradicted_direction_and_options_without_meaning_are_refused(
    study: optuna.Study,
    golden: Golden,
) -> None:
    with golden.raises(en.errors.InputError):
        en.trials_from(study, direction="minimize")
    with pytest.raises(en.errors.InputError, match="`status` does not apply"):
        en.trials_from(study, status="state")


def test_the_frame_of_a_study_is_read_as_the_study(study: optuna.Study) -> None:
    found = en.trials_from(study.trials_dataframe(), direction="maximize")
    expected = en.trials_from(study)
    np.testing.assert_array_equal(found.objective, expected.objective)
    assert (found.n_failed, found.n_pruned) == (1, 2)
    assert set(found.space.names) == set(expected.space.names)
    assert str(found.space["gamma"].condition) == "kernel is rbf"


def test_some_parameters_can_be_kept_and_unknown_ones_have_a_nearest(study: optuna.Study) -> None:
    assert en.trials_from(study, params=["model", "depth"]).space.names == ("model", "depth")
    with pytest.raises(en.errors.InputError, match="Did you mean 'depth'"):
        en.trials_from(study, params=["dept"])


def test_too_few_trials_are_refused_with_what_was_left_out(golden: Golden) -> None:
    with golden.raises(en.errors.InputError):
        en.trials_from(conditional(trials=10))


def test_a_fitted_search_with_a_study_is_read_by_its_study() -> None:
    study = conditional(trials=20)
    search = SimpleNamespace(study_=study, trials_=study.trials)  # as OptunaSearchCV has them
    assert en.trials_from(search).configs == en.trials_from(study).configs
