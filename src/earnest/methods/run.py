"""The verbs `estimate` and `estimate_all`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.evidence import EvidenceLike, Source, open_evidence, restate_estimate
from earnest.core.base.errors import ClusterError, EarnestError, EvidenceError, InputError
from earnest.core.base.provenance import knobs, list_versions, simplify_setting
from earnest.core.base.registry import configure, split_knobs
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.base.threads import workers
from earnest.core.cautions import of_evidence, of_limits, of_search
from earnest.core.data.designs import NestedPredictions, PairedHalves
from earnest.core.data.fold_scores import FoldScores
from earnest.core.data.folds import TrainingSizes
from earnest.core.data.predictions import Predictions
from earnest.core.data.replicates import DrawUnit, Replicates
from earnest.core.data.responses import ResponseKind
from earnest.core.data.selection import EnsembleRule, Selector
from earnest.core.data.subgroups import ByLike, SubgroupColumn, find_columns
from earnest.core.data.target import Task
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import (
    Estimate,
    Estimates,
    Provenance,
    Refusal,
    by_severity,
    few_beyond,
    make_interval,
    remark_worse,
)
from earnest.core.results.interval import (
    Ask,
    LimitSource,
    WidenedLimits,
    limit_remarks,
)
from earnest.core.results.scale import CaseWeighting
from earnest.core.results.specs import ON_ITEMS, Estimand, Evidence, Guide, Selection, Side
from earnest.core.text.doors import arg
from earnest.core.text.estimate import LARGE, describe_optimism, flatters
from earnest.engine.patience import announce_scores
from earnest.engine.scores import spread_scores
from earnest.inference.cases.dependence import with_dependence
from earnest.inference.cases.no_information import no_information, no_information_of_any
from earnest.inference.remarks import (
    confident_winner,
    evidence_remarks,
    few_decide,
    not_corrected,
    resampling_remarks,
    ties_at_the_top,
)
from earnest.inference.resampling.winners import is_guided
from earnest.inference.subgroups.beside import subgroups_beside
from earnest.kernels.score import score_table
from earnest.methods import METHODS
from earnest.methods.base import (
    Call,
    EstimateParts,
    Method,
    check_question,
    find_evidence_kind,
    methods_for,
    need_evidence,
)
from earnest.methods.bootstrap.replicated import ReplicatesCall
from earnest.methods.winner.bbc import BBC
from earnest.methods.winner.near_winner import NearWinner
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import CallableMetric, Metric, MetricLike
from earnest.metrics.ranking import is_auc
from earnest.metrics.responding import check_fits, need_order, pick_answer
from earnest.metrics.scores import settle_metric

EXAMPLE = "\"delong(variant='logit')\""  # of a method with knobs, for messages
FEW_FOR_BAYLE = 100  # cases, below which its limits hold too seldom (decision 0006)


def estimate(
    predictions: EvidenceLike,
    *,
    method: str | Method | None = None,
    metric: MetricLike | None = None,
    confidence_level: float = 0.95,
    side: Side | str = "two-sided",
    n_resamples: int | None = None,
    selector: str | Selector | EnsembleRule | None = None,
    undefined: str | None = None,
    select_by: MetricLike | None = None,
    by: ByLike | None = None,
    rng: RngLike = None,
    n_jobs: int | None = None,
) -> Estimate:
    """Estimate how good the winner really is, from out-of-sample predictions.

    Parameters
    ----------
    predictions : Predictions, Scores, Replicates, a fitted search, mapping, str or Path
        The out-of-sample predictions of every configuration that was tried, or the scores of every
        prompt or model on the same items; a file of either, or the folder of a run; or for the
        bootstrap estimators of one learner, such as '.632+', what `bootstrap_train` made. A fitted
        `SearchCV` and the folder of a run answer with their own estimate, at the level and side
        that you ask for, unless you set anything else; then their predictions are asked.
        A fitted `GridSearchCV` or another search, its `cv_results_`, an Optuna study, a table of
        runs and folds, or a mapping of names to lists of fold scores are read as scores of folds.
    method : str or Method, optional
        A name (`earnest methods` lists them), with options such as "delong(variant='logit')", or a
        configured instance such as `BBC(n_resamples=5000)`. The default depends on the evidence:
        for one configuration on a test set 'delong' (the AUC) or 'holdout' (other metrics), for
        mean scores of prompts or models between two limits 'near_winner', for scores of folds
        'bbc_fold', otherwise 'bbc'.
    metric : str, Metric or callable
        What to measure, named like scikit-learn's scorers and shown in its natural sign. Scores
        have their own summary; you can name another, such as 'median'. By default that of the
        search, where the predictions come from one.
    confidence_level : float
        The level of the interval.
    side : {'two-sided', 'lower', 'upper', 'pessimistic'}
        Which ends the interval has; 'pessimistic' is the worse end for the metric.
    n_resamples : int, optional
        The number of resamples; by default 1000, and 2000 for tilts.
    selector : str, Selector or EnsembleRule, optional
        The rule that makes a configuration the winner: 'pooled', 'mean_of_folds' or
        'one_standard_error'; the default is the method's. With `GreedyEnsemble(size=25)`,
        `TopAverage(k=5)` or `StackedEnsemble()` the method 'bbc' judges an ensemble. This is the
        default for predictions of a tool that delivers an ensemble, see
        `Predictions.ensemble_rule`.
    undefined : {'redraw', 'drop', 'stratify'}, optional
        What to do with resamples on which the metric is undefined; 'redraw' by default.
    select_by : str, Metric or callable, optional
        What the winner is chosen by, if not by `metric`; for 'bbc'. A metric that has a right value
        and no best one, such as 'calibration_slope', needs it; that of the search by default.
    by : str, list of str, array or dict of arrays, optional
        What divides the cases into subgroups: columns that the predictions carry, by name, or
        values of your own, one per case. The estimate then has `subgroups`: the winner's score in
        each, corrected in the same way, with limits that hold in all of them at once.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed; the result records it.
    n_jobs : int, optional
        The number of threads, 1 by default and -1 for all cores; never changes the result. Under
        `joblib.parallel_config(backend="dask")` or `"ray"` every number but 1 means the cluster,
        whose workers score blocks of configurations.

    Returns
    -------
    Estimate
        The value, its interval, what it estimates, and what to be careful about.

    Raises
    ------
    InputError, EvidenceError, MetricError
        Before any computation, if the question cannot be answered or the method lacks a given
        option.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(7)
    >>> y = rng.integers(0, 2, 200)
    >>> scores = y[:, None] + 1.5 * rng.standard_normal((200, 50))  # fifty equal configurations
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(200) % 10)
    >>> en.estimate(pi, metric="roc_auc", rng=7)
    roc_auc 0.68, 95 % interval [0.59, 0.77] (bbc, winner of 50 configs, trained on 180, n=200)
    """
    source = open_evidence(predictions, by)
    options = (method, metric, n_resamples, selector, undefined, select_by, rng)
    if source.answer is not None and all(option is None for option in options):
        workers(n_jobs)
        answer = restate_estimate(source.answer(), Ask.of(confidence_level, side))
        evidence, measure = settle_metric(source.evidence, source.metric_or(metric))
    else:
        rng = source.seed_or(rng)
        evidence, measure = settle_metric(source.evidence, source.metric_or(metric))
        _find_subgroups(evidence, by)
        chooser = _find_chooser(evidence, measure, source, select_by)
        if by is not None and chooser is not None:
            raise InputError(
                "the winner of subgroups is chosen by the metric that judges it",
                needs=f"one of {arg('by')} and {arg('select_by')}",
                got="both",
            )
        answer = _ask_method(
            evidence,
            measure,
            method=method,
            knobs=(n_resamples, selector, undefined),
            select_by=chooser,
            ask=Ask.of(confidence_level, side),
            rng=rng,
            n_jobs=n_jobs,
        )
    if by is None:
        return answer
    columns = _find_subgroups(evidence, by)
    assert isinstance(evidence, Predictions)
    subgroups = subgroups_beside(
        answer, pick_answer(evidence, measure), measure, columns, n_jobs=n_jobs
    )
    return replace(answer, subgroups=subgroups)


def _ask_method(
    evidence: Predictions | Replicates | NestedPredictions | PairedHalves,
    measure: Metric,
    *,
    method: str | Method | None,
    knobs: tuple[int | None, str | Selector | EnsembleRule | None, str | None],
    select_by: Metric | None,
    ask: Ask,
    rng: RngLike,
    n_jobs: int | None,
) -> Estimate:
    """Return the answer of one method, by default of the one that suits the evidence."""
    n_resamples, selector, undefined = knobs
    rule = _find_delivered(evidence)
    if selector is None and (method is None or (isinstance(method, str) and method == "bbc")):
        selector = rule
    if method is None:
        resamples = n_resamples is not None or undefined is not None
        ensemble = isinstance(selector, EnsembleRule)
        method = usual_method(evidence, measure, resamples=resamples, ensemble=ensemble)
    chosen = configure_method(
        method,
        n_resamples=n_resamples,
        selector=selector,
        undefined=undefined,
        select_by=select_by,
    )
    need_evidence(chosen, evidence)
    call = _call(evidence, measure, ask.confidence_level, ask.side, rng, n_jobs)
    with spread_scores(n_jobs):
        answer = _answer(chosen, call)
    if rule is None:
        return answer
    return replace(answer, cautions=by_severity([*answer.cautions, *_tell_delivered(answer, rule)]))


def _find_chooser(
    evidence: object, metric: Metric, source: Source, select_by: MetricLike | None
) -> Metric | None:
    """Return what a winner is chosen by, if not by the metric; refuse to guess it.

    A metric without a best value needs one; that of a search by default.
    """
    n_configs = getattr(evidence, "n_configs", 1)
    if select_by is not None:
        return resolve_metric(select_by)
    if metric.ideal is None or n_configs < 2:
        return None
    if source.metric is None:
        need_order(metric, n_configs)
    return resolve_metric(source.metric)


def _find_subgroups(evidence: object, by: ByLike | None) -> tuple[SubgroupColumn, ...]:
    """Return the columns that divide the cases; refuse evidence that has none."""
    if by is None:
        return ()
    if not isinstance(evidence, Predictions):
        raise EvidenceError(
            "subgroups are those of predictions",
            needs="earnest.Predictions, a search or a run",
            got=type(evidence).__name__,
            cure=f"Leave {arg('by')} out.",
        )
    return find_columns(evidence, by)


def _find_delivered(evidence: object) -> str | None:
    """Return the ensemble rule of the tool that kept the predictions, None where none applies."""
    if not isinstance(evidence, Predictions) or evidence.n_configs < 2:
        return None
    averaged = evidence.kind in (ResponseKind.PROBABILITY, ResponseKind.VALUE)
    return evidence.ensemble_rule if averaged else None


def _tell_delivered(estimate: Estimate, rule: str) -> Iterator[Caution]:
    """Yield which model the number is about, where the tool delivers an ensemble."""
    if estimate.ensemble is None:
        yield of_search.delivered_not_judged(rule)
        return
    yield of_search.delivered_chosen_anew(rule)


def estimate_all(
    predictions: EvidenceLike,
    *,
    methods: Iterable[str | Method] | str | None = None,
    metric: MetricLike | None = None,
    confidence_level: float = 0.95,
    side: Side | str = "two-sided",
    n_resamples: int | None = None,
    selector: str | Selector | EnsembleRule | None = None,
    undefined: str | None = None,
    select_by: MetricLike | None = None,
    rng: RngLike = None,
    n_jobs: int | None = None,
) -> Estimates:
    """Estimate with every method that applies, on the same resamples.

    Parameters
    ----------
    methods : list of str or Method, optional
        Which methods; by default all for this kind of evidence. An option is passed to the methods
        that have it. A method that does not fit is listed in `refused` with the reason.
    predictions, metric, confidence_level, side, n_resamples, selector, undefined, select_by, rng, \
