"""Fold scores of scikit-learn: `cv_results_`, fitted searches that have it, `cross_validate`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.readers import EARLY, LATE, FoldScoresReader, register
from earnest.adapters.trials.scored import SINGLE, ScoreName, score_names
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.cautions import of_search
from earnest.core.data.fold_scores import FoldScores, SplitFacts
from earnest.core.data.predictions import Configs
from earnest.core.results.cautions import Caution
from earnest.core.text.names import simplify_values

Results = Mapping[str, Any]  # columns of many types, as scikit-learn has them
SPLIT = re.compile(r"split(\d+)_test_(.+)")
TEST = "test_"  # of what `cross_validate` returns
ADAPTIVE = ("Bayes", "Optuna", "TPE", "Halving")  # classes that propose by scores
CLASSIFIER, REGRESSOR = "accuracy", "r2"  # what `score` of such an estimator is


def is_cv_results(source: object) -> bool:
    """Tell whether this is the dict of a search's results."""
    return (
        isinstance(source, Mapping)
        and "params" in source
        and any(SPLIT.fullmatch(str(key)) or str(key).startswith("mean_test_") for key in source)
    )


def is_cv_search(source: object) -> bool:
    """Tell whether this is a fitted search of another library."""
    return is_cv_results(getattr(source, "cv_results_", None))


def is_unfitted(source: object) -> bool:
    """Tell whether this is a search of scikit-learn's kind that is not fitted yet."""
    kinds = {kind.__name__ for kind in type(source).__mro__}
    return "BaseSearchCV" in kinds and not hasattr(source, "cv_results_")


def refuse_unfitted(search: object) -> FoldScores:
    """Refuse a search that has no results yet."""
    raise InputError(
        f"this {type(search).__name__} is not fitted",
        needs="a fitted search",
        cure="Call its `fit` first; earnest.SearchCV in its place also keeps the predictions.",
    )


def is_cross_validated(source: object) -> bool:
    """Tell whether this is what `cross_validate` returns."""
    return (
        isinstance(source, Mapping)
        and "fit_time" in source
        and any(str(key).startswith(TEST) for key in source)
    )


def read_cross_validated(results: Results) -> FoldScores:
    """Read what `cross_validate` returns of one model."""
    keys = [str(key).removeprefix(TEST) for key in results if str(key).startswith(TEST)]
    facts = SplitFacts(assumed=True)
    rows = {key: np.asarray(results[TEST + key], dtype=np.float64)[None] for key in keys}
    configs = Configs(ids=("model",))
    return unite(rows, score_names(keys, None, None), configs, facts, usual=None)


def read_fitted_search(search: Any) -> FoldScores:
    """Read a fitted search: grid, random, halving, of scikit-optimize and the like."""
    results: Results = search.cv_results_
    keys = list_scores(results)
    scorer, scoring = getattr(search, "scorer_", None), getattr(search, "scoring", None)
    names = score_names(keys, scorer, scoring)
    if scoring is None and names.keys() == {SINGLE}:
        names = {SINGLE: ScoreName(_find_usual(getattr(search, "estimator", None)))}
    refit = getattr(search, "refit", None)
    kind = type(search).__name__
    remarks: list[Caution] = []
    best = getattr(search, "best_index_", None)
    facts = read_splits(getattr(search, "cv", None), _count_splits(results, keys))
    scores = read_results(
        results,
        names=names,
        usual=refit if isinstance(refit, str) else None,
        splits=facts,
        static=not any(word in kind for word in ADAPTIVE),
    )
    if callable(refit) and isinstance(best, int | np.integer):
        winner = simplify_values([dict(results["params"][int(best)])])[0]
        remarks.append(of_search.another_rule(_write(winner)))
    return replace(scores, remarks=(*scores.remarks, *remarks))


def _write(config: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in config.items())


def _find_usual(estimator: object) -> str:
    """Return what an estimator's own `score` measures."""
    for _ in range(10):
        steps = getattr(estimator, "steps", None)
        if not steps:
            break
        estimator = steps[-1][1]
    kind = getattr(estimator, "_estimator_type", None)
    if kind is None:
        names = {each.__name__ for each in type(estimator).__mro__}
        kind = next((k for k in ("classifier", "regressor") if f"{k.title()}Mixin" in names), None)
    return {"classifier": CLASSIFIER, "regressor": REGRESSOR}.get(str(kind), SINGLE)


def read_plain_results(results: Results) -> FoldScores:
    """Read `cv_results_` alone, of which the splits are not known."""
    return read_results(results)


