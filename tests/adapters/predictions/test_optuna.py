"""Predictions that an objective of Optuna kept come back as they were, trial by trial."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.artifacts import FileSystemArtifactStore

import earnest as en
from earnest.adapters import ATTRIBUTE
from earnest.errors import EvidenceError, FormatError, InputError
from tests.adapters.studies import open_database
from tests.snapshots import Golden

optuna.logging.set_verbosity(optuna.logging.ERROR)

Y = np.tile([0, 1], 30)
NOISE = np.random.default_rng(5).standard_normal(60)  # seed 5
FOLD = np.arange(60) // 2 % 5


def score_of(skill: float) -> np.ndarray:
    return skill * Y + NOISE


def folds() -> Iterator[np.ndarray]:
    for fold in range(5):
        yield np.flatnonzero(fold == FOLD)


def objective(store: Any, each: Callable[[Any, int], None] | None = None) -> Any:
    def run(trial: optuna.Trial) -> float:
        score = score_of(trial.suggest_float("skill", 0.0, 2.0))
        for fold, rows in enumerate(folds()):
            if each is not None:
                each(trial, fold)
            en.keep_predictions(trial, rows, score[rows], store=store)
        return float(score[Y == 1].mean() - score[Y == 0].mean())

    return run


def studied(store: Any, trials: int = 6, sampler: Any = None, **options: Any) -> optuna.Study:
    study = optuna.create_study(
        direction="maximize",
        sampler=sampler or optuna.samplers.TPESampler(seed=1),
        storage=options.pop("storage", None),
    )
    study.optimize(objective(store, options.pop("each", None)), n_trials=trials, **options)
    return study


def kept_in(journal: Path) -> Any:
    """A storage that is quick to make, unlike a database."""
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    return JournalStorage(JournalFileBackend(str(journal)))


def test_every_column_is_what_its_trial_predicted(tmp_path: Path) -> None:
    study = studied(tmp_path)
    pi = en.predictions_from(study, Y, store=tmp_path)
    for trial in study.trials:
        column = pi.configs.index(f"trial {trial.number}")
        np.testing.assert_array_equal(pi.responses[:, column, 0], score_of(trial.params["skill"]))
    assert pi.configs.params == tuple(t.params for t in study.trials)
    np.testing.assert_array_equal(pi.folds[:, 0], FOLD)
    assert pi.remarks == ()


def test_trials_and_predictions_are_of_the_same_study(tmp_path: Path) -> None:
    study = studied(tmp_path, trials=10)
    trials, pi = en.trials_from(study), en.predictions_from(study, Y, store=tmp_path)
    assert len(trials) == pi.n_configs
    means = [pi.responses[Y == 1, c, 0].mean() - pi.responses[Y == 0, c, 0].mean() for c in (0, 3)]
    np.testing.assert_allclose([trials.objective[0], trials.objective[3]], means, rtol=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_threads_do_not_mix_up_trials(n_jobs: int, tmp_path: Path) -> None:
    study = studied(tmp_path, trials=9, n_jobs=n_jobs)
    pi = en.predictions_from(study, Y, store=tmp_path)
    for column, params in enumerate(pi.configs.params or ()):
        np.testing.assert_array_equal(pi.responses[:, column, 0], score_of(params["skill"]))


def test_processes_may_share_a_study_and_a_folder(tmp_path: Path) -> None:
    journal = tmp_path / "journal.log"
    optuna.create_study(study_name="shared", storage=kept_in(journal))
    code = textwrap.dedent(
        f"""
        import numpy as np, optuna, earnest as en
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend
        storage = JournalStorage(JournalFileBackend({str(journal)!r}))
        study = optuna.load_study(study_name="shared", storage=storage)
        def objective(trial):
            skill = trial.suggest_float("skill", 0, 2)
            for k in range(2):
                rows = np.arange(k, 20, 2)
                en.keep_predictions(trial, rows, skill + rows, store={str(tmp_path / "kept")!r})
            return skill
        study.optimize(objective, n_trials=4)
        """
    )
    worker = subprocess.Popen([sys.executable, "-c", code])
    exec(code, {})  # the other process is this one
    assert worker.wait() == 0
    pi = en.predictions_from(journal, np.arange(20.0), store=tmp_path / "kept", task="regression")
    assert pi.n_configs == 8
    for column, params in enumerate(pi.configs.params or ()):
        np.testing.assert_allclose(pi.responses[:, column, 0], params["skill"] + np.arange(20))


def test_an_artifact_store_gives_the_same_as_a_folder(tmp_path: Path) -> None:
    (tmp_path / "artifacts").mkdir()
    store = FileSystemArtifactStore(tmp_path / "artifacts")
    a = en.predictions_from(studied(store), Y, store=store)
    b = en.predictions_from(studied(tmp_path / "kept"), Y, store=tmp_path / "kept")
    assert a.fingerprint == b.fingerprint


def test_storages_are_read_by_url_file_and_journal(tmp_path: Path) -> None:
    database = tmp_path / "study.db"
    with open_database(database) as storage:
        studied(tmp_path / "a", storage=storage)
    journal = tmp_path / "journal.log"
    studied(tmp_path / "b", storage=kept_in(journal))
    found = [
        en.predictions_from(f"sqlite:///{database}", Y, store=tmp_path / "a"),
        en.predictions_from(database, Y, store=tmp_path / "a"),
        en.predictions_from(journal, Y, store=tmp_path / "b"),
    ]
    assert len({pi.fingerprint for pi in found}) == 1


# ---- a search that learned, and one that did not


@pytest.mark.parametrize(
    ("sampler", "static"),
    [
        (optuna.samplers.TPESampler(seed=0), False),
        (optuna.samplers.RandomSampler(seed=0), True),
        (optuna.samplers.GridSampler({"skill": [0.1, 0.5, 1.0, 1.5, 1.8, 2.0]}), True),
    ],
)
def test_what_the_sampler_was_is_known_after_loading(
    sampler: Any, static: bool, tmp_path: Path
) -> None:
    journal = tmp_path / "journal.log"
    studied(tmp_path, sampler=sampler, storage=kept_in(journal))
    pi = en.predictions_from(journal, Y, store=tmp_path)  # which has the usual sampler
    assert pi.configs.static is static
    codes = {c.code for c in en.estimate(pi, metric="roc_auc", rng=0, n_resamples=100).cautions}
    assert ("EN006" in codes) is not static


def test_one_trial_of_a_sampler_that_learns_makes_the_search_dynamic(tmp_path: Path) -> None:
    study = studied(tmp_path, sampler=optuna.samplers.RandomSampler(seed=0))
    study.sampler = optuna.samplers.TPESampler(seed=0)
    study.optimize(objective(tmp_path), n_trials=1)
    study.sampler = optuna.samplers.RandomSampler(seed=0)
    assert not en.predictions_from(study, Y, store=tmp_path).configs.static
    assert en.predictions_from(study, Y, store=tmp_path, static=True).configs.static


# ---- trials that did not come to an end


def test_pruned_and_failed_trials_lack_predictions_and_are_told_of(tmp_path: Path) -> None:
    def accident(trial: Any, fold: int) -> None:
        if trial.number == 2 and fold == 3:
            raise optuna.TrialPruned
        if trial.number == 4 and fold == 0:
            raise ArithmeticError

    study = studied(tmp_path, each=accident, catch=(ArithmeticError,))
    pi = en.predictions_from(study, Y, store=tmp_path)
    assert pi.complete.tolist() == [True, True, False, True, False, True]
    assert np.isnan(pi.responses[:, 2, 0]).sum() == 24  # two of five folds of twelve cases
    made = en.estimate(pi, metric="roc_auc", rng=0, n_resamples=100)
    assert made.n_configs == 4
    assert {"EN012", "EN051"} <= {c.code for c in made.cautions}
    assert "1 of 6 trials were pruned" in pi.remarks[0].what


def test_a_completed_trial_that_kept_nothing_is_cautioned_of(tmp_path: Path) -> None:
    study = studied(tmp_path)
    study.optimize(lambda trial: trial.suggest_float("skill", 0, 2), n_trials=2)
    pi = en.predictions_from(study, Y, store=tmp_path)
    (remark,) = pi.remarks
    assert remark.code == "EN100"
    assert "6, 7" in remark.what
    assert "EN100" in {c.code for c in en.estimate(pi, metric="roc_auc", rng=0).cautions}


def test_predictions_that_are_not_finite_are_a_fold_without_any(tmp_path: Path) -> None:
    study = studied(tmp_path, trials=2)
    trial = study.ask()
    for fold, rows in enumerate(folds()):
        answer = np.full(len(rows), np.nan if fold == 1 else 0.5)
        en.keep_predictions(trial, rows, answer, store=tmp_path)
    study.tell(trial, 0.0)
    pi = en.predictions_from(study, Y, store=tmp_path)
    assert pi.complete.tolist() == [True, True, False]


def test_a_retried_trial_does_not_inherit_files(tmp_path: Path) -> None:
    study = studied(tmp_path, trials=2)
    first = study.trials[0]
    study.add_trial(
        optuna.trial.create_trial(
            params=first.params,
            distributions=first.distributions,
            value=1.0,
            user_attrs=first.user_attrs,  # as RetryFailedTrialCallback copies them
        )
    )
    pi = en.predictions_from(study, Y, store=tmp_path)
    assert np.isnan(pi.responses[:, 2]).all()
    assert pi.remarks[0].code == "EN100"


def test_a_fold_that_is_reported_again_counts_once_and_last(tmp_path: Path) -> None:
    study = optuna.create_study()
    trial = study.ask()
    for rows in folds():
        en.keep_predictions(trial, rows, np.zeros(len(rows)), store=tmp_path)
        en.keep_predictions(trial, rows[::-1], score_of(1.0)[rows[::-1]], store=tmp_path)
    study.tell(trial, 0.0)
    pi = en.predictions_from(study, Y, store=tmp_path)
    np.testing.assert_array_equal(pi.responses[:, 0, 0], score_of(1.0))


# ---- shapes


def told(store: Path, parts: list[list[tuple[Any, Any]]]) -> optuna.Study:
    """A study with a trial for each list of (rows, predictions)."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    for one in parts:
        trial = study.ask()
        for rows, answer in one:
            en.keep_predictions(trial, rows, answer, store=store)
        study.tell(trial, 0.0)
    return study


