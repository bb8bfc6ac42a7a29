"""An estimate as people read it in a terminal: the sentence, the picture, facts, cautions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from earnest.cli.failures import in_options, is_python
from earnest.cli.show.picture import HONEST, MARGIN, NAIVE, axis_for, mark, strip
from earnest.cli.show.terminal import ACCENT, GREY, WARN, clean, columns, emit
from earnest.core.data.target import Task
from earnest.core.results.cautions import Caution, Severity
from earnest.core.results.estimate import Estimate
from earnest.core.results.specs import MethodSpec
from earnest.core.text.estimate import (
    confidence,
    estimand_words,
    headline,
    is_on_items,
    print_numbers,
    reason,
    training_words,
)
from earnest.core.text.numbers import write_count
from earnest.methods import METHODS
from earnest.metrics import METRICS

PICTURE = 44  # columns from the first to the last tick
NARROWEST = 50  # columns under which a picture tells nothing
MOST_CAUTIONS = 5
APART = " on a held-out part"
SPEAKER = "your predictions"  # all that the command line is given

Part = Text | Table | Padding
Fact = tuple[str, str]


def show_estimate(estimate: Estimate, names: Mapping[str, str] | None = None) -> None:
    """Write one estimate; `names` says what to print of each configuration."""
    emit(
        Text(),
        *sentences(estimate),
        Text(),
        *picture(estimate, columns()),
        label_facts([*subject(estimate, names), *method_facts(estimate), *evidence(estimate)]),
        Text(),
        *remarks(estimate.cautions, list_checked(estimate)),
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


def sentences(
    estimate: Estimate,
    speaker: str = SPEAKER,
    *,
    delivered: bool = False,
    tried: int | None = None,
) -> Iterator[Part]:
    """Yield the honest number, its interval, whose it is, and where the optimism comes from.

    `tried` is how many configurations were begun, where some were not evaluated on every fold.
    """
    fair, shown = honest(estimate), print_numbers(estimate)
    said = headline(estimate, title_of(estimate), corrected=fair, speaker=speaker)
    main = Text(clean(said), style="bold")
    if shown.naive is not None and shown.naive != shown.value:
        main.highlight_words([shown.naive], WARN)
    main.highlight_words([shown.value], ACCENT if fair else WARN)
    yield indented(main)
    yield indented(Text(clean(confidence(estimate, corrected=fair))))
    whose = training_words(estimate, delivered=delivered)
    if whose:
        yield indented(Text(clean(whose)))
    why = reason(estimate, corrected=fair, speaker=speaker, tried=tried)
    if why:
        yield indented(Text(clean(why), style=GREY))


def picture(estimate: Estimate, columns: int) -> Iterator[Text]:
    """Yield a row of ticks, the row of the interval, the row of the naive score, and a gap.

    A narrow terminal has no room for the notes of the legend, a very narrow one for no picture.
    """
    if columns < NARROWEST:
        return
    signs = list(legend(estimate))
    around = 2 + 2 * MARGIN + 2  # the indent, the margins, and the gap before the legend
    noted = columns >= around + PICTURE + max(len(sign.text) + len(sign.note) for sign in signs)
    spare = columns - around - max(len(sign.text.rstrip()) for sign in signs)
    axis = axis_for([estimate], PICTURE if noted else min(PICTURE, spare))
    yield Text("  " + axis.labels(), style=GREY)
    for sign in signs:
        row = strip(axis, estimate, corrected=honest(estimate))
        row = row if sign.mark is None else mark(axis, sign.mark)
        line = Text(f"  {row:<{axis.room + 2}}{sign.text}", style=sign.style)
        yield line.append(clean(sign.note), GREY) if noted else line
    yield Text()


class Sign(NamedTuple):
    """A row of the legend; `mark` is the value of a row that is no interval."""

    text: str
    note: str
    style: str
    mark: float | None = None


def legend(estimate: Estimate) -> Iterator[Sign]:
    """Yield what the rows of the picture are called, the name apart from its note."""
    if not honest(estimate):
        yield Sign(f"{NAIVE} {estimate.method:<6}  ", "not corrected", WARN)
        return
    yield Sign(f"{HONEST} honest  ", estimate.method, ACCENT)
    if estimate.naive is not None and estimate.n_configs > 1:
        yield Sign(f"{NAIVE} naive   ", "not corrected", WARN, estimate.naive)


def subject(estimate: Estimate, names: Mapping[str, str] | None = None) -> Iterator[Fact]:
    """Yield the configuration and the metric."""
    if estimate.winner is not None:
        said = (names or {}).get(estimate.winner, estimate.winner)
        yield "Winner" if estimate.n_configs > 1 else "Model", said
    better = "higher" if estimate.scale.greater_is_better else "lower"
    yield "Metric", f"{estimate.metric}, {better} is better"


def method_facts(estimate: Estimate) -> Iterator[Fact]:
    """Yield the method and what it estimates."""
    spec = spec_of(estimate)
    # Of one configuration nothing is kept apart: all cases score.
    title = spec.title if estimate.n_configs > 1 else spec.title.removesuffix(APART)
    yield "Method", f"{spec.name}: {title}"
    yield "Estimates", estimand_words(estimate)


def evidence(estimate: Estimate) -> Iterator[Fact]:
    """Yield what the number stands on."""
    made = estimate.provenance
    items = is_on_items(estimate)
    parts = [
        write_count(estimate.n_cases, "item" if items else "case"),
        write_count(estimate.n_configs, "configuration"),
        *([] if items else [splits(made.n_folds)]),
    ]
    if made.n_repeats > 1:
        parts.append(write_count(made.n_repeats, "repeat"))
    parts += [write_count(estimate.n_resamples, "resample")] if estimate.n_resamples else []
    split = "evaluate" in made.knobs and estimate.n_configs > 1  # the cases that score are drawn
    parts += [f"seed {made.seed}"] if estimate.n_resamples or split else []
    yield "Evidence", ", ".join(parts)


def list_checked(estimate: Estimate) -> str:
    """Return in short what was looked at for cautions."""
    tasks = METRICS[estimate.metric].tasks if estimate.metric in METRICS else ()
    looked = {
        "optimism": estimate.n_configs > 1,
        "classes per fold": bool({Task.BINARY, Task.MULTICLASS} & set(tasks)),
        "groups": True,
        "ties": estimate.n_configs > 1,
        "resamples": bool(estimate.n_resamples),
    }
    return ", ".join(name for name, done in looked.items() if done)


def remarks(cautions: Iterable[Caution], looked_at: str) -> Iterator[Part]:
    """Yield what to be careful about and what to do, cautions first, at most five codes."""
    ordered = sorted(cautions, key=lambda each: (each.severity is Severity.NOTE, each.code))
    if not ordered:
        yield indented(Text(f"No cautions. Checked: {looked_at}.", style=GREY))
        return
    table = grid(2)
    codes = list(dict.fromkeys(caution.code for caution in ordered))[:MOST_CAUTIONS]
    opened = [caution for caution in ordered if caution.code in codes]
    for caution in opened:
        note = caution.severity is Severity.NOTE
        seen = in_options(f"{caution.what} {caution.consequence}")
        said = Text(clean(seen), style=GREY if note else "")
        if caution.cure:
            said.append(f"\n{clean(in_options(caution.cure))}", GREY)
        sign = Text(f"{'i' if note else '!'} {caution.code}", GREY if note else f"bold {WARN}")
        table.add_row(sign, said)
    yield indented(table)
    more = len(ordered) - len(opened)
    if more > 0:
        where = "`cautions` has them all" if is_python() else "--json has them all"
        yield indented(Text(f"{more} more; {where}.", style=GREY))


def label_facts(facts: Iterable[Fact], style: str = "") -> Padding:
    """Return facts as a column of labels and a column of text."""
    table = grid(2)
    for label, text in facts:
        table.add_row(Text(label, style=GREY), Text(clean(text), style=style))
    return indented(table)


def splits(folds: int) -> str:
    """Return the count of folds; one fold is none."""
    return write_count(folds, "fold") if folds > 1 else "no folds"


def indented(part: Text | Table) -> Padding:
    """Return a part two columns to the right."""
    return Padding(part, (0, 0, 0, 2), expand=False)


def grid(columns: int) -> Table:
    """Return a table without lines whose last column alone may wrap."""
    table = Table.grid(padding=(0, 2))
    for column in range(columns):
        table.add_column(no_wrap=column < columns - 1, overflow="fold")
    return table
