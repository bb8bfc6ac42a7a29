"""scikit-learn's own tests of its searches, run through `SearchCV`.

The file of tests is that of the installed scikit-learn, read where it lies: pytest collects it in a
process of its own, with this module as a plugin. While the file is imported, its `GridSearchCV` and
`RandomizedSearchCV` are the two classes below; all the rest is scikit-learn's.

A test that asks for scikit-learn's own words is run a second time with every `match` of
`pytest.raises` and `pytest.warns` left out, so that its types, numbers and warnings still count.

    python -m tests.peers.sklearn_search          the count, and every test that does not pass
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.model_selection

from earnest import SearchCV

ROOT = Path(__file__).parents[2]
OWN, ANY = "own words", "any words"

# Why a test is not passed. One of wording must pass once the words are left out.
WORDING = {
    "test_grid_search_bad_param_grid": "the text of a TypeError and of a ValueError",
    "test_refit_callable_invalid_type": "the text of a TypeError",
    "test_refit_callable_out_bound": "the text of an IndexError",
    "test_grid_search_failing_classifier": "the text of a FitFailedWarning",
    "test_grid_search_classifier_all_fits_fail": "the text of a ValueError",
    "test_empty_cv_iterator_error": "the text of a ValueError",
    "test_random_search_bad_cv": "the text of a ValueError",
    "test_callable_multimetric_error_on_invalid_key": "the text of a ValueError",
    "test_callable_multimetric_error_failing_clf": "the text of a FitFailedWarning",
    "test_callable_multimetric_clf_all_fits_fail": "the text of a ValueError",
    "test_score_rejects_params_with_no_routing_enabled": "the text of a ValueError",
}
OTHERWISE = {
    "test_no_refit": "reads the text of the cause of an AttributeError with `in`",
    "test_custom_run_search": "compares every public attribute, and SearchCV has more of them",
    "test_search_cv_verbose_3": "verbose shows a bar with the time left, not a line for each fit",
}
GONE = {  # of older versions only
    "test_inverse_transform_Xt_deprecation": "a name of an argument that 1.7 removed",
}
LISTED = {**WORDING, **OTHERWISE, **GONE}
DEAR = (  # that fit boosted trees, forests and large grids: three quarters of the time of the file
    "test_grid_search_cv_splits_consistency",
    "test_random_search_cv_results_multimetric",
    "test_grid_search_cv_results_multimetric",
    "test_grid_search_with_multioutput_data",
    "test_grid_search_sparse_scoring",
    "test_grid_search_sparse",
    "test_grid_search_correct_score_results",
    "test_n_features_in",
    "test_search_with_2d_array",
    "test_cv_results_dtype_issue_29074",
    "test_cv_results_multi_size_array",
    "test_search_cv_sample_weight_equivalence",
    "test_unsupported_sample_weight_scorer",
    "test_search_html_repr",
    "test_unsupervised_grid_search",
)


class GridSearchCV(SearchCV):
    """`SearchCV` with the arguments of scikit-learn's GridSearchCV."""

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        n_jobs: Any = None,
        refit: Any = True,
        cv: Any = None,
        verbose: Any = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: Any = False,
    ) -> None:
        super().__init__(
            estimator,
            param_grid=param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )


class RandomizedSearchCV(SearchCV):
    """`SearchCV` with the arguments of scikit-learn's RandomizedSearchCV."""

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_iter: Any = None,  # 10 in scikit-learn: so must be what SearchCV does by itself
        scoring: Any = None,
        n_jobs: Any = None,
        refit: Any = True,
        cv: Any = None,
        verbose: Any = 0,
        pre_dispatch: Any = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: Any = False,
    ) -> None:
        super().__init__(
            estimator,
            param_distributions=param_distributions,
            n_iter=n_iter,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            random_state=random_state,
            error_score=error_score,
            return_train_score=return_train_score,
        )


OURS = {"GridSearchCV": GridSearchCV, "RandomizedSearchCV": RandomizedSearchCV}


def find_tests() -> Path:
    """Return the file of tests of the installed scikit-learn."""
    found = find_spec("sklearn.model_selection.tests.test_search")
    if found is None or found.origin is None:
        raise FileNotFoundError(
            f"scikit-learn {sklearn.__version__} is installed without its tests, which every wheel "
            "has. Install it from a wheel."
        )
    return Path(found.origin)


@dataclass(frozen=True)
class Outcome:
    """What became of one test: its function, its whole name, the words, and how it ended."""

    function: str
    name: str
    words: str
    ended: str
    text: str


