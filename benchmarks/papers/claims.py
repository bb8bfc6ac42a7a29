"""What each paper says, in a line per statement, and whether it held in our results.

A statement is counted in cells: in each it holds or not, by the numbers of the results files alone.
Published numbers are tested one by one: see `agreement`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from benchmarks.papers.reproduce import read_records, read_results
from benchmarks.papers.study import facts_of

JOINT = "5 %, Holm"
ORDER = "order only"
MOST = 2 / 3  # of the cells, beyond which a statement holds in its direction
FEWEST = 5  # samples; fewer tell nothing
GREAT = 0.1  # by how much narrower an interval is if it shrinks greatly
Line = dict[str, str]


class Outcome(StrEnum):
    """What became of a statement."""

    HELD = "held"
    DIRECTION = "direction held"
    NOT_HELD = "did not hold"
    TOO_FEW = "too few samples to tell"


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, and what became of it.

    Parameters
    ----------
    held, cells : int
        In how many cells it held, of how many.
    direction : bool
        Whether its direction held although its size did not.
    samples : int, optional
        The fewest samples of a cell, where they can be too few.
    """

    words: str
    theirs: str
    ours: str
    tolerance: str
    held: int
    cells: int
    direction: bool = False
    samples: int | None = None

    @property
    def verdict(self) -> Outcome:
        """Whether it held in all cells, in most of them or in its direction alone."""
        if self.samples is not None and self.samples < FEWEST:
            return Outcome.TOO_FEW
        if self.held == self.cells:
            return Outcome.HELD
        if self.direction or self.held / self.cells > MOST:
            return Outcome.DIRECTION
        return Outcome.NOT_HELD


def list_claims(paper: str) -> list[Claim]:
    """Return the statements of a paper."""
    return CLAIMS[paper]()


def _counted(
    words: str,
    theirs: str,
    held: Iterable[bool],
    ours: str = "",
    tolerance: str = ORDER,
    direction: bool = False,
    samples: int | None = None,
) -> Claim:
    every = list(held)
    count = sum(every)
    ours = ours or f"{count} of {len(every)}"
    if samples is not None and samples < FEWEST:
        ours = f"{samples} sample{'s' if samples > 1 else ''} in some cells"
    return Claim(words, theirs, ours, tolerance, count, len(every), direction, samples)


def _number(paper: str, table: str, column: str = "ours") -> Callable[..., float]:
    """Return a look-up of the numbers of a table by quantity and facts."""
    lines = [
        (line["quantity"], facts_of(line["row"]), line)
        for line in read_results(paper, table)
        if line[column]
    ]

    def look(quantity: str, **facts: str) -> float:
        found = [
            line
            for name, own, line in lines
            if name == quantity and all(own.get(k) == v for k, v in facts.items())
        ]
        assert len(found) == 1, (table, quantity, facts, len(found))
        return float(found[0][column])

    return look


def _every(paper: str, table: str, fact: str, **filters: str) -> list[str]:
    """Return the values of a fact in a table, of the rows that have the others."""
    rows = [facts_of(line["row"]) for line in read_results(paper, table)]
    kept = [row for row in rows if all(row.get(k) == v for k, v in filters.items())]
    return list(dict.fromkeys(row[fact] for row in kept if fact in row))


def _span(values: Sequence[float], digits: int = 2) -> str:
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


# ---------------------------------------------------------------------------- paper by paper


def _tsamardinos() -> list[Claim]:
    paper = "tsamardinos2018"
    out = []
    for line in read_results(paper, "claims"):
        if line["quantity"] == "settings":
            ours, runs = int(float(line["ours"])), int(line["runs"])
            words = f"{line['row']} (figure 1)"
            two = "two standard errors"
            out.append(Claim(words, "all settings", f"{ours} of {runs}", two, ours, runs))
    out += _list_numbers_in_the_text()
    out += _list_sample_claims("", "")
    out += _list_dropping_claims()
    out += _list_first_fold_claims()
    out += _list_sample_claims("portfolio_", ", 610 configurations")
    times, most = _number(paper, "portfolio"), _every(paper, "portfolio", "cases")[-1]
    samples = _number(paper, "portfolio", "runs")
    sets = [name for name in _every(paper, "portfolio", "set") if name != "all"]
    saved = [times("times faster", set=name, cases=most) for name in sets]
    out.append(
        _counted(
            f"dropping trains 2 to 5 times fewer models with {most} cases (figure 4, 610 "
            "configurations)",
            "typically 2 to 5",
            [2 <= ratio <= 5 for ratio in saved],
            tolerance="2 to 5",
            samples=int(min(samples("times faster", set=name, cases=most) for name in sets)),
        )
    )
    return out


