"""How everything was computed: settings, seeds, versions, citations, and words for a paper."""

from __future__ import annotations

from collections.abc import Iterator

from earnest.comparison.base import TESTS
from earnest.core.base.provenance import moment_words, versions
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.estimate import Estimate
from earnest.core.results.papers import CitableSpec, collect_papers, find_papers
from earnest.core.results.specs import Side
from earnest.core.text.estimate import article, is_on_items, limits_words, print_numbers
from earnest.core.text.numbers import percent, write_count
from earnest.explanation.result import Explanation
from earnest.reporting.model import NONE, ComputedPart, Facts
from earnest.reporting.parts.headings import COMPUTED
from earnest.reporting.sources.asking import Results, spec_of
from earnest.reporting.sources.material import Material

LEARNED_BY = "Moosbauer et al. 2021"


def make_computed(found: Results) -> ComputedPart:
    """Return the last part of a report."""
    papers = collect_papers([*_specs(found)], also=_list_sources(found))
    return ComputedPart(
        heading=COMPUTED,
        facts=tuple(_facts(found)),
        paragraph=paragraph(found),
        citations=tuple((paper.key, paper.words) for paper in papers),
        bibtex="\n\n".join(paper.bibtex for paper in papers),
    )


def make_computed_of_explanation(made: Explanation) -> ComputedPart:
    """Return the last part of the page of an explanation."""
    papers, told = find_papers(LEARNED_BY), made.provenance
    used = ", ".join(f"{name} {number}" for name, number in told["versions"].items())
    evidence = (("Source", str(told["source"])), ("Versions", used))
    return ComputedPart(
        heading=COMPUTED,
        facts=(_explanation(made), Facts("The evidence", evidence)),
        paragraph="",
        citations=tuple((paper.key, paper.words) for paper in papers),
        bibtex="\n\n".join(paper.bibtex for paper in papers),
    )


def _specs(found: Results) -> Iterator[CitableSpec]:
    """Yield the specs of the methods and tests that were asked."""
    if found.estimate is not None:
        yield spec_of(found.estimate)
    for one in found.table or ():
        yield spec_of(one)
    if found.many is not None and len(found.many):
        yield TESTS[found.many.comparisons[0].test].spec


def _list_sources(found: Results) -> Iterator[str]:
    """Yield the sources of what the other parts show."""
    if found.explanation is not None:
        yield LEARNED_BY
    if found.target is not None and found.target.has_classes:
        yield "Wilson 1927"
        yield "Fawcett 2006"
    if found.target is not None and found.target.event is not None:
        yield "Kaplan and Meier 1958"
        yield "Kalbfleisch and Prentice 2002"


def _facts(found: Results) -> Iterator[Facts]:
    made = found.estimate
    if made is not None:
        yield Facts("The estimate", tuple(_estimate(made)))
        knobs = made.provenance.knobs.items()
        yield Facts("Its settings", tuple((name, _knob(value)) for name, value in knobs))
    if found.many is not None and len(found.many):
        spec = TESTS[found.many.comparisons[0].test].spec
        yield Facts(
            "The comparison",
            (
                ("Test", f"{spec.name}: {spec.title}"),
                ("Adjusted", _adjustment(found.many)),
                ("Seed", _show_value(found.many.seed)),
            ),
        )
    if found.explanation is not None:
        yield _explanation(found.explanation)
    yield Facts("The evidence", tuple(_evidence(found)))


def _explanation(made: Explanation) -> Facts:
    names = {"n_points": "Points", "grid_size": "Grid", "regions": "Regions", "seed": "Seed"}
    rows = [(words, _show_value(made.provenance[name])) for name, words in names.items()]
    return Facts("The explanation", (("Surrogate", made.surrogate), *rows))


def _estimate(made: Estimate) -> Iterator[tuple[str, str]]:
    spec = spec_of(made)
    yield "Method", f"{spec.name}: {spec.title} ({spec.cites})"
    yield "Estimates", made.estimand
    yield (
        "Metric",
        f"{made.metric}, {'higher' if made.scale.greater_is_better else 'lower'} is better",
    )
    if made.interval is not None:
        yield "Interval", f"{percent(made.interval.confidence_level)}, {made.interval.side}"
    if made.n_resamples:
        valid = "all" if made.n_valid == made.n_resamples else f"{made.n_valid:,}"
        yield "Resamples", f"{made.n_resamples:,}, {valid} with a defined value"
    yield "For pasting", repr(made)


