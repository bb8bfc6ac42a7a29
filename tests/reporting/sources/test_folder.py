"""The report of a tuning is made from memory, and says what its folder would say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import earnest as en
from earnest.cli.show.tune import show_tuned
from earnest.core import Standing
from earnest.methods import BBC
from earnest.results import Counts
from earnest.training.tune import job as tune_job
from tests.snapshots import Golden
from tests.training.tune_tables import PORTFOLIO, of

QUICK = {"target": "relapse", "folds": 3, "rng": 7, "n_jobs": 1, "n_configs": 12}


def tuned(folder: Path, **options: object) -> en.results.Tuned:
    """Tune up to twelve configurations, which are enough that the report explains the search."""
    (folder / "twelve.toml").write_text(
        PORTFOLIO.replace("[1.0, 0.1, 0.01]", "[1.0, 0.3, 0.1, 0.03, 0.01, 0.003]").replace(
            "[0.1, 1.0]", "[0.01, 0.03, 0.1, 0.3, 1.0, 3.0]"
        )
    )
    given = {**QUICK, "portfolio": str(folder / "twelve.toml"), "out": folder / "run"}
    return en.tune(of("relapse"), **{**given, **options})


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> en.results.Tuned:
    """A tuning with its folder."""
    return tuned(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def told(plain: en.results.Tuned) -> en.results.Report:
    """The report of its folder, with the explanation of the search."""
    return en.report(plain.folder)


def write_forms(made: en.results.Report) -> tuple[str, str, str]:
    """Return a report in its three forms."""
    return made.to_html(), made.to_json(), made.to_markdown()


def write_everything(source: object) -> tuple[str, str, str]:
    """Return the three forms of a report without the explanation, the dear part of it."""
    return write_forms(en.report(source, explain=False))


def test_a_report_from_memory_has_the_bytes_of_one_from_the_folder(
    plain: en.results.Tuned, told: en.results.Report
) -> None:
    assert told.content.learned is not None
    assert write_forms(en.report(plain)) == write_forms(told)


# What the others have of their own is in the folder of every run; they are slow.
@pytest.mark.parametrize(
    "options",
    [
        {"drop": "bced", "folds": 5, "n_configs": 6},
        pytest.param({"n_configs": 1}, marks=pytest.mark.slow),
        pytest.param({"repeats": 2, "n_configs": 3}, marks=pytest.mark.slow),
    ],
    ids=["dropping", "one configuration", "repeats"],
)
def test_so_has_that_of_every_kind_of_tuning(tmp_path: Path, options: dict[str, object]) -> None:
    found = tuned(tmp_path, **options)
    assert found.folder is not None
    assert write_everything(found) == write_everything(found.folder)


class EarlyClock(tune_job.Clock):
    """Ends a run of five configurations after one fold of the last."""

    @property
    def has_enough(self) -> bool:
        return self._left == self.fits - 1


def run_out_of_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> en.results.Tuned:
    """Tune five configurations, the last of which is not finished."""
    with monkeypatch.context() as patched:
        patched.setattr(
            tune_job, "Clock", lambda **facts: EarlyClock(**{**facts, "deadline": -1.0})
        )
        return tuned(folder, n_configs=5)


def test_a_configuration_whose_time_ran_out_is_incomplete_and_not_dropped(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    golden: Golden,
) -> None:
    short = run_out_of_time(tmp_path, monkeypatch)
    content = en.report(short, explain=False).content
    facts = dict(next(part.rows for part in content.answer.facts if part.title == "Search"))
    assert content.audit is not None
    assert [row.status for row in content.audit.rows].count("incomplete") == 1
    assert short.counts == Counts(planned=5, tried=5, complete=4)
    words = "5 configurations: 4 on every fold, 1 incomplete"
    assert facts["Tried"] == words
    show_tuned(short)
    terminal = " ".join(capsys.readouterr().out.split())
    assert words in terminal  # where it said 4, and the page 5
    golden.check_sentence(terminal, "The search tried")
    for source in (short, short.folder):
        assert en.report(source, explain=False).content.results["counts"] == short.counts.to_dict()
    assert facts["Fits"] == f"{short.n_fits:,} (nested: {short.n_fits_nested:,})"
    whole = len(short.predictions.configs.ids) * short.folds
    assert short.n_fits > whole + 1  # the unfinished one's too, and the delivered model's


@pytest.mark.slow
def test_so_it_has_of_a_run_that_was_resumed_or_ran_out_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ordinary form is test_a_report_from_memory_has_the_bytes_of_one_from_the_folder."""
    short = run_out_of_time(tmp_path, monkeypatch)
    assert len(short.predictions.configs.ids) < 5
    assert write_everything(short) == write_everything(short.folder)
    whole = tuned(tmp_path, n_configs=5, resume=True)
    assert len(whole.predictions.configs.ids) == 5
    assert write_everything(whole) == write_everything(whole.folder)


def test_a_tuning_without_a_folder_can_be_reported(tmp_path: Path, told: en.results.Report) -> None:
    with_files, without = told.content, en.report(tuned(tmp_path, out=None)).content
    assert replace(without.answer, advice=()) == replace(with_files.answer, advice=())
    advice = {each.key: " ".join(each.words) for each in with_files.answer.advice}
    assert "model.skops" in advice["use"]
    assert without.rivals == with_files.rivals
    assert without.audit is not None
    assert [row.config for row in without.audit.rows] == [
        row.config for row in with_files.audit.rows
    ]
    assert "learned" not in without.absent


def test_shares_of_won_resamples_are_those_of_the_estimate(
    plain: en.results.Tuned, told: en.results.Report
) -> None:
    shares = dict(zip(plain.predictions.configs.ids, plain.estimate.details.win_share, strict=True))
    assert {row.config: row.share for row in told.content.audit.rows} == shares


def test_one_question_has_one_answer_in_every_place(
    plain: en.results.Tuned, told: en.results.Report
) -> None:
    found, content = plain, told.content
    assert content.rivals is not None
    assert content.audit is not None
    counts = dict(content.audit.counts)
    assert len(content.rivals.not_worse) == int(counts.get(Standing.NOT_WORSE, 0))
    assert len(content.rivals.not_worse) + 1 == found.n_not_worse
    winner = next(row for row in content.audit.rows if row.status == "winner")
    assert winner.value == pytest.approx(found.estimate.naive)
    assert winner.label == winner.config == found.winner.name  # one name, in files and on the page
    assert not content.audit.with_ids
    assert content.audit.with_models


def test_a_report_of_a_search_runs_bbc_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.datasets import load_breast_cancer
    from sklearn.tree import DecisionTreeClassifier

    runs = []
    told = BBC.__call__
    monkeypatch.setattr(BBC, "__call__", lambda self, call: runs.append(1) or told(self, call))
    X, y = load_breast_cancer(return_X_y=True)
    search = en.SearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3]},
        scoring="roc_auc",
        cv=3,
        random_state=7,
    ).fit(X[:120], y[:120])
    made = en.report(search, explain=False)
    assert len(runs) == 1
    assert made.content.results["estimate"] == search.estimate_.to_dict()
    listed = made.content.results["methods"]["estimates"]
    assert [one for one in listed if one["method"] == "bbc"] == [search.estimate_.to_dict()]