def _list_numbers_in_the_text() -> list[Claim]:
    """Return the numbers that the text gives for figure 1, each within the errors of both runs.

    The paper's 500 runs are taken to vary as ours do.
    """
    paper = "tsamardinos2018"
    claims = {
        (table, line["row"]): line
        for table in ("claims", "early")
        for line in read_results(paper, table)
        if line["quantity"] == "bias"
    }
    texts = {
        ("claims", "the largest bias of CVT, Beta(9, 6)"): "CVT over-estimates by up to 0.17",
        ("claims", "NCV less BBC, mean"): "BBC is below NCV by 0.013 on average",
        ("claims", "NCV less BBC, most"): "BBC is below NCV by 0.034 at most",
        ("early", "NCV less BCED, mean"): "BCED from fold 1 on is below NCV by 0.005 on average",
        ("early", "NCV less BCED, most"): "BCED from fold 1 on is below NCV by 0.018 at most",
    }
    out = []
    for (table, row), words in texts.items():
        ours, theirs = (float(claims[table, row][column]) for column in ("ours", "published"))
        reach = 1.96 * find_error(table, row) + 0.5 * 10 ** -_count_places(words)
        out.append(
            _counted(
                f"{words} (figure 1)",
                f"{theirs:g}",
                [abs(ours - theirs) <= reach],
                ours=f"{ours:.3f}",
                tolerance=f"± {reach:.3f}",
                direction=ours > 0,
            )
        )
    return out


def find_error(table: str, row: str, published_runs: int = 500) -> float:
    """Return the standard error of our number less the published one, for those of figure 1."""
    (line,) = (
        line
        for line in read_results("tsamardinos2018", table)
        if (line["row"], line["quantity"]) == (row, "bias")
    )
    return float(line["spread"]) * math.sqrt(1 / int(line["runs"]) + 1 / published_runs)


def _count_places(words: str) -> int:
    """Return how many decimals the number in a sentence has."""
    (number,) = (word for word in words.split() if "." in word)
    return len(number.partition(".")[2])


def _list_first_fold_claims() -> Iterator[Claim]:
    """Yield what the paper says of figures 2 and 3, whose dropping starts with the first fold."""
    paper = "tsamardinos2018"
    bias, spread, runs = (
        _number(paper, "early_figure2", column) for column in ("ours", "spread", "runs")
    )
    sizes = _every(paper, "early_figure2", "cases", set="all")
    small, last = [n for n in sizes if int(n) <= 100], sizes[-1]
    count = runs("bced", set="all", cases=last)
    gap = abs(bias("bced less bbc", set="all", cases=last))
    reach = 2 * spread("bced less bbc", set="all", cases=last) / math.sqrt(count)
    yield _counted(
        "BCED from fold 1 on is more biased than BBC up to 100 cases (figure 2)",
        "all sizes",
        [
            abs(bias("bced", set="all", cases=n)) > abs(bias("bbc", set="all", cases=n))
            for n in small
        ],
    )
    yield _counted(
        "with 500 cases BCED from fold 1 on has the bias of BBC (figure 2)",
        "identical",
        [gap <= reach],
        ours=f"{gap:.4f} apart",
        tolerance=f"± {reach:.4f}",
        direction=gap < 0.001,  # the digits that the text gives
    )
    for table, words in (("figure3", "as printed"), ("ties", "ties taken for worse")):
        yield from _list_costs_of_dropping(table, words, small, last)