def run_tests(*, dear: bool = True) -> list[Outcome]:
    """Run scikit-learn's file in a process of its own, with its dear tests or without them."""
    path = find_tests()
    home = str(path.parents[2])
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        given = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "PEERS_REPORT": str(report),
            "PYTEST_ADDOPTS": "",
            "PEERS_LEFT_OUT": "" if dear else " ".join(DEAR),
        }
        for name in [name for name in given if name.startswith("PYTEST_XDIST")]:
            del given[name]
        command = [sys.executable, "-m", "pytest", str(path), "-c", os.devnull, "-q", "--tb=native"]
        command += [f"--rootdir={home}", f"--confcutdir={home}", "-p", "no:cacheprovider"]
        command += ["-p", "tests.peers.sklearn_search", "-W", "ignore"]
        done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1) or not report.exists():
            raise RuntimeError(f"pytest could not run {path}:\n{done.stdout}\n{done.stderr}")
        return [Outcome(**json.loads(line)) for line in report.read_text().splitlines()]


def list_surprises(outcomes: list[Outcome]) -> list[str]:
    """Return what is not as the tables above say: one line each."""
    said = []
    by_function: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_function.setdefault(outcome.function, []).append(outcome)
    for function, those in by_function.items():
        own = [one for one in those if one.words == OWN and one.ended == "failed"]
        if function not in LISTED:
            said += [f"{one.name} fails:\n{one.text}" for one in own]
        elif not own and any(one.ended == "passed" for one in those):
            said.append(f"{function} passes: take it from the table")
        said += [
            f"{one.name} fails in {ANY}:\n{one.text}"
            for one in those
            if one.words == ANY and one.ended == "failed"
        ]
    return said


# ---------------------------------------------------------------- the plugin, in the other process


class _AnyWords:
    """`pytest` as a module under test sees it, that can leave out what messages must match."""

    off = False

    def __getattr__(self, name: str) -> Any:
        return getattr(pytest, name)

    def raises(self, *given: Any, **options: Any) -> Any:
        return pytest.raises(*given, **self._without(options))  # noqa: PT010  # whatever is given

    def warns(self, *given: Any, **options: Any) -> Any:
        return pytest.warns(*given, **self._without(options))

    def _without(self, options: dict[str, Any]) -> dict[str, Any]:
        return {
            name: value for name, value in options.items() if not (self.off and name == "match")
        }


_WORDS = _AnyWords()
_THEIRS = {name: getattr(sklearn.model_selection, name) for name in OURS}


def pytest_configure(config: pytest.Config) -> None:
    """Let the file import our searches."""
    for name, search in OURS.items():
        setattr(sklearn.model_selection, name, search)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Give scikit-learn its searches back, once the file has been imported."""
    for name, search in _THEIRS.items():
        setattr(sklearn.model_selection, name, search)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the tests that are not asked for."""
    left_out = os.environ.get("PEERS_LEFT_OUT", "").split()
    items[:] = [item for item in items if getattr(item, "originalname", None) not in left_out]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests of wording twice."""
    metafunc.module.pytest = _WORDS
    words = [OWN, ANY] if metafunc.function.__name__ in WORDING else [OWN]
    metafunc.fixturenames.append("words")
    metafunc.parametrize("words", words)


def pytest_runtest_call(item: pytest.Function) -> None:
    """Leave messages out of what is compared, where that is asked for."""
    _WORDS.off = item.callspec.params["words"] == ANY


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Function) -> Iterator[None]:
    """Write down how each test ended."""
    report = yield
    if os.environ.get("PEERS_REPORT") and (report.when == "call" or report.outcome != "passed"):
        line = {
            "function": item.originalname,
            "name": item.name,
            "words": item.callspec.params["words"],
            "ended": report.outcome,
            "text": report.longreprtext[-2000:],
        }
        with Path(os.environ["PEERS_REPORT"]).open("a") as file:
            file.write(json.dumps(line) + "\n")
    return report


def main() -> int:
    """Print the count, and every test that does not pass with the reason."""
    outcomes = run_tests()
    own = [one for one in outcomes if one.words == OWN]
    ended = {how: sum(one.ended == how for one in own) for how in ("passed", "failed", "skipped")}
    print(f"scikit-learn {sklearn.__version__}: {ended}")
    for function, why in sorted(LISTED.items()):
        failed = sum(one.function == function and one.ended == "failed" for one in own)
        if failed:
            print(f"  {failed} of {function}: {why}")
    surprises = list_surprises(outcomes)
    print("\n".join(surprises))
    return len(surprises) > 0


if __name__ == "__main__":
    sys.exit(main())
