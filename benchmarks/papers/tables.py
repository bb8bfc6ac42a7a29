"""The tables of the pages on papers, from the results in their folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchmarks.papers.agreement import (
    AGREES,
    DIFFERS,
    UNEXPLAINED,
    read_published,
)
from benchmarks.papers.claims import Claim, Outcome, list_claims
from benchmarks.papers.reproduce import HERE, load_study, read_records, read_results
from benchmarks.papers.study import PAPERS, facts_of

Line = dict[str, str]
FILES = "../../benchmarks/papers"  # as seen from a page
AGAIN = {"paraschakis2024": ("evaluation",)}  # tables of numbers that others have too


def table(kind: str, paper: str, *words: str) -> str:
    """Return a Markdown table: 'held', 'missed', 'summary', 'differs' or 'errors' of a paper."""
    kinds: dict[str, Callable[..., str]] = {
        "held": claims,
        "missed": missed_claims,
        "summary": summary,
        "differs": differs,
        "errors": decompose_errors,
    }
    return kinds[kind](paper, *words)


def claims(paper: str) -> str:
    """Return what the paper says, our result, and whether it held, where it can be told."""
    return _claims_table([c for c in list_claims(paper) if c.verdict != Outcome.TOO_FEW])


def missed_claims(paper: str) -> str:
    """Return the statements that did not hold in full, and how many did."""
    statements = list_claims(paper)
    count = Counter(claim.verdict for claim in statements)
    missed = [c for c in statements if c.verdict in (Outcome.DIRECTION, Outcome.NOT_HELD)]
    link = f"[`statements.csv`]({FILES}/{paper}/statements.csv)"
    few = f" For {count[Outcome.TOO_FEW]} more there are {Outcome.TOO_FEW}."
    return (
        f"{count[Outcome.HELD]} of {len(statements) - count[Outcome.TOO_FEW]} statements held "
        f"({link} has all).{few if count[Outcome.TOO_FEW] else ''} The others:\n\n"
        + _claims_table(missed)
    )


def _claims_table(statements: Iterable[Claim]) -> str:
    head = ["the paper says", "theirs", "ours", "tolerance", "verdict"]
    rows = [[c.words, c.theirs, c.ours, c.tolerance, c.verdict] for c in statements]
    return markdown(head, rows)


@dataclass(frozen=True)
class Counts:
    """How many numbers of a table or a paper are tested, and what became of them."""

    tested: int
    differ: int
    unexplained: int

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Counts:
        """Count the lines of results."""
        verdicts = [line["verdict"] for line in lines]
        return cls(
            verdicts.count(AGREES) + verdicts.count(DIFFERS),
            verdicts.count(DIFFERS),
            sum(line["reason"] == UNEXPLAINED for line in lines),
        )

    def show(self) -> list[str]:
        """Return the cells of a table."""
        agree = self.tested - self.differ
        return [f"{count:,}" for count in (self.tested, agree, self.differ, self.unexplained)]


COUNTED = ("tested", "agree", "differ", "unexplained")


def summary(paper: str) -> str:
    """Return a line for every table with tested numbers, and links to the other tables."""
    tried = getattr(load_study(paper), "TRIED", {})
    rows, untested = [], []
    for record in read_records(paper):
        name, runs = record["table"], sorted(set(record["cells"].values()))
        counts = Counts.of(read_results(paper, name))
        spread = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        link = f"[`{name}`]({FILES}/{paper}/results/{name}.csv)"
        words = f"{link}: {tried[name]}" if name in tried else link
        if counts.tested:
            rows.append([words, spread, *counts.show()])
        else:
            untested.append(words)
    tested = markdown(["table", "runs per cell", *COUNTED], rows) if rows else ""
    others = f"Tables without tested numbers: {', '.join(untested)}.\n" if untested else ""
    return "\n".join(part for part in (tested, others) if part)


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


def decompose_errors(paper: str) -> str:
    """Return the parts of equation 63, means over sizes, with what the text gives for `star`."""
    lines = [
        (facts["estimator"], line)
        for line in read_results(paper, "equation63")
        if (facts := facts_of(line["row"])).get("sizes") == "all"
    ]
    parts = {
        "mse_conditional": "squared error about the truth of this training set",
        "mse_mean": "about the mean truth",
        "sd_ratio": "ratio of the sds",
        "rho": "correlation",
        "sd_ratio less twice rho": "ratio less twice the correlation",
    }
    rows: dict[str, dict[str, str]] = {}
    for name, line in lines:
        theirs = f" (published {float(line['published']):.3f})" if line["published"] else ""
        rows.setdefault(name, {})[line["quantity"]] = f"{float(line['ours']):.3f}{theirs}"
    return markdown(
        ["estimator", *parts.values()],
        [[f"`{name}`", *(cells[part] for part in parts)] for name, cells in rows.items()],
    )


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)
