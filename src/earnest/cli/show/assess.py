"""What was found of a learner, as people read it in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from earnest.cli.show.estimate import (
    NARROWEST,
    Fact,
    Part,
    emit_blocks,
    indented,
    label_facts,
    metric_words,
    remarks,
    show_paragraph,
    show_table,
    tag_cautions,
    title_of,
    write_headline,
)
from earnest.cli.show.picture import MARGIN, axis_for, draw_strip
from earnest.cli.show.terminal import ACCENT, GREY, clean, columns
from earnest.core.results.estimate import Estimate, Estimates
from earnest.core.results.specs import Estimand
from earnest.core.text.estimate import print_numbers, training_words, word_confidence
from earnest.core.text.numbers import write_count
from earnest.methods.base import spec_of
from earnest.metrics import METRICS
from earnest.metrics.families import BINARY
from earnest.training.assess.stability import Stability

PICTURE = 44  # columns from the first to the last tick
_OF_BOTH = ("roc_auc", "ks")  # the same whichever of two classes is positive
FLATTERING = (Estimand.TRAINING_SCORE, Estimand.OPTIMISTIC_MEAN)
USUAL = ".632+"  # the default of `assess`: the sentence where it was asked
LOOKED_AT = "cases, classes per fold, groups, fits that failed"


def show_assessed(estimate: Estimate, source: Any, test: str | None = None) -> None:
    """Write what one method says of a learner, on a test set of that name if there is one."""
    trained = _list_trained(estimate) if test is None else _list_trained_once(estimate, test)
    spec = spec_of(estimate)
    method = [("Method", f"{spec.name}: {spec.title}"), ("Estimates", estimate.estimand)]
    emit_blocks(
        _sentences(estimate),
        _picture(estimate),
        [label_facts([*_subject(estimate, source), *method, *trained])],
        remarks([*estimate.cautions, *source.cautions], LOOKED_AT),
    )


def show_stable(stability: Stability, source: Any) -> None:
    """Write whether a learner is stable, and by which numbers."""
    word = "is stable" if stability.stable else "may not be stable"
    main = Text(clean(f"{' - '.join(stability.learners)} {word}."), style="bold")
    ratio = f"{stability.ratio:.2g} ± {stability.ratio_error:.1g} (at most 1 for a stable learner)"
    facts = [
        ("Table", f"{source.source}: {write_count(source.n_cases, 'case')}, {source.words}"),
        ("Metric", stability.metric),
        ("Ratio", ratio),
        ("Trained", f"{write_count(stability.n_swaps, 'training case')} replaced, one at a time"),
    ]
    emit_blocks(
        [indented(main)],
        [label_facts(facts)],
        remarks([*stability.cautions, *source.cautions], "whether a training case changes losses"),
    )


def show_all_assessed(estimates: Estimates, source: Any) -> None:
    """Write what several methods say of a learner, the soundest of them as the sentence."""
    sober = [e for e in estimates if spec_of(e).estimand not in FLATTERING]
    sober.sort(key=lambda e: (e.interval is None, spec_of(e).flatters, e.method != USUAL))
    reported = (sober or list(estimates))[0]
    cautions = [*estimates.cautions, *tag_cautions(estimates, reported), *source.cautions]
    emit_blocks(
        _sentences(reported),
        show_table(estimates, reported, columns()),
        [label_facts(_subject(reported, source))],
        remarks(cautions, LOOKED_AT),
    )


def _sentences(estimate: Estimate) -> Iterator[Part]:
    main = write_headline(estimate, "the search")  # nothing else has a naive score here
    if spec_of(estimate).estimand in FLATTERING:
        main = Text(clean(f"The {title_of(estimate)} of "), style="bold")
        main.append(print_numbers(estimate).value.words, ACCENT)
        main.append(
            " is too optimistic: the models saw the cases that it is measured on. Do not expect it "
            "on new data."
        )
    yield indented(main)
    yield show_paragraph(word_confidence(estimate))
    if whose := training_words(estimate):
        yield show_paragraph(whose)
    shown = print_numbers(estimate)
    if estimate.provenance.n_folds == 0 and shown.naive not in (None, shown.value):
        yield show_paragraph(f"On the cases it was trained on, it scores {shown.naive}.", GREY)


def _picture(estimate: Estimate) -> Iterator[Text]:
    if columns() < NARROWEST or estimate.interval is None:
        return
    axis = axis_for([estimate], min(PICTURE, columns() - 2 * MARGIN - 20))
    yield Text("  " + axis.labels(), style=GREY)
    row = draw_strip(axis, estimate)
    yield Text(f"  {row:<{axis.room + 2}}{estimate.method}", style=ACCENT)


def _subject(estimate: Estimate, source: Any) -> Iterator[Fact]:
    if estimate.n_configs > 1:
        configurations = f"{estimate.n_configs:,} configurations"
        yield "Search", f"{configurations}; on all folds the best is {estimate.winner}"
    else:
        yield "Learner", str(estimate.winner)
    used = write_count(source.inputs.n_columns, "column")
    yield "Table", f"{source.source}: {write_count(source.n_cases, 'case')}, {used}, {source.words}"
    about = f"; {source.classes[-1]} is the positive class" if _of_one(estimate.metric) else ""
    yield "Metric", f"{metric_words(estimate)}{about}"


def _of_one(metric: str) -> bool:
    """Tell whether a metric is another one when the other class is the positive one."""
    return metric in METRICS and METRICS[metric].tasks == BINARY and metric not in _OF_BOTH


def _list_trained(estimate: Estimate) -> Iterator[Fact]:
    """Yield what was trained: bootstrap samples, or folds and their repeats."""
    provenance = estimate.provenance
    samples = provenance.knobs.get("n_replicates")
    if samples is not None:
        parts = [write_count(int(samples), "bootstrap sample")]
    else:
        parts = ["1 split" if provenance.n_folds == 1 else write_count(provenance.n_folds, "fold")]
        parts += [write_count(provenance.n_repeats, "repeat")] if provenance.n_repeats > 1 else []
    yield "Trained", ", ".join([*parts, f"seed {provenance.seed}"])


def _list_trained_once(estimate: Estimate, test: str) -> Iterator[Fact]:
    """Yield that all design cases trained, and what tested."""
    yield "Trained", f"1 model of all cases of the table, seed {estimate.provenance.seed}"
    yield "Tested", f"{test}: {write_count(estimate.n_cases or 0, 'case')}"
