"""Which methods assess a learner, what each needs to be trained, and on what it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from earnest.core.base.errors import InputError
from earnest.core.data.designs import NestedPredictions, PairedHalves
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution, Severity
from earnest.core.results.specs import Design, MethodSpec
from earnest.methods import METHODS
from earnest.methods.base import Method
from earnest.methods.run import configure_method
from earnest.training.assess.plan import Block, SplitEvidence, TrainingNeeds

HALVINGS = 10
SHARE = 0.1  # of the cases that a random split tests
HOLDOUT = 0.25  # of the cases, where the method has no knob `evaluate`
MANY_SINGLES = 1_000  # fits of leaving out one case that folds could do without
MOST_SINGLES = 10_000  # fits of leaving out one case that nobody can have meant
_ORDER = list(Design)


def assessing() -> list[str]:
    """Return the names of the methods that assess a learner, by what is trained for them.

    Examples
    --------
    >>> from earnest.training.assess.methods import assessing
    >>> [name for name in assessing() if "cv" in name]
    ['cv', 'repeated_cv', 'loocv', 'bates_ncv']
    """
    specs: list[MethodSpec] = [method.spec for method in METHODS.values()]
    mine = [(_ORDER.index(spec.design), spec.repeats, spec) for spec in specs if spec.design]
    return [spec.name for _, _, spec in sorted(mine, key=lambda entry: entry[:2])]


def choose_usual() -> list[str]:
    """Return the methods that are asked where none is named: of one set of folds, of replicates."""
    specs: list[MethodSpec] = [METHODS[name].spec for name in assessing()]
    shared = (Design.REPLICATES, Design.FOLDS)
    return [spec.name for spec in specs if spec.design in shared and spec.repeats == 1]


def choose_method(method: str | Method, n_resamples: int | None = None) -> Method:
    """Return a method that assesses a learner, and refuse one that does something else."""
    made = configure_method(method, n_resamples=n_resamples)
    if made.spec.design is None:
        raise InputError(
            f"method {made.spec.name!r} is for a choice among configurations, not for a learner",
            needs=", ".join(assessing()),
            got=repr(made.spec.name),
            cure="For a search use its `estimate_`, or earnest.estimate(search.predictions_, ...).",
        )
    return made


Evidence: TypeAlias = Predictions | NestedPredictions | PairedHalves


def find_needs(method: Method, n_repeats: int | None) -> TrainingNeeds:
    """Return what a method needs to be trained, by the design of its spec."""
    spec = method.spec
    repeats = spec.repeats if n_repeats is None else n_repeats
    if spec.design is Design.REPLICATES:
        return TrainingNeeds(replicates=True)
    if spec.design is Design.PAIRS:
        return TrainingNeeds(folds=repeats, pairs=repeats)
    if spec.design is Design.HALVES:
        return TrainingNeeds(subsamples=repeats, halvings=HALVINGS, share=SHARE)
    if spec.design is Design.SINGLES:
        return TrainingNeeds(singles=True)
    if spec.design is Design.HOLDOUT:
        return TrainingNeeds(holdout=float(getattr(method, "evaluate", HOLDOUT)))
    return TrainingNeeds(folds=repeats)


def make_evidence(method: Method, n_repeats: int | None, made: SplitEvidence) -> Evidence:
    """Return the evidence of a method, from what was trained."""
    needs = find_needs(method, n_repeats)
    if needs.pairs:
        return made.make_nested(needs.pairs)
    if needs.subsamples:
        return made.halves
    if needs.singles:
        return made.singles
    return made.holdout if needs.holdout else made.make_folds(needs.folds)


def set_ratio(method: Method, made: SplitEvidence) -> Method:
    """Return a method that corrects for overlap with the ratio of test to training cases.

    Where each split trains on all that it does not test, the method knows it from the folds.
    """
    splits = made.plan.blocks.get(Block.FOLDS)
    known = not method.spec.overlap or getattr(method, "ratio", None) is not None
    if splits is None or known:
        return method
    sizes = [(len(train), len(test)) for train, test in zip(splits.train, splits.test, strict=True)]
    if all(sum(size) == splits.n_cases for size in sizes):
        return method
    trained, tested = (sum(side) for side in zip(*sizes, strict=True))
    ratio = tested / trained
    return replace(method, ratio=ratio)  # type: ignore[type-var]  # methods are frozen dataclasses


def check_groups(method: Method, target: Target) -> None:
    """Refuse groups where a method cannot keep them together."""
    spec = method.spec
    if target.groups is not None and spec.no_groups:
        raise InputError(
            f"method {spec.name!r} cannot keep groups together: {spec.no_groups}",
            needs="a method that keeps groups together",
            got="`groups`",
            cure="Use method='cv', 'corrected_t' or 'bayle_all_pairs'.",
        )


def check_cost(method: Method, target: Target) -> None:
    """Refuse to leave out each of very many cases, and to score a single one."""
    needs = find_needs(method, None)
    if needs.singles and target.n > MOST_SINGLES:
        raise InputError(
            f"leaving out each of {target.n} cases would train {target.n} models",
            needs=f"at most {MOST_SINGLES} cases",
            got=f"{target.n}",
            cure="Use method='cv': with so many cases, ten folds give the same answer.",
        )
    scoring = round(needs.holdout * target.n)
    if needs.holdout and scoring < 2:
        raise InputError(
            "a hold-out of one case is not enough",
            needs="at least 2 cases that score",
            got=f"{scoring} of {target.n}",
            cure="Use method='loocv', or more cases.",
        )


def warn_of_cost(method: Method, target: Target) -> Iterator[Caution]:
    """Yield a note where a model was trained for each of many cases."""
    if find_needs(method, None).singles and target.n > MANY_SINGLES:
        yield Caution(
            "EN094",
            f"{target.n} models were trained, one per case.",
            "With so many cases, ten folds give the same answer.",
            "Use method='cv'.",
            Severity.NOTE,
        )


def check_names(methods: Iterable[str | Method]) -> None:
    """Refuse an empty list of methods."""
    if not list(methods):
        raise InputError("no method was requested", needs="at least one of " + ", ".join(METHODS))
