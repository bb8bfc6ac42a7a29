"""The first screen: the honest number in words, what it is, and what to do and to be careful of."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace

from earnest.core.base import check
from earnest.core.base.provenance import day_words
from earnest.core.data.target import Target, Task
from earnest.core.results.cautions import Caution, Scope, Severity
from earnest.core.results.estimate import Estimate, by_severity
from earnest.core.results.leaks import LeakSuspect
from earnest.core.results.readiness import Sufficiency
from earnest.core.results.scale import CaseWeighting
from earnest.core.results.specs import Estimand, Selection, Side
from earnest.core.text.counts import tell_counts, tell_weights
from earnest.core.text.estimate import (
    Form,
    Quantity,
    article,
    flatters,
    form,
    headline_phrases,
    is_on_items,
    limits_words,
    places_of,
    print_numbers,
    reason,
    rival,
    training_words,
    word_confidence,
    word_headline,
)
from earnest.core.text.gain import word_headline as say_gain
from earnest.core.text.names import name_model, param_names, value_words
from earnest.core.text.numbers import decimals, percent, prose, write_count
from earnest.core.text.readiness import list_verdict
from earnest.core.text.readings import write_reading
from earnest.plotting.svg.answer import answer as draw_answer
from earnest.reporting.model import NONE, Advice, Answer, Facts, RivalsPart, Span, make_plain
from earnest.reporting.parts.headings import NO_ANSWER, NO_SCORE, REPORTED, UNKNOWN
from earnest.reporting.sources.asking import Results
from earnest.reporting.sources.material import (
    Material,
)

WORTH, USE, NEXT = "Was the tuning worth it?", "Which one to use", "What to do next"
MODEL = "model.skops"
MOST_STEPS = 3
LITTLE = 0.2  # share of the way from a constant prediction to perfect


def advise(
    results: Results, rivals: RivalsPart | None, cautions: tuple[Caution, ...] = ()
) -> tuple[Advice, ...]:
    """Return the answers to the questions that follow the number.

    Whether the tuning was worth it is asked where there is an estimate of several configurations.

    Parameters
    ----------
    results : Results
        What the verbs said.
    rivals : RivalsPart or None
        The winner against the others, for which of them may be used as well.
    cautions : tuple of Caution
        Those of the number; the cure of the first one is a step.
    """
    estimate = results.estimate
    steps = (
        _list_steps(results, estimate, cautions) if estimate is not None else _list_repairs(results)
    )
    worth = tuple(_say_worth(results))
    section = "gain" if results.gain is not None else ""
    return (
        *([Advice(WORTH, worth, "worth", section)] if worth else []),
        Advice(
            USE, tuple(sentence for sentence in _name_choice(results, rivals) if sentence), "use"
        ),
        Advice(NEXT, tuple(steps)[:MOST_STEPS], "next"),
    )


def _say_worth(results: Results) -> Iterator[str]:
    """Yield what the search gained, as its section says it, or why that is not known."""
    if results.gain is not None and results.gain.n_configs > 1:
        yield say_gain(results.gain)
    elif (
        results.estimate is not None and results.estimate.n_configs > 1 and "gain" in results.absent
    ):
        yield results.absent["gain"]


def _name_choice(results: Results, rivals: RivalsPart | None) -> Iterator[str]:
    estimate, labels = results.estimate, results.material.labels
    if estimate is not None and estimate.ensemble is not None and estimate.winner is None:
        yield from _name_ensemble(results, estimate, len(estimate.ensemble))
        return
    if results.winner is None:
        yield "None yet: no configuration was evaluated on every fold."
        return
    winner = labels.get(results.winner, results.winner)
    if estimate is None:
        yield f"{winner} has the best score so far. What to expect of it is open."
        return
    if estimate.n_configs == 1:
        yield f"There is one: {winner}."
        return
    if form(estimate) is Form.NO_EVIDENCE:
        yield f"None yet. {winner} won, but no evidence shows that it beats {rival(estimate)}."
        return
    if form(estimate) is Form.WORSE:
        yield f"None yet. {winner} won, and does worse than {rival(estimate)}."
        return
    yield f"The winner: {winner}."
    if rivals is not None:
        yield _name_others(rivals, labels, estimate, fitted=results.material.refitted)
    if MODEL in results.material.files:
        yield f"`{MODEL}` holds the winner, refitted on all cases."


def _name_ensemble(results: Results, estimate: Estimate, count: int) -> Iterator[str]:
    """Say whether to use the ensemble that the search delivers."""
    ensemble = f"the ensemble of {count} configurations"
    if form(estimate) is Form.NO_EVIDENCE:
        yield f"None yet: no evidence shows that {ensemble} beats {rival(estimate)}."
        return
    if form(estimate) is Form.WORSE:
        yield f"None yet: {ensemble} does worse than {rival(estimate)}."
        return
    yield f"{ensemble.capitalize()}: their weighted average."
    if MODEL in results.material.files:
        yield f"`{MODEL}` holds it, refitted on all cases."


def _name_others(
    rivals: RivalsPart, labels: dict[str, str], estimate: Estimate, *, fitted: bool
) -> str:
    """Say what may be used as well."""
    count, cheapest = len(rivals.not_worse), rivals.cheapest
    if not count:
        return "All others are shown to be worse."
    others = f"{write_count(count, 'other')} {'is' if count == 1 else 'are'} not shown to be worse"
    if cheapest is None:
        return f"{others}: if one of them is cheaper or easier to explain, you may use it."
    cheaper = "cheaper to fit" if fitted else "cheaper"
    if cheapest == estimate.winner:
        return f"{others}; none of them is {cheaper} and at most {rivals.margin} worse here."
    more = "" if count == 1 else f" {others}."
    label = labels.get(cheapest, cheapest)
    near = f"at most {rivals.margin} worse here, and not shown to be worse"
    return f"{cheaper.capitalize()}, {near}: {label}.{more}"


def _list_suspects(results: Results) -> tuple[LeakSuspect, ...]:
    """Return the columns that may be known only after the outcome."""
    leaks = results.material.leaks
    return () if leaks is None else leaks.suspects


def _list_steps(
    results: Results, estimate: Estimate, cautions: tuple[Caution, ...]
) -> Iterator[str]:
    """Yield what to do with an estimate, the most important first."""
    kind, suspects = form(estimate), _list_suspects(results)
    if suspects:
        listed = check.some(f"`{suspect.column}`" for suspect in suspects)
        verb = "is" if len(suspects) == 1 else "are"
        yield f"Do not report it yet. Find out whether {listed} {verb} known before the outcome."
    elif kind is Form.NO_EVIDENCE:
        yield "Do not use it yet. Collect more cases, or features that say more about the outcome."
    elif kind is Form.WORSE:
        yield "Do not use it. Check first whether labels or scores are reversed."
    elif kind is Form.UNCORRECTED:
        yield "Use a method that corrects for the search, such as `bbc`, before you report it."
    elif kind is not Form.ELECTED:
        yield _say_report(estimate, kind)
    cures = (
        f"Caution {each.code}: {each.cure}"
        for each in cautions
        if each.severity is Severity.CAUTION and each.cure and each.about is not Scope.OPTIMISM
        if not suspects
    )
    yield from list(cures)[:1]
    usable = kind not in (Form.NO_EVIDENCE, Form.WORSE) and not suspects
    if usable and _has_too_few_cases(results):
        yield f"Collect more cases: {estimate.n_cases:,} leave open how good the model is."
    if MODEL in results.material.files and usable:
        folder = shlex.quote(str(results.material.folder))
        yield f"Predict new cases: `earnest predict {folder} new.csv`."


def _say_report(estimate: Estimate, kind: Form) -> str:
    shown, ends = print_numbers(estimate), ""
    if kind is Form.PERFECT and estimate.interval is not None:
        return f"Report the bound beside the score: {limits_words(estimate.interval, shown)}."
    if estimate.interval is not None:
        level = percent(estimate.interval.confidence_level)
        word = "interval" if estimate.interval.side == Side.TWO_SIDED else "bound:"
        ends = f" ({level} {word} {limits_words(estimate.interval, shown)})"
    naive = f", not {shown.naive}" if kind in (Form.SMALL, Form.LARGE) else ""
    return f"Report {shown.value}{ends}{naive}."


def _list_repairs(results: Results) -> Iterator[str]:
    """Yield what to do where there is no estimate."""
    if results.material.predictions is None:
        yield (
            "Let the run finish, or pass the predictions that the search kept, with the outcome. "
            "This page then says what to expect."
        )
    elif results.absent.get("answer"):
        yield "Fix the problem named at the top, then make this page again."
    else:
        yield "Continue the search until a configuration is evaluated on every fold."


WIDE, PHONE = 580, 350  # pixels
TASKS = {
    Task.BINARY: "binary classification",
    Task.MULTICLASS: "multiclass classification",
    Task.REGRESSION: "regression",
    Task.SURVIVAL: "survival",
    Task.SCORES: "scores of items",
}
MOST_PARAMS = 6
NO_OUTCOME = (
    "A corrected score needs the outcome of the cases.",
    "Pass the predictions that the search kept (Predictions with y), or the folder of a "
    "finished run.",
)
REFUSED = ("There is none. The line at the top says why.",)
NO_WINNER = ("An estimate needs a configuration that was evaluated on every fold.",)


def answer_of(results: Results, rivals: RivalsPart | None = None) -> Answer:
    """Return the first screen; what may be used beside the winner is told by `rivals`."""
    estimate = results.estimate
    answer = _without_estimate(results) if estimate is None else _of_estimate(results, estimate)
    return replace(
        answer,
        advice=advise(results, rivals, answer.cautions),
        params=_params(results),
    )


def _value_title(kind: Form) -> str:
    if kind is Form.PERFECT:
        return "Score on these cases"
    raw = kind in (Form.UNCORRECTED, Form.ELECTED)
    return "Winner's score" if raw else "Honest estimate"


def _params(results: Results) -> str:
    """Return the winner's parameters as JSON, empty where they are unknown."""
    best = next(
        (
            configuration
            for configuration in results.material.tried
            if configuration.config == results.winner
        ),
        None,
    )
    if best is None or not best.params:
        return ""
    return json.dumps(make_plain(best.params), ensure_ascii=False)


