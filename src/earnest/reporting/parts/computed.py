"""How everything was computed: settings, seeds, versions, citations, and words for a paper."""

from __future__ import annotations

from collections.abc import Iterator

from earnest.comparison.base import TESTS
from earnest.core.base.provenance import list_versions, moment_words
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.estimate import Estimate
from earnest.core.results.papers import CitableSpec, collect_papers, find_papers
from earnest.core.results.specs import Side
from earnest.core.text.counts import tell_weights
from earnest.core.text.estimate import (
    article,
    is_on_items,
    limits_words,
    print_numbers,
    word_direction,
)
from earnest.core.text.numbers import percent, write_count
from earnest.core.text.order import say_dependence, word_dependence
from earnest.explanation.result import Explanation
from earnest.methods.base import spec_of
from earnest.reporting.checklist.study import find_study
from earnest.reporting.checklist.words import (
    say_missing,
    say_outcome,
    say_participants,
    say_predictors,
)
from earnest.reporting.model import NONE, ComputedPart, Facts
from earnest.reporting.parts.headings import COMPUTED
from earnest.reporting.sources.asking import Results
from earnest.reporting.sources.material import Material

LEARNED_BY = "Moosbauer et al. 2021"


def make_computed(results: Results) -> ComputedPart:
    """Return the last part of a report."""
    cited = collect_papers([*_list_named(results)])
    keys = {paper.key for paper in cited}
    shown = collect_papers([*_specs(results)], also=_list_sources(results))
    return ComputedPart(
        heading=COMPUTED,
        facts=tuple(_facts(results)),
        paragraph=paragraph(results),
        citations=tuple((paper.key, paper.words) for paper in cited),
        others=tuple((paper.key, paper.words) for paper in shown if paper.key not in keys),
        bibtex="\n\n".join(paper.bibtex for paper in cited),
    )


def make_computed_of_explanation(explanation: Explanation) -> ComputedPart:
    """Return the last part of the page of an explanation."""
    papers, provenance = find_papers(LEARNED_BY), explanation.provenance
    used = ", ".join(f"{name} {number}" for name, number in provenance["versions"].items())
    evidence = (("Source", str(provenance["source"])), ("Versions", used))
    return ComputedPart(
        heading=COMPUTED,
        facts=(_explanation(explanation), Facts("The evidence", evidence)),
        paragraph="",
        citations=tuple((paper.key, paper.words) for paper in papers),
        bibtex="\n\n".join(paper.bibtex for paper in papers),
    )


def _list_named(results: Results) -> Iterator[CitableSpec]:
    """Yield the specs of the method and the test that the paragraph names."""
    if results.estimate is not None:
        yield spec_of(results.estimate)
        if results.many is not None and len(results.many):
            yield TESTS[results.many.comparisons[0].test].spec.of_folds(results.n_folds)


def _specs(results: Results) -> Iterator[CitableSpec]:
    """Yield the specs of the methods and tests that were asked."""
    if results.estimate is not None:
        yield spec_of(results.estimate)
    for estimate in results.table or ():
        yield spec_of(estimate)
    if results.many is not None and len(results.many):
        yield TESTS[results.many.comparisons[0].test].spec.of_folds(results.n_folds)


def _list_sources(results: Results) -> Iterator[str]:
    """Yield the sources of what the other parts show."""
    if results.explanation is not None:
        yield LEARNED_BY
    if results.target is not None and results.target.has_classes:
        yield "Wilson 1927"
        yield "Fawcett 2006"
    if results.target is not None and results.target.event is not None:
        yield "Kaplan and Meier 1958"
        yield "Kalbfleisch and Prentice 2002"


