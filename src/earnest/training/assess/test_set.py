"""A test set kept away from the design: used once, and its use recorded.

Yousef 2022, section 1.1, paradigm II: a set that is looked at repeatedly, with the learner changed
in between, becomes part of the training set.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import as_array, missing
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.protocols import EngineTask, Store
from earnest.core.base.rng import Seeds
from earnest.core.cautions import of_evidence, of_tests
from earnest.core.data.predictions import Configs
from earnest.core.data.target import Target
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution, Scope
from earnest.core.results.estimate import Estimate, by_severity
from earnest.core.text.doors import arg
from earnest.engine.identity import describe, digest
from earnest.kernels.score import score_table
from earnest.methods.base import Method, check_question
from earnest.methods.run import estimate
from earnest.methods.split.holdout import HoldOut
from earnest.methods.split.two_sources import split_variance
from earnest.metrics.families import Metric
from earnest.training.assess.question import AssessOptions, LearnerQuestion, warn_of_few_cases
from earnest.training.assess.replicates import MOST_FAILED, choose_drawn_units
from earnest.training.fit.experiment import RESPONSE, Cell, Experiment
from earnest.training.fit.ledger import explain_failure
from earnest.training.fit.problem import make_survival_outcome
from earnest.training.fit.response import ResponsePlan, count_rows
from earnest.training.fit.run import RunOptions, open_run, run_all, run_cells
from earnest.training.fit.samples import Samples
from earnest.training.search.preparation import match_rows

MOST_CELLS = 20_000_000  # of a table whose rows are compared
USES = "uses"  # the document of a run file that lists the learners a test set was used for


def assess_once(
    question: LearnerQuestion,
    method: Method,
    test: tuple[object, object],
    assess_options: AssessOptions,
) -> Estimate:
    """Train on the design set, score the test set, and record that it was used.

    With the knob `trainings` the learner is trained again on bootstrap samples of the design set,
    and the details have the parts of the standard error: training set and test set.

    The run file belongs to the test set, whatever learner it is used for: its identity is the
    hash of the set. The same learner on the same design data with the same seed is the same use,
    which is read and not trained again.
    """
    from sklearn import get_config

    X_test, y_test, plan = _read_test(question, test)
    _refuse_shared(question, X_test)
    experiment = Experiment(
        X=question.X,
        y=question.y,
        base=question.estimator,
        X_new=X_test,
        plan=plan,
        seed=question.seed,
        config=get_config(),
    )
    configs = Configs(ids=(question.learner,))
    design = plan.make_predictions(plan.make_perfect()[:, None, None], configs)
    trainings = method.trainings if isinstance(method, HoldOut) else None
    scoring = replace(method, trainings=None) if isinstance(method, HoldOut) else method
    check_question(scoring, design, plan.target, question.metric)  # before any training
    options = RunOptions(
        n_jobs=assess_options.n_jobs,
        store=assess_options.store,
        time_limit=assess_options.time_limit,
    )
    identity = identify_set(X_test, y_test)
    with open_run(experiment, options, identity=identity, total=1, title="Test set") as opened:
        number = 0
        uses: list[dict[str, str]] = []
        if opened.store is not None:
            number, uses = _enter_use(opened.store, question)
        # Its seeds are those of the first use, whichever it is: the same learner, the same model.
        (outcome,) = run_cells(opened, [EngineTask((number,), Cell(0, (0,)))])
    if outcome.failed:
        raise InputError(
            f"{question.learner} failed",
            needs="a model of all design cases",
            got=explain_failure(outcome),
        )
    answer = estimate(
        plan.make_predictions(outcome.arrays[RESPONSE][:, None, None], configs),
        method=scoring,
        metric=question.metric,
        confidence_level=question.ask.confidence_level,
        side=question.ask.side,
        rng=question.seed,
    )
    if trainings is not None:
        answer = _add_training(answer, question, trainings, X_test, plan, assess_options)
    remarks = [
        *(_warn_of_earlier_uses(uses) if assess_options.store is not None else _note_unrecorded()),
        *_warn_of_shared_rows(question.X, X_test),
    ]
    cautions = [caution for caution in answer.cautions if caution.about is not Scope.SELECTION]
    few = warn_of_few_cases(question.target)
    return replace(answer, cautions=by_severity([*cautions, *remarks, *few]))


def _add_training(
    answer: Estimate,
    question: LearnerQuestion,
    trainings: int,
    X_test: object,
    plan: ResponsePlan,
    options: AssessOptions,
) -> Estimate:
    """Train the learner on other training sets, and tell what they add to the standard error."""
    from sklearn import get_config

    target, metric = question.target, question.metric
    needs_all = metric.needs_all_classes and target.has_classes
    samples = Samples(
        target=target,
        drawn=choose_drawn_units(options.stratify, target.groups is not None, needs_all),
        both_sides=False,
        seed=question.seed,
    )
    experiment = Experiment(
        X=question.X,
        y=question.y,
        base=question.estimator,
        rows=samples,
        X_new=X_test,
        plan=plan,
        seed=question.seed,
        config=get_config(),
    )
    outcomes = run_all(
        experiment,
        [EngineTask((number,), Cell(number, (number + 1,))) for number in range(trainings)],
        RunOptions(n_jobs=options.n_jobs, time_limit=options.time_limit, progress=options.progress),
        identity={},
        title="Training sets",
    )
    ordered = [outcomes[key] for key in sorted(outcomes)]
    failed = [outcome for outcome in ordered if outcome.failed]
    if len(failed) > MOST_FAILED * trainings:
        raise InputError(
            f"{question.learner} failed on {len(failed)} of {trainings} training sets",
            needs=f"at most {MOST_FAILED:.0%} failures",
            got=explain_failure(failed[0]),
        )
    responses = [outcome.arrays[RESPONSE] for outcome in ordered if not outcome.failed]
    names = Configs(ids=tuple(f"training set {number}" for number in range(len(responses))))
    tested = plan.make_predictions(np.stack(responses, axis=1)[:, :, None], names)

    def score(weights: Weights) -> NDArray[np.float64]:
        return score_table(tested, metric, weights)

    table = HoldOut().resample(
        score, tested.target, metric, Seeds(question.seed), columns=len(responses)
    )
    parts = split_variance(score(Weights.ones(tested.n_cases))[0], table)
    remark = of_tests.another_training_set(
        parts.standard_error,
        parts.training_sd,
        parts.test_sd,
        parts.interaction_sd,
        parts.n_trainings,
    )
    knobs = {**answer.provenance.knobs, "trainings": trainings}
    return replace(
        answer,
        details=parts,
        provenance=replace(answer.provenance, knobs=knobs),
        cautions=by_severity([*answer.cautions, remark]),
    )


def identify_set(X_test: object, y_test: object) -> dict[str, str]:
    """Return what identifies the run file of a test set: the set itself, and no learner."""
    return {"kind": "test set", "cases": describe(X_test), "outcome": describe(y_test)}


def _read_test(question: LearnerQuestion, test: object) -> tuple[object, object, ResponsePlan]:
    """Return the test set, and a response plan whose outcome is that of its cases."""
    if not isinstance(test, tuple | list) or len(test) != 2:
        raise InputError(
            f"{arg('test')} cannot be read",
            needs="a pair: the cases and their outcome",
            got=type(test).__name__,
            cure="Pass test=(X_test, y_test).",
        )
    X_test, y_test = match_rows(test[0], make_survival_outcome(test[1]))
    from earnest.core.data.target import read_target

    training_target = question.target
    _refuse_classes(training_target, y_test, question.metric)
    target, _ = read_target(
        y_test,
        np.zeros((count_rows(y_test), 1)),
        task=training_target.task,
        positive=training_target.classes[1] if len(training_target.classes) == 2 else None,
        classes=training_target.classes or None,
        groups=None,
        strata=None,
        order=None,
        ids=None,
    )
    return X_test, y_test, replace(question.response, target=target)


def _refuse_classes(design: Target, y_test: object, metric: Metric) -> None:
    """Refuse a test set with a class that no model could know, or without one that is needed."""
    if not design.has_classes:
        return
    values = as_array("test", y_test)
    labels = set(values[~missing(values)].reshape(-1).tolist())
    lacking = set(design.classes) - labels
    fewer = lacking if metric.needs_all_classes or len(labels) < 2 else set()
    for words, odd in (
        ("has a class that the design set lacks", labels - set(design.classes)),
        ("lacks a class of the design set", fewer),
    ):
        if odd:
            raise InputError(
                f"the test set {words}",
                needs=f"cases of {', '.join(repr(name) for name in design.classes)}",
                got=("no " if odd is fewer else "") + check.show(sorted(odd, key=str)[0]),
            )


def _refuse_shared(question: LearnerQuestion, X_test: object) -> None:
    """Refuse the design set as its own test set."""
    if X_test is question.X or describe(X_test) == describe(question.X):
        raise EvidenceError(
            "the test set is the training set",
            needs="cases that were not used in the design",
            cure=f"Use {arg('method', 'cv')} or '.632+' if you have only one set.",
        )


def _enter_use(store: Store, question: LearnerQuestion) -> tuple[int, list[dict[str, str]]]:
    """Record this use, unless it was recorded, and return its number and all uses up to it."""
    uses: list[dict[str, str]] = json.loads(store.documents().get(USES, "[]"))
    facts = {**question.facts, "seed": str(question.seed)}
    mine = digest(json.dumps(facts, sort_keys=True))
    marks = [use["use"] for use in uses]
    if mine not in marks:
        uses.append({"use": mine, "learner": question.learner, "metric": question.metric.name})
        store.put_document(USES, json.dumps(uses))
        marks.append(mine)
    number = marks.index(mine)
    return number, uses[: number + 1]


def _warn_of_earlier_uses(uses: list[dict[str, str]]) -> Iterator[Caution]:
    earlier = len(uses) - 1
    if earlier > 0:
        learners = dict.fromkeys(use["learner"] for use in uses[:-1])
        yield of_tests.used_before(len(uses), tuple(learners))


def _warn_of_shared_rows(X: object, X_test: object) -> Iterator[Caution]:
    """Yield a caution if test cases are cases of the design set, whose rows all differ."""
    rows, tested = _list_rows(X), _list_rows(X_test)
    if len(set(rows)) < len(rows):  # equal rows are nothing special in these data
        return
    shared = len(set(rows) & set(tested))
    if shared:
        yield of_evidence.shared_test_rows(shared, len(tested))


def _list_rows(X: object) -> list[object]:
    """Return a key for each row; nothing for sparse or huge data, or if it is not a table."""
    if (
        hasattr(X, "toarray")
        or np.ndim(cast(ArrayLike, X)) != 2
        or np.size(cast(ArrayLike, X)) > MOST_CELLS
    ):
        return []
    table = np.asarray(X)
    if table.dtype.kind in "biuf":
        return [row.tobytes() for row in table.astype(np.float64)]
    return [repr(row) for row in table.tolist()]


def _note_unrecorded() -> Iterator[Caution]:
    yield of_tests.uses_not_recorded()