def test_repeated_folds_become_repeats(tmp_path: Path) -> None:
    first = [(np.arange(0, 20), np.zeros(20)), (np.arange(20, 40), np.ones(20))]
    second = [(np.arange(0, 40, 2), np.full(20, 2.0)), (np.arange(1, 40, 2), np.full(20, 3.0))]
    pi = en.predictions_from(told(tmp_path, [first + second] * 2), np.arange(40.0), store=tmp_path)
    assert (pi.n_repeats, pi.n_folds, pi.n_configs) == (2, 2, 2)
    assert pi.responses[1, 0].tolist() == [0.0, 3.0]


def test_one_hold_out_set_leaves_the_other_cases_untested(tmp_path: Path) -> None:
    held = [(np.arange(40, 60), score_of(1.0)[40:])]
    pi = en.predictions_from(told(tmp_path, [held, held]), Y, store=tmp_path)
    assert pi.tested(0).sum() == 20
    assert en.estimate(pi, metric="roc_auc", rng=0, n_resamples=100).n_cases == 20


def test_columns_of_classes_and_labels_are_kept(tmp_path: Path) -> None:
    y = np.array(["a", "b", "ü"] * 4)
    proba = np.tile(np.eye(3) * 0.4 + 0.2, (4, 1))
    rows = [np.arange(6), np.arange(6, 12)]
    many = told(tmp_path, [[(r, proba[r]) for r in rows]])
    pi = en.predictions_from(many, y, store=tmp_path)
    assert pi.responses.shape == (12, 1, 1, 3)
    words = told(tmp_path, [[(r, y[r]) for r in rows], [(r, list(y[::-1][r])) for r in rows]])
    labels = en.predictions_from(words, y, store=tmp_path)
    assert labels.kind == "label"
    assert en.estimate(labels, metric="accuracy", method="naive").value == 1.0