def _of_estimate(results: Results, estimate: Estimate) -> Answer:
    material, fair = results.material, estimate.honest
    sentence = word_headline(estimate, material.title, speaker=material.speaker)
    shown, kind = print_numbers(estimate), form(estimate)
    lede = f"{word_confidence(estimate)} {_say_open(results, kind)}"
    whose = training_words(estimate, delivered=material.refitted)
    lede += f"{whose} {_reason(results, estimate)}"
    naive = estimate.n_configs > 1 and shown.naive is not None and fair
    return Answer(
        kicker=_kicker(material, estimate),
        headline=tuple(_set_apart(estimate, material)),
        lede=lede.strip(),
        reading=write_reading(estimate, results.target),
        verdict=() if results.readiness is None else list_verdict(results.readiness),
        value=shown.value.words,
        value_title=_value_title(kind),
        interval_title=_interval_title(estimate),
        interval=NONE if estimate.interval is None else limits_words(estimate.interval, shown),
        naive=str(shown.naive) if naive else None,
        naive_title="Naive score",
        naive_note="the winner’s own score on these items"
        if is_on_items(estimate)
        else "the winner’s own cross-validation score",
        gap=f"{shown.optimism} too optimistic" if naive and flatters(estimate) else "",
        meaning=tuple(_meaning(results, estimate)),
        cautions=_cautions(results, estimate),
        checked=_list_checked(results, estimate),
        facts=tuple(_facts(results)),
        paste="" if _list_suspects(results) else f"{sentence} {word_confidence(estimate)}",
        wide=draw_answer(estimate, name="answer-wide", width=WIDE),
        phone=draw_answer(estimate, name="answer-phone", width=PHONE),
    )