def _evidence(found: Results) -> Iterator[tuple[str, str]]:
    material, made = found.material, found.estimate
    yield "Source", material.source
    yield "Run begun", moment_words(material.begun) or _no_date(material)
    if material.files:
        yield "Files", ", ".join(material.files)
    if made is not None:
        yield "Fingerprint", made.provenance.fingerprint
        yield "Seed", _show_value(made.provenance.seed)
    used = versions() if made is None else made.provenance.versions
    yield "Versions", ", ".join(f"{name} {number}" for name, number in used.items())
    for words in material.missing:
        yield "Missing", words


def _no_date(material: Material) -> str:
    """Say why there is no date: a page never shows that of its own rendering."""
    own = "scores" if material.speaker == "your scores" else "predictions"
    why = "the run did not record it" if material.searched else f"{own} have no date"
    return f"{NONE} ({why})"


def _knob(value: object) -> str:
    return "none" if value is None else str(value)


def _show_value(value: object) -> str:
    return NONE if value is None else str(value)


def paragraph(found: Results) -> str:
    """Return a paragraph for the methods section of a paper."""
    made, material = found.estimate, found.material
    if made is None:
        return ""
    shown, spec = print_numbers(made), spec_of(made)
    repeats = "" if found.n_repeats < 2 else f", repeated {found.n_repeats} times"
    folds = f" by {found.n_folds}-fold cross-validation{repeats}" if found.n_folds > 1 else ""
    tried = len(material.tried)
    whole = f", {made.n_configs:,} of them on every fold," if tried > made.n_configs else ""
    items = is_on_items(made)
    units, where = ("items", "items like these") if items else ("cases", "new data")
    told = [
        f"We evaluated {write_count(tried, 'configuration')}{whole} on {made.n_cases:,} {units}"
        f"{folds} and estimated the {material.title} on {where} with the method “{spec.title}” "
        f"({spec.cites}",
    ]
    if made.n_resamples:
        told[0] += f"; {made.n_resamples:,} resamples, seed {made.provenance.seed}"
    told[0] += ")."
    told += _say_choice(found, made)
    told.append(
        f"The estimate is {article(material.title)} {material.title} of {shown.value}{_ends(made)}."
    )
    told.append(f"It estimates {made.estimand}.")
    if made.training is not None and material.refitted:
        told.append(
            f"The models tested were trained on {made.training} cases; the delivered model was "
            "refitted on all of them, and its gain from that is not counted."
        )
    if made.n_configs > 1 and shown.naive is not None and made.honest:
        own = "score" if items else "cross-validated score"
        told.append(
            f"The {own} of the selected configuration, which is not corrected for "
            f"the selection, was {shown.naive}."
        )
    if found.many is not None and len(found.many):
        test = TESTS[found.many.comparisons[0].test].spec
        told.append(
            f"The selected configuration was compared with {_others(len(found.many))} by the test "
            f"{test.name} ({test.title}; {test.cites}), two-sided{_say_adjustment(found.many)}."
        )
    used = ", ".join(f"{name} {number}" for name, number in made.provenance.versions.items())
    evidence = "scores" if items else "predictions"
    told.append(
        f"Computed with {used} (method {made.method}); fingerprint of the {evidence} "
        f"{made.provenance.fingerprint}."
    )
    return " ".join(told)


_CHOSEN_BY = {
    "pooled": "which has the best score over all {units} at once",
    "mean_of_folds": "which has the best mean score over the folds",
    "one_standard_error": "the simplest within one standard error of the best score",
}


def _say_choice(found: Results, made: Estimate) -> Iterator[str]:
    """Say which configuration was selected and by which rule, where there was a choice."""
    if made.n_configs < 2:
        return
    if made.ensemble is not None and made.winner is None:
        yield f"An ensemble of {len(made.ensemble)} configurations was selected."
    elif made.winner is not None:
        rule = _CHOSEN_BY.get(str(made.provenance.knobs.get("selector")))
        units = "items" if is_on_items(made) else "cases"
        why = "" if rule is None else f", {rule.format(units=units)}"
        names = found.material.names
        name = names[made.winner].words if made.winner in names else made.winner
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


def _ends(made: Estimate) -> str:
    interval, shown = made.interval, print_numbers(made)
    if interval is None:
        return ""
    level = percent(interval.confidence_level)
    kind = "interval" if interval.side == Side.TWO_SIDED else "one-sided bound:"
    return f" ({level} {kind} {limits_words(interval, shown)})"