def test_two_columns_of_a_binary_task_are_one_score(tmp_path: Path) -> None:
    p = 1 / (1 + np.exp(-NOISE))
    both = [(r, np.column_stack([1 - p, p])[r]) for r in folds()]
    pi = en.predictions_from(told(tmp_path, [both]), Y, store=tmp_path)
    np.testing.assert_allclose(pi.responses[:, 0, 0], p, rtol=1e-12)


# ---- refusals


def test_trials_with_other_folds_are_refused(tmp_path: Path) -> None:
    parts = [[(np.arange(0, 60, 2), NOISE[:30])], [(np.arange(30), NOISE[:30])]]
    with pytest.raises(EvidenceError, match=r"different folds.*random_state"):
        en.predictions_from(told(tmp_path, parts), Y, store=tmp_path)


def test_several_objectives_are_read_as_one_study(tmp_path: Path) -> None:
    study = optuna.create_study(directions=["maximize", "minimize"])
    single = objective(tmp_path)
    study.optimize(lambda trial: (single(trial), trial.params["skill"]), n_trials=3)
    pi = en.predictions_from(study, Y, store=tmp_path)
    assert (pi.n_configs, pi.configs.static) == (3, False)


def test_a_folder_of_artifacts_is_read_as_that_folder(tmp_path: Path) -> None:
    study = studied(FileSystemArtifactStore(tmp_path), trials=2)
    by_store = en.predictions_from(study, Y, store=FileSystemArtifactStore(tmp_path))
    assert en.predictions_from(study, Y, store=tmp_path).fingerprint == by_store.fingerprint