def _list_costs_of_dropping(
    table: str, words: str, small: Sequence[str], last: str
) -> Iterator[Claim]:
    """Yield what the paper says of the AUC and the models that dropping from fold 1 on costs."""
    paper = "tsamardinos2018"
    ours, spread, runs = (_number(paper, table, column) for column in ("ours", "spread", "runs"))
    sets = {
        n: [name for name in _every(paper, table, "set", cases=n) if name != "all"]
        for n in (*small, last)
    }
    loss = {
        (name, n): 100 * (1 - ours("over cvt", set=name, cases=n)) for n in sets for name in sets[n]
    }
    places = [(name, n) for n in small for name in sets[n]]
    name, n = max(places, key=lambda place: loss[place])
    error = 200 * spread("over cvt", set=name, cases=n)
    error /= math.sqrt(runs("over cvt", set=name, cases=n))
    gone = [ours("dropped after two folds", set=name, cases=n) for name, n in places]
    most = max(loss[name, last] for name in sets[last])
    yield _counted(
        f"dropping from fold 1 on loses up to 9.05 % with 100 cases or fewer (figure 3, {words})",
        "9.05 %",
        [abs(loss[name, n] - 9.05) <= error],
        ours=f"{loss[name, n]:.2f} % at most",
        tolerance=f"± {error:.2f} %",
        direction=loss[name, n] > error,
    )
    yield _counted(
        f"dropping from fold 1 on loses little with 500 cases (figure 3, {words})",
        "0 to 1.4 %",
        [loss[name, last] <= 1.4 for name in sets[last]],
        ours=f"{most:.2f} % at most",
        tolerance="1.4 %",
    )
    yield _counted(
        "with 100 cases or fewer over 95 % of the configurations are dropped in two folds "
        f"(section 6.2.2, {words})",
        "most cases",
        [share > 0.95 for share in gone],
        ours=f"{100 * min(gone):.0f} to {100 * max(gone):.0f} %",
        tolerance="95 %",
    )


def _list_sample_claims(before: str, after: str) -> list[Claim]:
    """Return what the paper says of figures 2, 5, 6 and 7, for one of both sets of samples."""
    paper = "tsamardinos2018"
    bias, width = _number(paper, f"{before}figure2"), _number(paper, f"{before}figure7")
    sizes = _every(paper, f"{before}figure2", "cases", set="all")
    small, rest = [n for n in sizes if int(n) <= 100], [n for n in sizes if int(n) >= 40]
    repeats = [f"repeats={count}" for count in (1, 2, 3, 4, 6, 10)]
    ratio, spread = (_number(paper, f"{before}figure5", column) for column in ("ours", "spread"))
    runs = _number(paper, f"{before}figure5", "runs")
    held = _number(paper, f"{before}figure6")
    first = sizes[0]
    levels = _every(paper, f"{before}figure6", "level", cases=first)
    places = [
        (facts["set"], facts["cases"])
        for line in read_results(paper, f"{before}figure2")
        if line["quantity"] == "bbc" and (facts := facts_of(line["row"]))["set"] != "all"
    ]
    counts = _number(paper, f"{before}figure2", "runs")
    samples = int(min(counts("bbc", set=name, cases=n) for name, n in places))
    low = [bias("bbc", set=name, cases=n) <= 0 for name, n in places]
    high = sum(bias("bbc", set=name, cases=n) > 0 for name, n in places if n == first)
    every = sum(n == first for _, n in places)

    def error(quantity: str, n: str) -> float:
        count = runs(quantity, set="all", cases=n)
        return spread(quantity, set="all", cases=n) / math.sqrt(count)

    over = {
        name: [ratio(f"over {name}", set="all", cases=n) for n in rest] for name in ("bbc", "ncv")
    }
    errors = [error("over ncv", n) for n in rest]
    narrower = [
        1 - width(repeats[-1], set="all", cases=n) / width(repeats[0], set="all", cases=n)
        for n in sizes
    ]
    return [
        _counted(
            f"CVT is optimistic up to 100 cases (figure 2{after})",
            "all sizes",
            [bias("cvt", set="all", cases=n) > 0 for n in small],
            tolerance="0",
            samples=samples,
        ),
        _counted(
            f"NCV and BBC have low bias (figure 2{after})",
            "low",
            [
                abs(bias(name, set="all", cases=n)) < abs(bias("cvt", set="all", cases=n))
                for n in small
                for name in ("ncv", "bbc")
            ],
            tolerance="below that of CVT",
            samples=samples,
        ),
        _counted(
            f"BBC is mainly conservative (figure 2{after})",
            "mainly",
            low,
            ours=f"{sum(low)} of {len(low)}; with {first} cases too high on {high} of {every} sets",
            tolerance="0",
            samples=samples,
        ),
        _counted(
            "from 40 cases on, ten repeats choose as good a model as BBC or a better one "
            f"(figure 5{after})",
            "all sizes",
            [
                value >= 1 - 2 * error("over bbc", n)
                for n, value in zip(rest, over["bbc"], strict=True)
            ],
            tolerance="two standard errors",
            samples=samples,
        ),
        _counted(
            f"from 40 cases on, ten repeats choose a better model than NCV (figure 5{after})",
            "7 of 9 sets",
            [value > 1 + 2 * sd for value, sd in zip(over["ncv"], errors, strict=True)],
            ours=f"its AUC times {_span(over['ncv'], 3)}",
            tolerance="two standard errors",
            direction=2 * sum(value > 1 for value in over["ncv"]) > len(rest),
            samples=samples,
        ),
        _counted(
            f"BBC's intervals are conservative with {first} cases (figure 6{after})",
            "all levels",
            [held("bbc", set="all", cases=first, level=level) >= float(level) for level in levels],
            tolerance="the level",
            samples=samples,
        ),
        _counted(
            f"ten repeats shrink intervals greatly (figure 7{after})",
            "all sizes",
            [share >= GREAT for share in narrower],
            ours=f"{100 * min(narrower):.0f} to {100 * max(narrower):.0f} % narrower",
            tolerance=f"{100 * GREAT:.0f} %, our reading",
            direction=min(narrower) > 0,
            samples=samples,
        ),
        _counted(
            f"intervals shrink with cases (figure 7{after})",
            "all numbers of repeats",
            [
                width(count, set="all", cases=b) < width(count, set="all", cases=a)
                for count in repeats
                for a, b in pairwise(sizes)
            ],
            samples=samples,
        ),
    ]