def _without_estimate(results: Results) -> Answer:
    """Return the first screen of a run that holds no outcome, or of one that ended early."""
    material = results.material
    best = next(
        (
            configuration
            for configuration in material.tried
            if configuration.config == material.best
        ),
        None,
    )
    score = None
    if best is not None and best.score is not None:
        score = prose(best.score, decimals(None, best.score), material.scale.limits)
    return Answer(
        kicker=_kicker(material, None),
        headline=tuple(_say_unknown(results, score)),
        lede=" ".join([*material.missing, *_refusal(results)]),
        value=None,
        value_title="Honest estimate",
        interval_title="",
        interval="",
        naive=score,
        naive_title="Naive score",
        naive_note="the winner’s own cross-validation score",
        gap="",
        meaning=_no_meaning(results),
        cautions=(),
        checked="",
        facts=tuple(_facts(results)),
    )


def _say_unknown(results: Results, score: str | None) -> Iterator[Span]:
    """Yield the headline of a run without an estimate, its naive score marked."""
    title = results.material.title
    if score is not None:
        yield Span(REPORTED.format(article=article(title), title=title))
        yield Span(score, "naive")
        yield Span(UNKNOWN)
    else:
        yield Span(NO_ANSWER.format(title=title) if _refusal(results) else NO_SCORE)


def _no_meaning(results: Results) -> tuple[str, ...]:
    if results.material.predictions is None:
        return (*_naive_words(results), *NO_OUTCOME)
    return REFUSED if _refusal(results) else NO_WINNER


def _naive_words(results: Results) -> tuple[str, ...]:
    """Say what the one number of a run without outcomes is, and what it is not."""
    complete = results.material.counts.complete
    if complete < 2:
        return ()
    return (
        f"The naive score is the mean over folds of the best of {complete:,} configurations. It "
        "was chosen for looking best, so it is likely to be too good.",
    )


