"""An estimate as people read it in a terminal: the sentence, the picture, facts, cautions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from earnest.cli.failing import in_options
from earnest.cli.picture import HONEST, NAIVE, axis_for, mark, strip
from earnest.cli.terminal import ACCENT, GREY, WARN, clean, emit
from earnest.core.cautions import Caution, Severity
from earnest.core.results import Estimate
from earnest.core.sentences import confidence, headline, printed, reason
from earnest.core.specs import MethodSpec
from earnest.methods import METHODS
from earnest.metrics import METRICS

PICTURE = 44  # columns from the first to the last tick
MOST_CAUTIONS = 5

Part = Text | Table | Padding
Fact = tuple[str, str]


def show_estimate(estimate: Estimate) -> None:
    """Write one estimate."""
    emit(
        Text(),
        *sentences(estimate),
        Text(),
        *picture(estimate),
        Text(),
        labelled([*subject(estimate), *method_facts(estimate), *evidence(estimate)]),
        Text(),
        *remarks(estimate.cautions),
    )


def spec_of(estimate: Estimate) -> MethodSpec:
    """Return the declaration of the method that made an estimate."""
    spec: MethodSpec = METHODS[estimate.method].spec
    return spec


def honest(estimate: Estimate) -> bool:
    """Tell whether no luck of the search is left: corrected, or nothing was selected."""
    return spec_of(estimate).corrected or estimate.n_configs == 1


def title_of(estimate: Estimate) -> str:
    """Return the metric's words for people, its name where it is not registered."""
    return METRICS[estimate.metric].title if estimate.metric in METRICS else estimate.metric


def sentences(estimate: Estimate) -> Iterator[Part]:
    """Yield the honest number, its interval, and where the optimism comes from."""
    fair, shown = honest(estimate), printed(estimate)
    main = Text(clean(headline(estimate, title_of(estimate), corrected=fair)), style="bold")
    if shown.naive is not None and shown.naive != shown.value:
        main.highlight_words([shown.naive], WARN)
    main.highlight_words([shown.value], ACCENT if fair else WARN)
    yield indented(main)
    yield indented(Text(clean(confidence(estimate, corrected=fair))))
    why = reason(estimate, corrected=fair)
    if why:
        yield indented(Text(clean(why), style=GREY))


def picture(estimate: Estimate) -> Iterator[Text]:
    """Yield a row of ticks, the row of the interval, and the row of the naive score."""
    axis, fair = axis_for([estimate], PICTURE), honest(estimate)
    yield Text("  " + axis.labels(), style=GREY)
    row = strip(axis, estimate, corrected=fair)
    if not fair:
        yield _with_legend(row, WARN, NAIVE, estimate.method, "not corrected")
        return
    yield _with_legend(row, ACCENT, HONEST, "honest", estimate.method)
    if estimate.naive is not None and estimate.n_configs > 1:
        row = mark(axis, estimate.naive, NAIVE)
        yield _with_legend(row, WARN, NAIVE, "naive", "not corrected")


def _with_legend(row: str, style: str, sign: str, name: str, note: str) -> Text:
    line = Text("  " + row.ljust(PICTURE + 8), style=style)
    return line.append(f"{sign} {name:<8}").append(clean(note), GREY)


def subject(estimate: Estimate) -> Iterator[Fact]:
    """Yield the configuration and the metric."""
    if estimate.winner is not None:
        yield "Winner" if estimate.n_configs > 1 else "Model", estimate.winner
    better = "higher" if estimate.scale.greater_is_better else "lower"
    yield "Metric", f"{estimate.metric}, {better} is better"


def method_facts(estimate: Estimate) -> Iterator[Fact]:
    """Yield the method and what it estimates."""
    spec = spec_of(estimate)
    yield "Method", f"{spec.name}: {spec.title}"
    yield "Estimates", estimate.estimand


def evidence(estimate: Estimate) -> Iterator[Fact]:
    """Yield what the number stands on."""
    made = estimate.provenance
    parts = [
        counted(estimate.n_cases, "case"),
        counted(estimate.n_configs, "configuration"),
        counted(made.n_folds, "fold"),
    ]
    if made.n_repeats > 1:
        parts.append(counted(made.n_repeats, "repeat"))
    if estimate.n_resamples:
        parts += [counted(estimate.n_resamples, "resample"), f"seed {made.seed}"]
    yield "Evidence", ", ".join(parts)


def remarks(cautions: Iterable[Caution]) -> Iterator[Part]:
    """Yield what to be careful about and what to do, cautions first, at most five."""
    ordered = sorted(cautions, key=lambda caution: caution.severity is Severity.NOTE)
    if not ordered:
        yield indented(Text("No cautions.", style=GREY))
        return
    table = grid(2)
    for caution in ordered[:MOST_CAUTIONS]:
        note = caution.severity is Severity.NOTE
        said = Text(clean(f"{caution.what} {caution.consequence}"), style=GREY if note else "")
        if caution.cure:
            said.append(f"\n{clean(in_options(caution.cure))}", GREY)
        sign = Text(f"{'i' if note else '!'} {caution.code}", GREY if note else f"bold {WARN}")
        table.add_row(sign, said)
    yield indented(table)
    more = len(ordered) - MOST_CAUTIONS
    if more > 0:
        yield indented(Text(f"{more} more; --json has them all.", style=GREY))


def labelled(facts: Iterable[Fact], style: str = "") -> Padding:
    """Return facts as a column of labels and a column of text."""
    table = grid(2)
    for label, text in facts:
        table.add_row(Text(label, style=GREY), Text(clean(text), style=style))
    return indented(table)


def counted(count: int, noun: str) -> str:
    """Return a count with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def indented(part: Text | Table) -> Padding:
    """Return a part two columns to the right."""
    return Padding(part, (0, 0, 0, 2), expand=False)


def grid(columns: int) -> Table:
    """Return a table without lines whose last column alone may wrap."""
    table = Table.grid(padding=(0, 2))
    for column in range(columns):
        table.add_column(no_wrap=column < columns - 1, overflow="fold")
    return table