def test_a_study_without_predictions_says_what_to_call(tmp_path: Path) -> None:
    study = optuna.create_study()
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    for given in ({}, {"y": Y}, {"y": Y, "store": tmp_path}):  # before anything else is asked for
        with pytest.raises(EvidenceError, match=r"keep_predictions.*enqueue_trial"):
            en.predictions_from(study, **given)


def test_a_study_without_predictions_is_run_again_trial_by_trial(tmp_path: Path) -> None:
    old = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
    old.optimize(lambda trial: trial.suggest_float("skill", 0.0, 2.0), n_trials=5)
    new = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
    for trial in old.trials:
        new.enqueue_trial(trial.params)
    new.optimize(objective(tmp_path), n_trials=len(old.trials))
    pi = en.predictions_from(new, Y, store=tmp_path)
    assert list(pi.configs.params or ()) == [trial.params for trial in old.trials]


@pytest.mark.parametrize("longer", [1, 60])
def test_an_outcome_of_more_cases_than_were_tested_is_cautioned(
    longer: int, tmp_path: Path
) -> None:
    study = studied(tmp_path, trials=2)
    given = np.append(Y, np.tile([0, 1], 30)[:longer])
    pi = en.predictions_from(study, given, store=tmp_path)
    assert [caution.code for caution in pi.remarks] == ["EN059"]
    assert f"{60 + longer} cases" in pi.remarks[0].what
    assert en.predictions_from(study, Y, store=tmp_path).remarks == ()


def test_a_hold_out_set_and_splits_in_time_are_not(tmp_path: Path) -> None:
    rows = np.arange(40, 60)  # the rest was trained on
    study = told(tmp_path, [[(rows, score_of(1.0)[rows])], [(rows, score_of(0.5)[rows])]])
    assert en.predictions_from(study, Y, store=tmp_path).remarks == ()