def _reason(results: Results, estimate: Estimate) -> str:
    """Return where the optimism comes from, and how many of those tried were chosen from."""
    return reason(
        estimate,
        speaker=results.material.speaker,
        tried=results.material.counts.tried,
    )


def _refusal(results: Results) -> list[str]:
    why = results.absent.get("answer", "")
    return [f"There is no estimate: {why}"] if why else []


def _set_apart(estimate: Estimate, material: Material) -> Iterator[Span]:
    """Yield the headline with its numbers marked."""
    kinds = {Quantity.VALUE: "honest" if estimate.honest else "naive", Quantity.NAIVE: "naive"}
    for phrase in headline_phrases(estimate, material.title, speaker=material.speaker):
        yield Span(phrase.text, kinds[phrase.number] if phrase.number else "")


def _kicker(material: Material, estimate: Estimate | None) -> str:
    is_single = estimate is not None and estimate.n_configs == 1
    items = estimate is not None and is_on_items(estimate)
    several = "The best of several" if items else "The tuned model"
    parts = ["One configuration" if is_single else several, material.title]
    if material.predictions is not None:
        parts.append(TASKS[material.predictions.target.task])
    parts += [day for day in [day_words(material.begun)] if day]
    return " · ".join(parts)


def _say_open(results: Results, kind: Form) -> str:
    """Return what follows from an interval that covers much of what can be learned."""
    if kind in (Form.NO_EVIDENCE, Form.WORSE) or not _has_too_few_cases(results):
        return ""
    least = None if results.readiness is None else results.readiness.least
    if least is not None and least < LITTLE:
        return "It may be little better than guessing. "
    return "There are too few cases to say more. "


def _has_too_few_cases(results: Results) -> bool:
    return results.readiness is not None and results.readiness.cases is Sufficiency.TOO_FEW


def _interval_title(estimate: Estimate) -> str:
    if estimate.interval is None:
        return "interval"
    level = percent(estimate.interval.confidence_level)
    return f"{level} {'interval' if estimate.interval.side == Side.TWO_SIDED else 'bound'}"


def _meaning(results: Results, estimate: Estimate) -> Iterator[str]:
    """Yield what the number is: the estimand, the training size, the refit, new data."""
    material, folds = results.material, estimate.provenance.n_folds
    title = material.title
    n = "" if estimate.n_cases is None else f" {estimate.n_cases:,}"
    trained = "" if estimate.training is None else f", trained on {estimate.training} cases"
    if estimate.estimand == Estimand.WINNER and folds > 1:
        trained = f", over the models of these folds{trained}"
    if estimate.n_configs == 1:
        yield f"The {title} of this one configuration{trained}."
    elif estimate.selection is Selection.CORRECTED:
        kind = "" if is_on_items(estimate) else "mean "
        yield (
            f"The {kind}{title} of a configuration chosen this way from these "
            f"{estimate.n_configs:,}{trained}."
        )
    else:
        yield f"{estimate.estimand[:1].upper()}{estimate.estimand[1:]}."
    if material.refitted or (estimate.n_configs > 1 and folds > 1):
        yield (
            f"It does not count what a model refitted on all{n or ' cases'} gains, which is "
            "usually a little."
        )
    yield from _two_naive(results, estimate)
    if is_on_items(estimate):
        yield f"“Items like these” means items drawn like these{n}: same source, same mix."
        return
    if estimate.weighting is not None:
        yield (
            f"“New data” means the population that these{n} cases stand for by their "
            f"{estimate.weighting.kind} weights: same source, same period."
        )
        return
    yield f"“New data” means cases drawn like these{n}: same source, same period, same mix."


def _two_naive(results: Results, estimate: Estimate) -> Iterator[str]:
    """Say why the table of configurations has another score of the winner, where it has."""
    searched = next(
        (
            configuration.score
            for configuration in results.material.tried
            if configuration.config == estimate.winner
        ),
        None,
    )
    if searched is None or estimate.naive is None or estimate.n_configs < 2 or not estimate.honest:
        return
    places, limits = max(places_of([estimate]), 3), estimate.scale.limits
    ranked, pooled = prose(searched, places, limits), prose(estimate.naive, places, limits)
    by_folds = estimate.provenance.knobs.get("selector") == "mean_of_folds"
    if ranked == pooled or by_folds == results.material.by_folds:
        return
    bases = ["over all cases", "as a mean over folds"]
    yield (
        f"The naive score is the winner's {bases[by_folds]}, {pooled}; {bases[not by_folds]} it is "
        f"{ranked}."
    )