def _list_dropping_claims() -> list[Claim]:
    """Return what the paper says of figures 3 and 4."""
    paper = "tsamardinos2018"
    dropped, rows = _number(paper, "figure4"), _every(paper, "figure4", "set")
    ratios = [dropped("ratio", set=name, rule="bced .99") for name in rows]
    losses = [
        1
        - dropped("holdout_auc", set=name, rule="bced .99")
        / dropped("holdout_auc", set=name, rule="none")
        for name in rows
    ]
    return [
        _counted(
            "dropping trains 2 to 5 times fewer models (figure 4)",
            "typically 2 to 5",
            [2 <= ratio <= 5 for ratio in ratios],
            ours=_span(ratios),
            tolerance="2 to 5",
        ),
        _counted(
            "dropping loses little with 500 cases (figure 3)",
            "0 to 1.4 %",
            [loss <= 0.014 for loss in losses],
            ours=f"{100 * max(losses):.2f} % at most",
            tolerance="1.4 %",
        ),
    ]


def _rejected(line: Line, column: str, runs: str) -> bool:
    from scipy.stats import binom

    count = int(line[runs])
    return bool(binom.cdf(round(float(line[column]) * count), count, 0.95) <= 0.05)


def _paraschakis() -> list[Claim]:
    paper = "paraschakis2024"
    out = [_claim_ranks("ranks", "table 2")]
    lines = [
        (facts_of(line["row"])["method"], line)
        for line in read_results(paper, "table2")
        if line["quantity"] == "inclusion" and line["published"]
    ]
    words = {
        "bbc": "BBC holds in 95 % or more",
        "bbc_fold": "BBC-F holds in 95 % or more",
        "naive_bootstrap": "the naive bootstrap does not",
        "hanley_mcneil_10p": "HM10p does not",
        "delong_10p": "DL10p does not",
    }
    for method, text in words.items():
        mine = [line for name, line in lines if name == method]
        good = method.startswith("bbc")
        same = [_rejected(line, "ours", "runs") != good for line in mine]
        published = sum(_rejected(line, "published", "published_runs") != good for line in mine)
        share = f"{published} of {len(mine)}"
        out.append(_counted(f"{text} (table 2)", share, same, tolerance="binomial test, 5 %"))
    ours, theirs = (
        _compare_tightness(lines, *columns)
        for columns in (("ours", "runs"), ("published", "published_runs"))
    )
    out += [
        _counted(
            "where another method holds, it is less tight than BBC (table 2)",
            f"{sum(theirs)} of {len(theirs)}",
            ours,
        ),
        _claim_ranks("ranks_real", "table 3"),
        _claim_choices("selected", "simulated data"),
        _claim_choices("selected_real", "real data"),
    ]
    seconds, given = _number(paper, "figure3"), _number(paper, "figure3", "published")
    places = [facts_of(line["row"]) for line in read_results(paper, "figure3")[::2]]
    faster = [
        tuple(look("bbc", **at) / look("bbc_fold", **at) for at in places)
        for look in (given, seconds)
    ]
    out.append(
        _counted(
            "BBC-F is faster than BBC, by one to two orders of magnitude (figure 3)",
            f"{_span(faster[0], 0)} times",
            [ratio >= 10 for ratio in faster[1]],
            ours=f"{_span(faster[1], 1)} times",
            tolerance="10 times or more",
            direction=min(faster[1]) > 1,
        )
    )
    return out