def test_what_is_missing_or_means_nothing_is_said(tmp_path: Path, golden: Golden) -> None:
    study = studied(tmp_path, trials=2)
    with golden.raises(InputError):
        en.predictions_from(study, store=tmp_path)
    with pytest.raises(InputError, match="`store` is missing"):
        en.predictions_from(study, Y)
    with pytest.raises(InputError, match="`y` has fewer cases"):
        en.predictions_from(study, Y[:50], store=tmp_path)
    with pytest.raises(InputError, match="`ensembles` does not apply"):
        en.predictions_from(study, Y, store=tmp_path, ensembles=True)
    with pytest.raises(InputError, match="`store` is not a folder"):
        en.predictions_from(study, Y, store=tmp_path / "elsewhere")
    with pytest.raises(FormatError, match="not in the store"):
        en.predictions_from(study, Y, store=Path(__file__).parent)
    artifacts = FileSystemArtifactStore(tmp_path)
    with pytest.raises(FormatError, match="not in the store"):
        en.predictions_from(told(tmp_path, [[([0], [1.0])]]), Y, store=_emptied(artifacts))


def _emptied(store: FileSystemArtifactStore) -> FileSystemArtifactStore:
    for path in store._base_path.iterdir():
        path.unlink()
    return store


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    study = studied(tmp_path, trials=2)
    file = next(tmp_path.glob("*.npz"))
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(FormatError, match="all of its files"):
        en.predictions_from(study, Y, store=tmp_path)


def test_a_study_cannot_name_files_outside_the_folder(tmp_path: Path) -> None:
    study = studied(tmp_path / "kept", trials=1)
    trial = study.ask()
    np.savez(tmp_path / "other.npz", rows=[0], answer=[1.0])
    note = {"trial": trial.number, "sampler": "RandomSampler", "files": ["../other.npz"]}
    trial.set_user_attr(ATTRIBUTE, note)
    study.tell(trial, 0.0)
    with pytest.raises(FormatError, match="not in the store"):
        en.predictions_from(study, Y, store=tmp_path / "kept")


def test_a_pickle_within_a_file_is_not_read(tmp_path: Path) -> None:
    study = studied(tmp_path, trials=1)
    file = next(tmp_path.glob("*.npz"))
    np.savez(file, rows=np.arange(12), answer=np.array([print] * 12, dtype=object))
    with pytest.raises(FormatError, match="not in the store"):
        en.predictions_from(study, Y, store=tmp_path)


@pytest.mark.parametrize(
    ("rows", "answer", "words"),
    [
        ([0, 1], [0.5], "differ in length"),
        ([True, False], [0.5, 0.5], "flatnonzero"),
        ([0, 0], [0.5, 0.5], "twice"),
        ([], [], "not row numbers"),
        ([-1, 0], [0.5, 0.5], "not row numbers"),
        ([0.0, 1.0], [0.5, 0.5], "not row numbers"),
        ([0, 1], np.zeros((2, 2, 2)), "differ in length"),
    ],
)
def test_bad_reports_are_refused_and_leave_nothing(
    rows: Any, answer: Any, words: str, tmp_path: Path
) -> None:
    trial = optuna.create_study().ask()
    with pytest.raises(InputError, match=words):
        en.keep_predictions(trial, rows, answer, store=tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert ATTRIBUTE not in trial.user_attrs


def test_what_is_no_trial_or_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a trial"):
        en.keep_predictions(7, [0], [1.0], store=tmp_path)
    with pytest.raises(InputError, match="cannot hold predictions"):
        en.keep_predictions(optuna.create_study().ask(), [0], [1.0], store=7)


def test_unlike_widths_are_refused(tmp_path: Path) -> None:
    parts = [[(np.arange(30), np.ones((30, 3)) / 3), (np.arange(30, 60), np.ones((30, 2)) / 2)]]
    with pytest.raises(InputError, match=r"different shapes.*zeros"):
        en.predictions_from(told(tmp_path, parts), Y, store=tmp_path)