def _cautions(results: Results, estimate: Estimate) -> tuple[Caution, ...]:
    """Return the cautions of the number and of what stands beside it, each said once."""
    table = () if results.table is None else results.table.cautions
    learned = () if results.explanation is None else results.explanation.cautions
    edge = [caution for caution in learned if caution.about is Scope.EDGE]
    every = by_severity([*estimate.cautions, *table, *edge])
    return tuple(dict.fromkeys(every))


def _list_checked(results: Results, estimate: Estimate) -> str:
    looked = {
        "optimism": estimate.n_configs > 1,
        "classes per fold": results.target is not None and results.target.has_classes,
        "groups": True,
        "ties": estimate.n_configs > 1,
        "resamples": bool(estimate.n_resamples),
        "edges of the space": results.explanation is not None,
    }
    return ", ".join(name for name, done in looked.items() if done)


def _facts(results: Results) -> Iterator[Facts]:
    estimate = results.estimate
    if estimate is not None and estimate.ensemble is not None and estimate.winner is None:
        yield Facts("Ensemble", tuple(_list_members(estimate.ensemble)))
    else:
        title = "Winner" if len(results.material.tried) > 1 else "Model"
        yield Facts(title, tuple(_winner(results)))
    if results.target is not None:
        yield Facts("Data", tuple(_data(results, results.target)))
    yield Facts("Search" if results.material.searched else "Evidence", tuple(_search(results)))


def _list_members(shares: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Yield every member of an ensemble, with its share of the prediction."""
    yield "Model", f"the average of {len(shares)} configurations"
    for name, share in shares.items():
        yield name, f"weight {share:.3f}"


def _winner(results: Results) -> Iterator[tuple[str, str]]:
    material = results.material
    best = next(
        (
            configuration
            for configuration in material.tried
            if configuration.config == results.winner
        ),
        None,
    )
    if best is None:
        yield "Name", results.winner or NONE
        return
    name = material.names[best.config]
    model = name.model or material.model
    if model:
        yield "Model", model
    if name.words != best.config or not best.params:
        yield "Id" if best.params else "Name", best.config
    names = param_names(configuration.params for configuration in material.tried)
    for param, value in list(best.params.items())[:MOST_PARAMS]:
        if name_model(value).split("(")[0] != model:
            yield names[param], value_words(value)
    if len(best.params) > MOST_PARAMS:
        yield "…", f"{len(best.params) - MOST_PARAMS} more, in the audit table"


def _data(results: Results, target: Target) -> Iterator[tuple[str, str]]:
    yield "Items" if target.measure is not None else "Cases", f"{target.n:,}"
    if target.has_classes:
        codes = [1] if target.task is Task.BINARY else range(min(len(target.classes), 4))
        for code in codes:
            count = int((target.y == code).sum())
            share = percent(round(count / target.n, 2))
            name = str(target.classes[code])
            yield f"Class {name}", f"{count:,} ({share})"
    elif target.event is not None:
        count = int(target.event.sum())
        yield "Events", f"{count:,} ({percent(round(count / target.n, 2))})"
    elif target.measure is not None:
        better = "higher" if target.measure.greater_is_better else "lower"
        yield "Measure", f"{target.measure.title}, {better} is better"
        if target.strata is not None:
            yield "Tasks", f"{len(set(target.strata.tolist())):,}"
    else:
        yield "Outcome", f"{target.y.min():.4g} to {target.y.max():.4g}, mean {target.y.mean():.4g}"
    if results.material.n_features is not None:
        yield "Features", f"{results.material.n_features:,}"
    weighting = CaseWeighting.of(target)
    if weighting is not None:
        yield "Weights", tell_weights(weighting)
    groups = target.groups
    yield "Groups", "none given" if groups is None else f"{len(set(groups.tolist())):,}"


def _search(results: Results) -> Iterator[tuple[str, str]]:
    material = results.material
    yield "Tried", tell_counts(material.counts)
    if results.n_folds == 1:
        items = results.target is not None and results.target.measure is not None
        yield "Splits", "none: one set of items" if items else "none: one set of cases"
    elif results.n_folds:
        repeats = "" if results.n_repeats < 2 else f", {write_count(results.n_repeats, 'repeat')}"
        yield "Splits", f"{write_count(results.n_folds, 'fold')}{repeats}"
    if material.n_fits is not None:
        nested = f" (nested: {results.nested_fits:,})" if results.nested_fits else ""
        yield "Fits", f"{material.n_fits:,}{nested}"
    if results.seed is not None:
        yield "Seed", str(results.seed)