def _claim_ranks(table: str, where: str) -> Claim:
    paper = "paraschakis2024"
    ranks, theirs = _number(paper, table), _number(paper, table, "published")
    methods = _every(paper, table, "method")
    first, second = "bbc", "bbc_fold"
    others = [m for m in methods if m not in (first, second)]
    return _counted(
        f"BBC has the best average rank, then BBC-F ({where})",
        f"{theirs('rank', method=first):.2f}, {theirs('rank', method=second):.2f}",
        [
            ranks("rank", method=first) < ranks("rank", method=second),
            all(ranks("rank", method=second) < ranks("rank", method=m) for m in others),
        ],
        ours=f"{ranks('rank', method=first):.2f}, {ranks('rank', method=second):.2f}",
    )


def _claim_choices(table: str, where: str) -> Claim:
    paper = "paraschakis2024"
    rows: dict[str, list[float]] = {}
    for line in read_results(paper, table):
        place = line["row"].rpartition("group=")[0]
        if place:
            rows.setdefault(place, []).append(float(line["ours"]))
    held = [row[0] >= max(row[1:]) for row in rows.values() if len(row) > 1]
    words = f"what BBC and BBC-F choose is best (selected models, {where})"
    return _counted(words, "on average", held)


def _compare_tightness(lines: list[tuple[str, Line]], column: str, runs: str) -> list[bool]:
    """Return of every bound that holds, but for those of BBC, whether BBC's is tighter."""
    gaps = {
        line["row"]: float(line[column])
        for line in read_results("paraschakis2024", "table2")
        if line["quantity"] == "tightness" and line[column]
    }
    out = []
    for method, line in lines:
        if not method.startswith("bbc") and not _rejected(line, column, runs):
            best = line["row"].replace(f"method={method}", "method=bbc")
            out.append(gaps[line["row"]] > gaps[best])
    return out


def _bayle() -> list[Claim]:
    out = []
    for line in read_results("bayle2020", "claims"):
        ours, runs = int(float(line["ours"])), int(line["runs"])
        theirs = "all cells" if line["published"] else "not published"
        words = line["row"]
        shares = ("cover in 95 %", "covers in 95 %", "keeps its level", "undercovers")
        rule = JOINT if any(part in words for part in shares) else ORDER
        rule = "1 %" if "within 1 %" in words else rule
        rule = "two standard errors" if "most power" in words else rule
        out.append(Claim(words, theirs, f"{ours} of {runs}", rule, ours, runs))
    return out


def _yousef() -> list[Claim]:
    paper = "yousef2022"
    rms, theirs = _number(paper, "table3"), _number(paper, "table3", "published")
    means, given = _number(paper, "table2"), _number(paper, "table2", "published")
    sizes = _every(paper, "table2", "n")
    names = ("star", ".632", ".632+")
    low = ".632+"
    out = [
        _counted(
            "`.632+` has the lowest rms of the three (table 3)",
            f"{theirs('rms', estimator=low):.3f}",
            [rms("rms", estimator=low) < rms("rms", estimator=name) for name in names[:2]],
            ours=f"{rms('rms', estimator=low):.3f}",
        )
    ]
    for word, sign, name in (("low", -1, "star"), ("high", 1, ".632")):
        held, published = (
            [
                sign * (look("mean", n=n, estimator=name) - look("mean", n=n, estimator="true")) > 0
                for n in sizes
            ]
            for look in (means, given)
        )
        shown = f"{sum(published)} of {len(published)}"
        out.append(_counted(f"`{name}` is biased {word} (table 2)", shown, held))
    weak, published_weak = (
        [look("rho", n=n, estimator=name) for n in sizes for name in names]
        for look in (means, given)
    )
    out.append(
        _counted(
            "estimates hardly correlate with the truth of their own training set (table 2)",
            _span(published_weak),
            [value < 0.5 for value in weak],
            ours=_span(weak),
            tolerance="below 0.5",
        )
    )
    value, known = _number(paper, "table4"), _number(paper, "table4", "published")
    counts = _every(paper, "table4", "B")
    out.append(
        _counted(
            "the standard error of a difference is too large (table 4)",
            f"{known('mean error', B=counts[0], of='difference'):.3f} for "
            f"{known('sd value', B=counts[0], of='difference'):.3f}",
            [
                value("mean error", B=b, of="difference") > value("sd value", B=b, of="difference")
                for b in counts
            ],
        )
    )
    return out