def read_results(
    results: Results,
    *,
    names: Mapping[str, ScoreName] | None = None,
    usual: str | None = None,
    splits: SplitFacts | None = None,
    static: bool = True,
) -> FoldScores:
    """Read the scores of all splits from columns as scikit-learn has them."""
    keys = list_scores(results)
    if not keys:
        raise EvidenceError(
            "these results have no scores of single splits",
            needs="columns split0_test_score, split1_test_score, ...",
            got=check.some([str(key) for key in results], limit=6),
            cure="Pass `cv_results_` whole. With the mean scores and the number of cases, "
            "earnest.floor(scores, n=...) tells how much may be luck.",
        )
    count = _count_splits(results, keys)
    names = score_names(keys, None, None) if names is None else names
    rows = {
        key: np.column_stack(
            [np.asarray(results[f"split{k}_test_{key}"], dtype=np.float64) for k in range(count)]
        )
        for key in keys
    }
    configs = simplify_values([dict(config) for config in results["params"]])
    last_round, remarks = np.arange(len(configs)), []
    resources = np.asarray(results.get("n_resources", np.zeros(len(configs))))
    if len(np.unique(resources)) > 1:  # a halving search: other rounds saw other cases
        last = np.asarray(results["iter"]) if "iter" in results else resources
        last_round = np.flatnonzero(last == last.max())
        remarks = [of_search.last_round(len(last_round), len(configs))]
        static = False
    listed = Configs.of([configs[i] for i in last_round], len(last_round))
    scores = unite(
        {key: table[last_round] for key, table in rows.items()},
        names,
        replace(listed, static=static),
        splits or SplitFacts(assumed=True),
        usual=usual,
    )
    return replace(scores, remarks=(*scores.remarks, *remarks))


def unite(
    rows: Mapping[str, NDArray[np.float64]],
    names: Mapping[str, ScoreName],
    configs: Configs,
    splits: SplitFacts,
    *,
    usual: str | None,
) -> FoldScores:
    """Return the fold scores of one metric with those of the others; `usual` chose the winner."""
    every = {
        key: replace(
            FoldScores.from_rows(
                names[key].sign * table,
                metric=names[key].name,
                greater_is_better=names[key].sign > 0,
                configs=configs,
                splits=splits,
            ),
            alias=key,
        )
        for key, table in rows.items()
    }
    first = usual if usual in every else next(iter(every))
    others = tuple(scores for key, scores in every.items() if key != first)
    return replace(every[first], others=others, settled=usual in every or len(every) == 1)


def list_scores(results: Results) -> list[str]:
    """Return the names of the scores that every split has."""
    matches = (SPLIT.fullmatch(str(key)) for key in results)
    return list(dict.fromkeys(match[2] for match in matches if match is not None))


def _count_splits(results: Results, keys: Sequence[str]) -> int:
    return min(
        (sum(f"split{k}_test_{key}" in results for k in range(len(results))) for key in keys),
        default=0,
    )


def read_splits(cv: object, count: int) -> SplitFacts:
    """Return what the splitter of a search tells of its splits.

    Examples
    --------
    >>> from sklearn.model_selection import RepeatedKFold
    >>> from earnest.adapters.folds.sklearn import read_splits
    >>> read_splits(RepeatedKFold(n_splits=5, n_repeats=3), 15).repeats
    3
    """
    if cv is None or isinstance(cv, int | np.integer):
        return SplitFacts()
    if isinstance(cv, list | tuple):
        return _read_listed(cv)
    kind = type(cv).__name__
    repeats = getattr(cv, "n_repeats", None)
    if isinstance(repeats, int) and repeats > 0 and count % repeats == 0:
        return SplitFacts(repeats=repeats)
    if "Shuffle" in kind or "Bootstrap" in kind or kind in ("LeavePOut", "LeavePGroupsOut"):
        return SplitFacts(overlap=True)
    if "TimeSeries" in kind:
        return SplitFacts(ordered=True)
    assigned = getattr(cv, "test_fold", None)
    if assigned is not None:
        return SplitFacts(n_cases=int((np.asarray(assigned) >= 0).sum()))
    return SplitFacts(assumed="KFold" not in kind and "LeaveOne" not in kind)


def _read_listed(splits: Sequence[Any]) -> SplitFacts:
    """Return what a list of (train, test) tells."""
    tests = [np.asarray(test) for _, test in splits]
    if any(test.dtype == bool for test in tests):
        tests = [np.flatnonzero(test) for test in tests]
    rows = np.concatenate(tests)
    times = np.unique(rows, return_counts=True)[1]
    whole = len(times)
    if (times == 1).all():
        return SplitFacts(n_cases=whole)
    repeats = int(times[0])
    if (times == repeats).all() and len(tests) % repeats == 0:
        folds = len(tests) // repeats
        blocks = [np.concatenate(tests[r * folds : (r + 1) * folds]) for r in range(repeats)]
        if all(len(np.unique(block)) == whole == len(block) for block in blocks):
            return SplitFacts(repeats=repeats, n_cases=whole)
    return SplitFacts(overlap=True, n_cases=whole)


register(
    FoldScoresReader(
        name="unfitted_search",
        words="a fitted search",
        takes=is_unfitted,
        read=refuse_unfitted,
        rank=EARLY,
    )
)
register(
    FoldScoresReader(
        name="fold_scores_of_search",
        words="a fitted GridSearchCV, RandomizedSearchCV, halving search or BayesSearchCV",
        takes=is_cv_search,
        read=read_fitted_search,
    )
)
register(
    FoldScoresReader(
        name="cv_results",
        words="its `cv_results_`",
        takes=is_cv_results,
        read=read_plain_results,
        rank=LATE,
    )
)
register(
    FoldScoresReader(
        name="cross_validate",
        words="what `cross_validate` returns",
        takes=is_cross_validated,
        read=read_cross_validated,
    )
)