def _facts(results: Results) -> Iterator[Facts]:
    estimate = results.estimate
    if estimate is not None:
        yield Facts("The estimate", tuple(_estimate(estimate)))
        knobs = estimate.provenance.knobs.items()
        yield Facts("Its settings", tuple((name, _knob(value)) for name, value in knobs))
    if results.many is not None and len(results.many):
        spec = TESTS[results.many.comparisons[0].test].spec.of_folds(results.n_folds)
        yield Facts(
            "The comparison",
            (
                ("Test", f"{spec.name}: {spec.title}"),
                ("Adjusted", _adjustment(results.many)),
                ("Seed", _show_value(results.many.seed)),
            ),
        )
    if results.explanation is not None:
        yield _explanation(results.explanation)
    yield Facts("The evidence", tuple(_evidence(results)))


def _explanation(explanation: Explanation) -> Facts:
    names = {"n_points": "Points", "grid_size": "Grid", "regions": "Regions", "seed": "Seed"}
    rows = [(words, _show_value(explanation.provenance[name])) for name, words in names.items()]
    return Facts("The explanation", (("Surrogate", explanation.surrogate), *rows))


def _estimate(estimate: Estimate) -> Iterator[tuple[str, str]]:
    spec = spec_of(estimate)
    yield "Method", f"{spec.name}: {spec.title} ({spec.cites})"
    yield "Estimates", estimate.estimand
    yield (
        "Metric",
        f"{estimate.metric}, {word_direction(estimate.scale)}",
    )
    if estimate.interval is not None:
        yield "Interval", f"{percent(estimate.interval.confidence_level)}, {estimate.interval.side}"
    if estimate.n_resamples:
        valid = "all" if estimate.n_valid == estimate.n_resamples else f"{estimate.n_valid:,}"
        yield "Resamples", f"{estimate.n_resamples:,}, {valid} with a defined value"
    if estimate.dependence is not None:
        yield "In time", word_dependence(estimate.dependence)
    yield "For pasting", repr(estimate)


def _evidence(results: Results) -> Iterator[tuple[str, str]]:
    material, estimate = results.material, results.estimate
    yield "Source", material.source
    yield "Run begun", moment_words(material.begun) or _no_date(material)
    if material.files:
        yield "Files", ", ".join(material.files)
    if estimate is not None:
        yield "Fingerprint", estimate.provenance.fingerprint
        yield "Seed", _show_value(estimate.provenance.seed)
    used = list_versions() if estimate is None else estimate.provenance.versions
    yield "Versions", ", ".join(f"{name} {number}" for name, number in used.items())
    for words in material.missing:
        yield "Missing", words


def _no_date(material: Material) -> str:
    """Say why there is no date: a page never shows that of its own rendering."""
    source = "scores" if material.speaker == "your scores" else "predictions"
    why = "the run did not record it" if material.searched else f"{source} have no date"
    return f"{NONE} ({why})"


def _knob(value: object) -> str:
    return "none" if value is None else str(value)


def _show_value(value: object) -> str:
    return NONE if value is None else str(value)


