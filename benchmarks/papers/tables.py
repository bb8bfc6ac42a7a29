"""The tables of the pages on papers, from the results in their folders."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchmarks.papers.agreement import (
    AGREES,
    DIFFERS,
    NO_TEST,
    NOT_PUBLISHED,
    UNEXPLAINED,
    read_published,
)
from benchmarks.papers.claims import Outcome, list_claims
from benchmarks.papers.reproduce import HERE, load_study, read_records, read_results
from benchmarks.papers.study import PAPERS, facts_of

Line = dict[str, str]
FILES = "../../benchmarks/papers"  # as seen from a page
AGAIN = {"paraschakis2024": ("evaluation",)}  # tables of numbers that others have too
MARK = {AGREES: "", DIFFERS: " ✗", NO_TEST: "", NOT_PUBLISHED: ""}


def table(kind: str, paper: str, *words: str) -> str:
    """Return a Markdown table: 'held', 'summary', 'pivot' and others of a paper."""
    kinds: dict[str, Callable[..., str]] = {
        "held": claims,
        "summary": summary,
        "pivot": pivot,
        "differs": differs,
    }
    return kinds[kind](paper, *words)


def claims(paper: str) -> str:
    """Return what the paper says, our result, and whether it held, where it can be told."""
    head = ["the paper says", "theirs", "ours", "tolerance", "verdict"]
    statements = list_claims(paper)
    rows = [
        [claim.words, claim.theirs, claim.ours, claim.tolerance, claim.verdict]
        for claim in statements
        if claim.verdict != Outcome.TOO_FEW
    ]
    count = len(statements) - len(rows)
    return markdown(head, rows) + (
        f"\nFor {count} more statements there are {Outcome.TOO_FEW}.\n" if count else ""
    )


@dataclass(frozen=True)
class Counts:
    """How many numbers of a table or a paper are tested, and what became of them."""

    numbers: int
    published: int
    tested: int
    differ: int
    unexplained: int

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Counts:
        """Count the lines of results."""
        verdicts = [line["verdict"] for line in lines]
        return cls(
            len(lines),
            sum(bool(line["published"]) for line in lines),
            verdicts.count(AGREES) + verdicts.count(DIFFERS),
            verdicts.count(DIFFERS),
            sum(line["reason"] == UNEXPLAINED for line in lines),
        )

    def show(self) -> list[str]:
        """Return the cells of a table."""
        agree = self.tested - self.differ
        counts = (self.numbers, self.published, self.tested, agree, self.differ, self.unexplained)
        return [f"{count:,}" for count in counts]


COUNTED = ("numbers", "published", "tested", "agree", "differ", "unexplained")


def summary(paper: str) -> str:
    """Return a line for every table: its file, how it was run, and what became of its numbers."""
    tried = getattr(load_study(paper), "TRIED", {})
    rows = []
    for record in read_records(paper):
        name, runs = record["table"], sorted(set(record["cells"].values()))
        counts = Counts.of(read_results(paper, name))
        spread = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        link = f"[`{name}`]({FILES}/{paper}/results/{name}.csv)"
        words = f"{link}: {tried[name]}" if name in tried else link
        rows.append([words, record["scale"], spread, *counts.show()])
    return markdown(["table", "scale", "runs per cell", *COUNTED], rows)


def index() -> str:
    """Return a line for every paper: what became of its statements and of its numbers.

    Numbers that are held against versions of ours, to find why one differs, count once.
    """
    rows = []
    for paper in PAPERS:
        again = {*getattr(load_study(paper), "TRIED", {}), *AGAIN.get(paper, ())}
        published = [
            key for key in read_published(HERE / paper / "expected.csv") if key[0] not in again
        ]
        lines = [
            line
            for record in read_records(paper)
            if record["table"] not in again
            for line in read_results(paper, record["table"])
        ]
        counts = Counts.of(lines)
        verdicts = [claim.verdict for claim in list_claims(paper)]
        numbers = (len(published), counts.tested, counts.tested - counts.differ, counts.differ)
        rows.append(
            [
                f"{paper[:-4].capitalize()} {paper[-4:]}",
                *(str(verdicts.count(outcome)) for outcome in Outcome),
                *(f"{number:,}" for number in numbers),
            ]
        )
    return markdown(["paper", *Outcome, "numbers published", "tested", "agree", "differ"], rows)


def differs(paper: str) -> str:
    """Return how many numbers of each table are beyond the rule for a reason."""
    counts = Counter(
        (line["reason"], record["table"])
        for record in read_records(paper)
        for line in read_results(paper, record["table"])
        if line["verdict"] == DIFFERS
    )
    tables: dict[str, list[str]] = {}
    for (reason, name), count in counts.items():
        tables.setdefault(reason, []).append(f"{count} in `{name}`")
    rows = [[reason, ", ".join(words)] for reason, words in tables.items()]
    return markdown(["reason", "numbers"], rows) if rows else "No number differs.\n"


def pivot(paper: str, name: str, across: str, quantity: str, *filters: str) -> str:
    """Return a table with a column for every value of a fact (or of the quantity itself).

    A cell is ours, and in brackets the published number where there is one, with its tolerance: by
    how much ours could have differed from it and still agreed; ✗ marks a number that differs.
    """
    columns: list[str] = []
    rows: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
    for line in keep(read_results(paper, name), filters):
        facts = facts_of(line["row"])
        if across == "quantity":
            column = line["quantity"]
        elif line["quantity"].replace(" ", "_") != quantity or across not in facts:
            continue
        else:
            column = facts.pop(across)
        if column not in columns:
            columns.append(column)
        theirs = f" ({short(line['published'])}{tolerance(line)})" if line["published"] else ""
        key = tuple(facts.items())
        rows.setdefault(key, {})[column] = f"{ours(line)}{theirs}{MARK[line['verdict']]}"
    dropped = dict(zip(filters[::2], filters[1::2], strict=True))
    every = dict.fromkeys(fact for key in rows for fact, _ in key)
    names = [fact for fact in every if fact not in dropped]
    made = [
        [
            *(dict(key).get(fact, "–") for fact in names),
            *(cells.get(column, "–") for column in columns),
        ]
        for key, cells in rows.items()
    ]
    return markdown([*names, *columns], made)


def keep(lines: Iterable[Line], filters: Sequence[str]) -> list[Line]:
    """Return the lines whose facts have the given values, as pairs of words."""
    wanted = dict(zip(filters[::2], filters[1::2], strict=True))
    return [
        line
        for line in lines
        if all(facts_of(line["row"]).get(name) == value for name, value in wanted.items())
    ]


def tolerance(line: Line) -> str:
    """Return by how much ours could have differed from the published number and still agreed."""
    if not line["agrees_from"]:
        return ""
    theirs = float(line["published"])
    below, above = theirs - float(line["agrees_from"]), float(line["agrees_to"]) - theirs
    less, more = (f"{max(width, 0.0):.2g}" for width in (below, above))
    return f" ± {less}" if less == more else f" −{less}/+{more}"


def ours(line: Line) -> str:
    """Return our number, with the standard error of a mean that no tolerance stands beside."""
    if line["kind"] == "mean" and line["spread"] and not line["agrees_from"]:
        error = float(line["spread"]) / math.sqrt(int(line["runs"]))
        return f"{short(line['ours'])} ± {error:.1g}"
    return short(line["ours"])


def short(text: str) -> str:
    """Return a number with three digits."""
    if not text:
        return "–"
    value = float(text)
    if value == round(value):
        return str(round(value))
    places = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1
    return f"{value:.{places}f}" if abs(value) >= 0.0005 else f"{value:.1e}"


def short_p(text: str) -> str:
    """Return a p-value."""
    value = float(text)
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)