n_jobs
        As for `estimate`.

    Returns
    -------
    Estimates
        The estimates side by side.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> y, fold = np.tile([0, 1], 50), np.arange(100) // 10
    >>> pi = en.Predictions.from_arrays(y, rng.random((100, 20)), fold)
    >>> table = en.estimate_all(pi, methods=["bbc", "tilted", "delong"], metric="accuracy", rng=0)
    >>> [e.method for e in table], list(table.refused)  # DeLong's interval is for the AUC
    (['bbc', 'tilted'], ['delong'])
    """
    source = open_evidence(predictions)
    rng = source.seed_or(rng)
    evidence, measure = settle_metric(source.evidence, source.metric_or(metric))
    wanted = [methods] if isinstance(methods, str) else methods
    names = usual_methods(evidence) if wanted is None else list(wanted)
    if not names:
        raise InputError("no method was requested", needs="at least one of " + ", ".join(METHODS))
    chooser = _find_chooser(evidence, measure, source, select_by)
    settings = {
        "n_resamples": n_resamples,
        "selector": selector,
        "undefined": undefined,
        "select_by": chooser,
    }
    chosen = [configure_method(name, **find_fitting_knobs(name, settings)) for name in names]
    call = _call(evidence, measure, confidence_level, side, rng, n_jobs)
    with spread_scores(n_jobs):
        return _answer_all(chosen, evidence, call, None)


def estimate_beside(
    estimate: Estimate,
    predictions: Predictions,
    *,
    metric: Metric,
    confidence_level: float,
    side: Side | str,
    rng: RngLike,
    n_jobs: int | None = None,
) -> Estimates:
    """Answer by every method that applies, and put an estimate that is known in its place.

    As `estimate_all`, but the method of `estimate` is not run again. The naive score of one
    configuration uses the rule of `estimate`: two rules would give it two scores although nothing
    was selected.
    """
    settings = {"n_resamples": estimate.n_resamples}
    names = usual_methods(predictions)
    chosen = [configure_method(name, **find_fitting_knobs(name, settings)) for name in names]
    rule = estimate.provenance.knobs.get("selector")
    if estimate.n_configs == 1 and isinstance(rule, str):
        chosen = [
            configure_method("naive", selector=rule) if method.spec.name == "naive" else method
            for method in chosen
        ]
    call = _call(predictions, metric, confidence_level, side, rng, n_jobs)
    return _answer_all(chosen, predictions, call, estimate)


def _answer_all(
    chosen: list[Method],
    predictions: Predictions | Replicates | NestedPredictions | PairedHalves | FoldScores,
    call: Call | ReplicatesCall,
    delivered: Estimate | None,
) -> Estimates:
    """Ask every method but that of the known estimate, which stands as it is."""
    answers: list[Estimate] = []
    refused: dict[str, Refusal] = {}
    for method in chosen:
        if delivered is not None and delivered.method == method.spec.name:
            answers.append(delivered)
            continue
        try:
            need_evidence(method, predictions)
            answers.append(_answer(method, call))
        except ClusterError:
            raise
        except EarnestError as error:
            refused[method.spec.name] = Refusal.of(error)
    if not answers:
        raise EvidenceError("no method fits this question", got=str(next(iter(refused.values()))))
    return Estimates(tuple(answers), refused, tuple(disagreement(answers)))


def usual_method(
    evidence: Predictions | Replicates | NestedPredictions | PairedHalves | FoldScores,
    metric: MetricLike,
    *,
    resamples: bool = False,
    ensemble: bool = False,
) -> str:
    """Return the method that answers where none is named.

    One configuration on one set of cases is a fixed model and a test set: nothing was selected, so
    all cases score it. DeLong's limits of an AUC need no resamples; `resamples` says that some were
    asked for. With folds there are several models: 'bbc' gives the cross-validated score, with
    limits that also hold for few cases. It also allows for the dependence of cases in time order.

    Scores of prompts or models on items involve no training, so 'near_winner' holds where their
    mean has a known distribution, and its interval is narrower than that of 'bbc'. Predictions
    without folds may still come from a cross-validation; they stay with 'bbc', and so does an
    `ensemble`, and what the scores of one half of the cases have guided.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.methods.run import usual_method
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1], [0.2, 0.7, 0.4, 0.6])
    >>> usual_method(pi, "roc_auc"), usual_method(pi, "accuracy")
    ('delong', 'holdout')
    """
    if isinstance(evidence, FoldScores):
        return "bbc_fold"
    if not isinstance(evidence, Predictions) or is_guided(evidence):
        return "bbc"
    if evidence.n_configs > 1:
        measure = resolve_metric(metric)
        fixed = evidence.target.task is Task.SCORES and evidence.n_folds == 1 and not ensemble
        lawful = fixed and NearWinner().find_objection(evidence, measure) is None
        return "near_winner" if lawful else "bbc"
    if evidence.n_folds > 1 or evidence.n_repeats > 1 or evidence.target.in_blocks:
        return "bbc"
    area = is_auc(resolve_metric(metric).on(evidence.target.task), evidence.target)
    return "delong" if area and not resamples else "holdout"


def usual_methods(evidence: object) -> list[str]:
    """Return the methods that are asked where none is named.

    All for this kind of evidence; but of several configurations none that is about one learner,
    as it would only repeat the naive score.
    """
    names = methods_for(find_evidence_kind(evidence))
    several = getattr(evidence, "n_configs", 1) > 1
    return [name for name in names if not (several and METHODS[name].spec.one_learner)]


def _call(
    predictions: Predictions | Replicates | NestedPredictions | PairedHalves | FoldScores,
    metric: Metric,
    confidence_level: float,
    side: Side | str,
    rng: RngLike,
    n_jobs: int | None,
) -> Call | ReplicatesCall:
    workers(n_jobs)
    ask = Ask.of(confidence_level, side)
    if ask.side is Side.PESSIMISTIC and metric.ideal is not None:
        raise InputError(
            f"no end of an interval is the worse one for {metric.name!r}",
            needs=f"{arg('side')} 'two-sided', 'lower' or 'upper'",
            got=arg("side", "pessimistic"),
        )
    if isinstance(predictions, Replicates):
        check_fits(predictions.resubstituted, metric)
        return ReplicatesCall(
            replicates=predictions,
            metric=metric,
            ask=ask,
            seeds=Seeds.of(rng),
            n_jobs=n_jobs,
        )
    if isinstance(predictions, FoldScores):
        return Call(
            given=predictions.table,
            pi=predictions.table.usable(),
            fold_scores=predictions,
            metric=metric,
            ask=ask,
            seeds=Seeds.of(rng),
            no_information=no_information_of_any(metric.name),
            n_jobs=n_jobs,
        )
    design = predictions if isinstance(predictions, NestedPredictions | PairedHalves) else None
    if isinstance(predictions, NestedPredictions | PairedHalves):
        predictions = predictions.predictions
    predictions = pick_answer(predictions, metric)
    used = predictions if isinstance(design, PairedHalves) else predictions.usable()
    used = with_dependence(used, metric)
    if isinstance(metric, CallableMetric):  # raise its errors before resamples hide them
        score_table(used, metric, Weights.ones(used.n_cases))
    return Call(
        given=predictions,
        pi=used,
        design=design,
        metric=metric,
        ask=ask,
        seeds=Seeds.of(rng),
        no_information=no_information(used.target, metric),
        n_jobs=n_jobs,
    )


def configure_method(method: str | Method, **values: object) -> Method:
    """Return the method with the knobs that were given, and refuse one that it lacks.

    Examples
    --------
    >>> from earnest.methods.run import configure_method
    >>> configure_method("delong(variant='logit', evaluate=0.5)").variant
    'logit'
    """
    return configure(METHODS, method, values, example=EXAMPLE)


def configure_for_search(
    method: str | Method, n_resamples: int | None, rule: EnsembleRule | None
) -> Method:
    """Return the method that judges what a search delivers; an ensemble is judged by BBC."""
    if rule is None:
        return configure_method(method, n_resamples=n_resamples)
    if isinstance(method, BBC) and n_resamples is None:
        return replace(method, selector=rule)
    if method != BBC.spec.name:
        raise InputError(
            "an ensemble is judged by the method 'bbc'",
            needs=f"{arg('method', 'bbc')} beside an ensemble rule",
            got=method if isinstance(method, str) else repr(method),
            cure=f"Leave {arg('method')} out, or let `refit` choose one configuration.",
        )
    return configure_method(method, n_resamples=n_resamples, selector=rule)


def find_fitting_knobs(method: str | Method, values: Mapping[str, object]) -> dict[str, object]:
    """Return the knobs that a method has, and that were not typed with its name.

    An instance keeps its own.
    """
    if not isinstance(method, str):
        return {}
    word, typed = split_knobs(method, METHODS.kind, EXAMPLE)
    free = {f.name for f in fields(METHODS[word])} - set(typed)
    return {name: value for name, value in values.items() if name in free}


def _answer(method: Method, call: Call | ReplicatesCall) -> Estimate:
    if isinstance(call, ReplicatesCall):
        return _answer_of_replicates(method, call)
    check_question(method, call.design or call.pi, call.pi.target, call.metric)
    with announce_scores(call.pi, call.metric, getattr(method, "n_resamples", None), "Estimate"):
        parts = method(call if method.spec.judges_guided else call.without_guides())
    result = _make_estimate(method, call, parts)
    everything = [
        *_result_remarks(result, method, call),
        *_choice_remarks(result, parts, call),
        *result.cautions,
        *_evidence_remarks(call, blocks=method.spec.blocks),
        *_tell_few_times(result),
        *resampling_remarks(call.pi, result.provenance.knobs.get("resampler")),
    ]
    return replace(result, cautions=by_severity(everything))


def _tell_few_times(estimate: Estimate) -> Iterator[Caution]:
    """Yield a caution where cases in time order are worth few independent ones."""
    dependence = estimate.dependence
    if dependence is not None and dependence.few:
        yield of_evidence.few_times(dependence.n_times, round(dependence.worth))


def _evidence_remarks(call: Call, *, blocks: bool) -> Iterator[Caution]:
    """Yield what is to be known of the predictions, or of the folds where there are only scores."""
    if call.fold_scores is not None:
        yield from call.fold_scores.list_remarks()
        partial = [
            name
            for name, whole in zip(call.given.configs.ids, call.given.complete, strict=True)
            if not whole
        ]
        if partial:
            yield of_search.configurations_incomplete(tuple(partial), call.given.n_configs)
        yield of_search.predictions_would_add(call.fold_scores.splits.assumed)
    elif not isinstance(call.design, PairedHalves):  # which leaves cases untested by design
        yield from evidence_remarks(call.given, call.metric, blocks=blocks)


def _make_estimate(method: Method, call: Call, parts: EstimateParts) -> Estimate:
    """Put an estimate together; interval and standard error are read from the source of limits."""
    pi, scale, source, errors = call.pi, call.metric.scale, parts.source, parts.errors
    draws = None if source is None else source.draws
    valid = None if draws is None else draws[~np.isnan(draws)]
    estimand = method.spec.estimand if parts.estimand is None else parts.estimand
    winner = None if parts.winner is None else pi.configs.ids[parts.winner]
    return Estimate(
        value=scale.clip(parts.value),
        interval=None if source is None else make_interval(source, call.ask, scale),
        standard_error=_find_error(source, valid) if errors is None else errors.value,
        optimism_error=None if errors is None else errors.optimism,
        scale=scale,
        method=method.spec.name,
        estimand=_name_estimand(pi, estimand),
        selection=_find_selection(method, pi.n_configs, parts),
        naive=parts.naive,
        winner=winner,
        winner_label=None if winner is None else call.given.configs.find_label(winner),
        ensemble=parts.ensemble,
        guide=_find_guide(method, call, parts),
        n_cases=pi.n_counted if call.fold_scores is None else call.fold_scores.n_cases,
        n_configs=pi.n_configs,
        n_resamples=None if draws is None else len(draws),
        n_valid=None if valid is None else len(valid),
        cautions=tuple(parts.cautions),
        provenance=Provenance(
            seed=call.seeds.entropy,
            fingerprint=(call.design or call.fold_scores or call.given).fingerprint,
            n_folds=pi.n_folds,
            n_repeats=pi.n_repeats,
            knobs={
                **knobs(method),
                **{name: simplify_setting(knob) for name, knob in parts.used.items()},
            },
            versions=list_versions(),
        ),
        training=_find_training(call, estimand),
        no_information=call.no_information,
        evidence=None if call.fold_scores is None else Evidence.FOLD_SCORES,
        dependence=pi.target.dependence if method.spec.blocks else None,
        weighting=CaseWeighting.of(pi.target),
        source=source,
        details=parts.details,
    )


def _find_selection(method: Method, n_configs: int, parts: EstimateParts) -> Selection:
    """Return what was done about the choice among the configurations."""
    if n_configs == 1:
        return Selection.NOTHING_SELECTED
    if parts.selection is not None:
        return parts.selection
    return Selection.CORRECTED if method.spec.corrected else Selection.UNCORRECTED


def _find_guide(method: Method, call: Call, parts: EstimateParts) -> Guide | None:
    """Return which cases guided the search, where the method judges what was selected."""
    if parts.guide is not None or call.pi.configs.static:
        return parts.guide
    if method.spec.needs is not Evidence.OUT_OF_SAMPLE and not method.spec.static_only:
        return None  # its design searches anew on other cases
    if call.pi.guides is None:
        return Guide.ALL
    return Guide.MIXED if is_guided(call.pi) else None


# Estimands of models that have not seen the cases which test them.
_OF_FOLD_MODELS = {
    Estimand.WINNER,
    Estimand.FITTED_MODELS,
    Estimand.LEARNER,
    Estimand.AT_TRAINING_SIZE,
    Estimand.PROCEDURE,
}


def _find_training(call: Call, estimand: str) -> TrainingSizes | None:
    """Return how many cases trained the models that were tested, if the estimate is about them."""
    if call.fold_scores is not None:
        n, folds = call.fold_scores.n_cases, call.fold_scores.n_folds
        regular = n is not None and not call.fold_scores.splits.overlap
        return TrainingSizes.of([n - n // folds]) if regular and n is not None else None
    return call.given.training if estimand in _OF_FOLD_MODELS else None


def _name_estimand(pi: Predictions, estimand: str) -> str:
    """Return what is estimated; for scores of items nothing was trained."""
    if pi.target.task is not Task.SCORES or pi.n_folds > 1:
        return str(estimand)
    if pi.n_configs == 1:
        estimand = Estimand.FIXED_MODEL
    return str(ON_ITEMS.get(estimand, estimand))


def _find_error(
    source: LimitSource | None, valid: NDArray[np.float64] | None = None
) -> float | None:
    """Return the standard error of a source of limits, or of the draws, where there is one."""
    standard_error: float | None = getattr(source, "standard_error", None)
    if standard_error is not None or (isinstance(source, WidenedLimits) and source.end is None):
        return standard_error  # the draws have no spread
    error = float(np.std(valid, ddof=1)) if valid is not None and len(valid) > 1 else None
    return None if isinstance(source, WidenedLimits) and error == 0.0 else error


def _answer_of_replicates(method: Method, call: ReplicatesCall) -> Estimate:
    """Return an estimate from replicates; its naive score is that of the training cases."""
    replicates, scale = call.replicates, call.metric.scale
    check_question(method, replicates.drawn, replicates.target, call.metric)
    parts = method(call)
    drawn = {
        "n_replicates": replicates.n_replicates,
        "n_failed": replicates.n_failed,
        "drawn": str(replicates.drawn),
    }
    source = parts.source
    estimate = Estimate(
        value=scale.clip(parts.value),
        interval=None if source is None else make_interval(source, call.ask, scale),
        standard_error=_find_error(source),
        scale=scale,
        method=method.spec.name,
        estimand=str(method.spec.estimand),
        selection=Selection.NOTHING_SELECTED,
        naive=parts.naive,
        winner=replicates.learner,
        n_cases=replicates.n_cases,
        n_configs=1,
        n_resamples=None,
        n_valid=None,
        cautions=by_severity([*parts.cautions, *_of_replicates(call)]),
        provenance=Provenance(
            seed=replicates.seed,
            fingerprint=replicates.fingerprint,
            n_folds=0,
            n_repeats=0,
            knobs={**knobs(method), **drawn},
            versions=list_versions(),
        ),
        no_information=no_information(replicates.target, call.metric),
        source=source,
        details=parts.details,
    )
    cautions = by_severity([*estimate.cautions, *remark_worse(estimate)])
    return replace(estimate, cautions=cautions)


def _of_replicates(call: ReplicatesCall) -> Iterator[Caution]:
    """Yield what the training had to say, and what a reader must know of cases and draws."""
    replicates = call.replicates
    yield from replicates.cautions
    yield from evidence_remarks(replicates.resubstituted, call.metric)
    if replicates.drawn is not DrawUnit.GROUPS:
        yield from resampling_remarks(replicates.resubstituted, str(replicates.drawn))


def too_optimistic(estimate: Estimate) -> Iterator[Caution]:
    """Yield a caution if the winner's own score is far too good, beyond doubt."""
    lost = estimate.share_lost
    corrected = estimate.selection in (Selection.CORRECTED, Selection.BOUND_ONLY)
    if corrected and lost is not None and lost >= LARGE and flatters(estimate):
        yield describe_optimism(estimate)