def paragraph(results: Results) -> str:
    """Return a paragraph for the methods section of a paper."""
    estimate, material = results.estimate, results.material
    if estimate is None:
        return ""
    shown, spec = print_numbers(estimate), spec_of(estimate)
    several = estimate.ensemble is not None and estimate.winner is None
    repeats = "" if results.n_repeats < 2 else f", repeated {results.n_repeats} times"
    folds = f" by {results.n_folds}-fold cross-validation{repeats}" if results.n_folds > 1 else ""
    tried = material.counts.tried
    whole = f", {estimate.n_configs:,} of them on every fold," if tried > estimate.n_configs else ""
    items = is_on_items(estimate)
    units, where = ("items", "items like these") if items else ("cases", "new data")
    if estimate.weighting is not None:
        units += f" ({tell_weights(estimate.weighting)})"
    sample = "" if estimate.n_cases is None else f" on {estimate.n_cases:,} {units}"
    sentences = [*_say_data(results)]
    analysis = (
        f"We evaluated {write_count(tried, 'configuration')}{whole}{sample}{folds} and "
        f"estimated the {material.title} on {where} with the method “{spec.title}” "
        f"({spec.cites}"
    )
    if estimate.n_resamples:
        analysis += f"; {estimate.n_resamples:,} resamples, seed {estimate.provenance.seed}"
    sentences.append(f"{analysis}).")
    sentences += _say_choice(results, estimate)
    sentences.append(
        f"The estimate is {article(material.title)} {material.title} of "
        f"{shown.value}{_ends(estimate)}."
    )
    sentences.append(f"It estimates {estimate.estimand}.")
    if timed := say_dependence(estimate.dependence):
        sentences.append(timed)
    if estimate.training is not None and material.refitted:
        sentences.append(
            f"The models tested were trained on {estimate.training} cases; the delivered model was "
            "refitted on all of them, and its gain from that is not counted."
        )
    if estimate.n_configs > 1 and shown.naive is not None and estimate.honest:
        score = "score" if items else "cross-validated score"
        selected = "ensemble" if several else "configuration"
        sentences.append(
            f"The {score} of the selected {selected}, which is not corrected for "
            f"the selection, was {shown.naive}."
        )
    if results.many is not None and len(results.many):
        test = TESTS[results.many.comparisons[0].test].spec.of_folds(results.n_folds)
        source = f"{test.title}; {test.cites}" if test.cites else test.title
        sentences.append(
            f"The {'best single' if several else 'selected'} configuration was compared with "
            f"{_others(len(results.many))} by the test {test.name} ({source}), "
            f"two-sided{_say_adjustment(results.many)}."
        )
    used = ", ".join(f"{name} {number}" for name, number in estimate.provenance.versions.items())
    sentences.append(f"Computed with {used} (method {estimate.method}).")
    return " ".join(sentences)


def _say_data(results: Results) -> tuple[str, ...]:
    """Return participants, outcome, predictors and missing values, in the order of TRIPOD+AI."""
    study = find_study(results)
    if study is None:
        return ()
    return tuple(say(study) for say in (say_participants, say_outcome, say_predictors, say_missing))


_CHOSEN_BY = {
    "pooled": "which has the best score over all {units} at once",
    "mean_of_folds": "which has the best mean score over the folds",
    "one_standard_error": "the simplest within one standard error of the best score",
}


def _say_choice(results: Results, estimate: Estimate) -> Iterator[str]:
    """Say which configuration was selected and by which rule, where there was a choice."""
    if estimate.n_configs < 2:
        return
    if estimate.ensemble is not None and estimate.winner is None:
        yield f"An ensemble of {len(estimate.ensemble)} configurations was selected."
    elif estimate.winner is not None:
        rule = _CHOSEN_BY.get(str(estimate.provenance.knobs.get("selector")))
        units = "items" if is_on_items(estimate) else "cases"
        why = "" if rule is None else f", {rule.format(units=units)}"
        names = results.material.names
        name = names[estimate.winner].words if estimate.winner in names else estimate.winner
        yield f"The selected configuration is {name}{why}."


def _adjustment(many: Comparisons) -> str:
    if len(many) == 1:
        return "no: there is one"
    how = "the largest error of any pair" if many.joint else "Bonferroni"
    return f"for all {many.family.size:,} pairs at once, {how}"


def _others(count: int) -> str:
    return "the other one" if count == 1 else f"the {count:,} others"


def _say_adjustment(many: Comparisons) -> str:
    if len(many) == 1:
        return ""
    law = "their joint distribution" if many.joint else "Bonferroni's rule"
    return (
        f", adjusted simultaneously for all {many.family.size:,} pairs of configurations by {law}"
    )


def _ends(estimate: Estimate) -> str:
    interval, shown = estimate.interval, print_numbers(estimate)
    if interval is None:
        return ""
    level = percent(interval.confidence_level)
    kind = "interval" if interval.side == Side.TWO_SIDED else "one-sided bound:"
    return f" ({level} {kind} {limits_words(interval, shown)})"