def _moosbauer() -> list[Claim]:
    paper = "moosbauer2021"
    own = {"search": "published", "surrogate": "kriging", "splits": "as_published"}
    gain, given = _number(paper, "table1"), _number(paper, "table1", "published")
    settings = [
        {"d": d, "bias": bias, **own}
        for d in _every(paper, "table1", "d", **own)
        for bias in ("low", "medium", "high")
    ]

    def of(name: str, look: Callable[..., float] = gain) -> list[float]:
        return [look(name, **setting) for setting in settings]

    def improved(look: Callable[..., float]) -> int:
        return sum(
            b > a for a, b in zip(of("gain_nll_1", look), of("gain_nll_3", look), strict=True)
        )

    out = [
        _counted(
            "one split narrows the band, by up to almost 20 % (table 1)",
            _span(of("gain_mc_1", given)),
            [value > 0 for value in of("gain_mc_1")],
            ours=_span(of("gain_mc_1")),
        ),
        _counted(
            "three splits narrow it more, by up to 37 % (table 1)",
            _span(of("gain_mc_3", given)),
            [b > a for a, b in zip(of("gain_mc_1"), of("gain_mc_3"), strict=True)],
            ours=_span(of("gain_mc_3")),
        ),
        _counted(
            "the likelihood improves with more splits in most settings (table 1)",
            f"{improved(given)} of {len(settings)}",
            [improved(gain) > len(settings) / 2],
            ours=f"{improved(gain)} of {len(settings)}",
        ),
    ]
    spread = {
        (facts["d"], facts["kernel"], line["quantity"]): float(line["spread"])
        for line in read_results(paper, "table3")
        if (facts := facts_of(line["row"]))["surrogate"] == "kriging"
    }
    out.append(
        _counted(
            "the likelihood varies more by equation 4 than by equation 5 (table 3)",
            "6 of 6",
            [
                spread[d, kernel, "eq4"] > spread[d, kernel, "eq5"]
                for d, kernel, band in spread
                if band == "eq4"
            ],
        )
    )
    tables = {record["table"] for record in read_records(paper)}
    if "figure6" in tables:
        box = _number(paper, "figure6")
        for measure, text in (("mc", "the band"), ("nll", "the likelihood")):
            held = [
                box("mean", d=d, bias=a, measure=measure)
                <= box("mean", d=d, bias=b, measure=measure)
                for d in _every(paper, "figure6", "d")
                for a, b in (("low", "medium"), ("medium", "high"))
            ]
            words = f"less sampling bias improves {text} (figure 6)"
            out.append(_counted(words, "all dimensions", held))
    kind = _number(paper, "in_kind")
    every = [
        {"set": name, "param": param}
        for name in _every(paper, "in_kind", "set")
        if name != "all"
        for param in _every(paper, "in_kind", "param")
    ]
    for other in ("area", "variance", "mean", "baseline"):
        held = [kind("mc", by="l2", **at) >= kind("mc", by=other, **at) for at in every]
        place = "11" if other == "baseline" else "10"
        words = f"regions by L2 narrow the band as much as by {other} or more (table {place})"
        out.append(_counted(words, "all parameters", held))
    if "table7" in tables:
        for table, text in (("table7", "narrow the band"), ("table8", "improve the likelihood")):
            mean, known = _number(paper, table), _number(paper, table, "published")
            sets = _every(paper, table, "set")
            out.append(
                _counted(
                    f"regions {text} on average ({table.replace('table', 'table ')})",
                    ", ".join(f"{known('mean', set=name):.0f} %" for name in sets),
                    [mean("mean", set=name) > 0 for name in sets],
                    ours=", ".join(f"{mean('mean', set=name):.0f} %" for name in sets),
                )
            )
    if "figure11" in tables:
        steps = _number(paper, "figure11")
        worse = [
            steps("nll", splits="6", **at)
            < max(steps("nll", splits=f"{n}", **at) for n in range(1, 6))
            for at in every
        ]
        out.append(
            _counted(
                "the best number of splits can be below six (figure 11)",
                "one example",
                [any(worse)],
                ours=f"{sum(worse)} of {len(worse)}",
            )
        )
    return out


CLAIMS: dict[str, Callable[[], list[Claim]]] = {
    "tsamardinos2018": _tsamardinos,
    "paraschakis2024": _paraschakis,
    "bayle2020": _bayle,
    "yousef2022": _yousef,
    "moosbauer2021": _moosbauer,
}