def _choice_remarks(estimate: Estimate, parts: EstimateParts, call: Call) -> Iterator[Caution]:
    """Yield what is to be known of the choice of the winner."""
    if not estimate.honest:
        yield from not_corrected(estimate.n_configs)
    if parts.winner is not None and parts.scores is not None:
        yield from ties_at_the_top(call.pi, call.metric, parts.scores, parts.winner)


def _result_remarks(estimate: Estimate, method: Method, call: Call) -> Iterator[Caution]:
    yield from too_optimistic(estimate)
    if estimate.guide in (Guide.ALL, Guide.MIXED) and estimate.honest:  # else nothing is corrected
        yield of_search.dynamic_search(
            "" if estimate.ensemble is not None else method.spec.name,
            corrects=method.spec.static_only,
            crossed=estimate.guide is Guide.MIXED,
        )
    elif estimate.guide is Guide.CROSSED:
        yield of_search.crossed_search()
    if estimate.selection is Selection.NOTHING_SELECTED:
        yield of_search.one_configuration(*_find_narrower(estimate))
    if estimate.winner in call.pi.configs.ids and call.fold_scores is None:
        position = call.pi.configs.ids.index(estimate.winner)
        yield from few_decide(call.pi, call.metric, position)
        if estimate.interval is not None:
            yield from confident_winner(call.pi, call.metric, position)
    yield from few_beyond(estimate.interval, estimate.n_valid)
    yield from remark_worse(estimate)
    if estimate.interval is not None:
        interval = estimate.interval
        yield from limit_remarks(estimate.source, interval.confidence_level, Side(interval.side))
    if (
        estimate.n_valid is not None
        and estimate.n_resamples
        and estimate.n_valid < estimate.n_resamples
    ):
        yield of_limits.resamples_undefined(
            estimate.n_resamples - estimate.n_valid, estimate.n_resamples
        )


def _find_narrower(estimate: Estimate) -> tuple[str, int]:
    """Return the method of a narrower interval for a model that was not selected, and its least n.

    The name is empty where there is none.
    """
    if estimate.method != "bbc":
        return "", 0
    return (
        ("holdout", 0) if estimate.provenance.n_folds == 1 else ("bayle_all_pairs", FEW_FOR_BAYLE)
    )


def disagreement(answers: list[Estimate]) -> Iterator[Caution]:
    """Yield a caution where two corrected intervals for the same estimand do not meet."""
    pairs = [
        (a, b)
        for i, a in enumerate(answers)
        for b in answers[i + 1 :]
        if a.estimand == b.estimand and a.honest
    ]
    for a, b in pairs:
        if a.interval is None or b.interval is None:
            continue
        if a.interval.high < b.interval.low or b.interval.high < a.interval.low:
            yield of_search.disagreement(a.method, b.method)
