"""The generated tables of the pages, each from the registry that it is a table of.

A page names one by `<!-- generated: NAME ARGUMENTS -->`, which `_generate.py` writes, or by
`<!-- made: NAME ARGUMENTS -->`, which is filled in when the site is built.
"""

from __future__ import annotations

import csv
import io
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]

_TABLE = re.compile(
    r"(?P<open><!-- generated: (?P<name>[\w -]+) -->\n).*?(?P<close><!-- end -->)", re.DOTALL
)

_MADE = re.compile(r"<!-- made: (?P<name>[\w-]+)(?P<arguments>[\w -]*?) -->")


def with_tables(text: str) -> str:
    """Return a page with its generated tables as the registries have them now."""

    def fresh(match: re.Match[str]) -> str:
        name, *arguments = match["name"].split()
        return f"{match['open']}\n{TABLES[name](*arguments)}\n{match['close']}"

    return _TABLE.sub(fresh, text)


def fill(text: str) -> str:
    """Return a page with the tables that are only on the site."""
    return _MADE.sub(lambda match: TABLES[match["name"]](*match["arguments"].split()), text)


def table(head: list[str], rows: Iterator[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def facts_table(name: str) -> str:
    """Return what a method declares of itself, with its knobs and their defaults."""
    from earnest.methods import METHODS

    method = METHODS[name]
    spec = method.spec
    knobs = ", ".join(f"`{f.name}={f.default!r}`" for f in fields(method)) or "none"
    aliases = "".join(f", `{alias}`" for alias in spec.aliases)
    aliases += "".join(f", `{name}` with {_knobs(of)}" for name, of in spec.presets.items())
    rows = [
        ["name", f"`{spec.name}`{aliases}; in Python `earnest.methods.{method.__name__}`"],
        ["needs", spec.evidence + _least(spec)],
        ["metrics", str(spec.metrics)],
        ["corrects for the search", _yes(spec.corrected)],
        ["interval", _yes(spec.interval)],
        ["knobs", knobs],
    ]
    return table(["", ""], iter(rows))


def _knobs(knobs: Mapping[str, object]) -> str:
    return ", ".join(f"`{name}={value!r}`" for name, value in knobs.items())


def test_table(name: str) -> str:
    """Return what a test declares of itself, with its knobs and their defaults."""
    from earnest.comparison import TESTS

    test = TESTS[name]
    spec = test.spec
    knobs = ", ".join(f"`{f.name}={f.default!r}`" for f in fields(test)) or "none"
    aliases = "".join(f", `{alias}`" for alias in spec.aliases)
    rows = [
        ["name", f"`{spec.name}`{aliases}; in Python `earnest.comparison.{test.__name__}`"],
        ["needs", spec.evidence + _least(spec)],
        ["metrics", str(spec.metrics)],
        ["repeats; groups", f"{_yes(spec.repeats)}; {_yes(spec.groups)}"],
        ["p-value", _yes(spec.p_value)],
        ["knobs", knobs],
    ]
    return table(["", ""], iter(rows))


def tests_table() -> str:
    """Return the tests side by side."""
    from earnest.comparison import TESTS

    rows = (
        [
            f"[`{spec.name}`](../comparison/{spec.name}.md)",
            str(spec.estimand),
            _yes(spec.repeats),
            _yes(spec.groups),
        ]
        for spec in (test.spec for test in TESTS.values())
    )
    return table(["test", "compares", "repeats", "groups"], rows)


def metrics_table(*tasks: str) -> str:
    """Return the metrics that are defined for exactly these tasks, by name."""
    from earnest.metrics import METRICS

    def row(one: Any) -> list[str]:
        low, high = (_end(limit) for limit in one.limits)
        return [
            f"`{one.name}`",
            one.title,
            ", ".join(sorted(one.tasks)),
            str(one.needs),
            f"right at {one.ideal:g}"
            if one.ideal is not None
            else ("higher" if one.greater_is_better else "lower"),
            f"{low} to {high}",
            ", ".join(f"`{alias}`" for alias in one.aliases),
        ]

    mine = (one for one in METRICS.values() if set(one.tasks) == set(tasks))
    head = ["name", "title", "task", "needs", "better", "range", "aliases"]
    return table(head, (row(one) for one in mine))


def _end(limit: float) -> str:
    """Return an end of a range as pages write it."""
    return f"{limit:.3g}".replace("inf", "∞").replace("-", "−")


METHOD_GROUPS = {
    "winner": "For the winner of a search",
    "learner": "For one learner or model",
    "replicates": "By bootstrap samples",
}


def methods_table(group: str) -> str:
    """Return the methods of a group side by side, and their place in the sidebar."""
    from earnest.methods import METHODS

    def row(method: Any) -> list[str]:
        spec = method.spec
        link = f"[`{spec.name}`]({_page(method)}.md)"
        return [link, spec.title, _yes(spec.interval)]

    mine = [method for method in METHODS.values() if _group(method.spec) == group]
    mine.sort(key=lambda method: not method.spec.interval)
    made = table(["method", "in words", "interval"], (row(method) for method in mine))
    pages = "\n".join(_page(method) for method in mine)
    return f"{made}\n```{{toctree}}\n:hidden:\n:caption: {METHOD_GROUPS[group]}\n\n{pages}\n```\n"


def _group(spec: Any) -> str:
    if spec.corrected:
        return "winner"
    return "replicates" if spec.needs == "bootstrap-trained replicates" else "learner"


class Leaf(NamedTuple):
    """A condition with the method to use under it; `metric` is one that shows it in the tests."""

    condition: str
    method: str
    metric: str = "accuracy"


class Situation(NamedTuple):
    """What a reader has, and what to use then."""

    have: str
    leaves: tuple[Leaf, ...]


# Which method? The table of the page, its picture (docs/figures.py) and the tests follow from this.
COMPARE = "a paired test"  # not a method: a leaf that leads to the guide
WHICH_METHOD = (
    Situation(
        "The winner of a search, and the predictions of every configuration",
        (
            Leaf("usually", "bbc"),
            Leaf("on one test set, for a tighter interval", "near_winner"),
            Leaf("for ranks, if the scores of folds are not on one scale", "bbc_fold", "roc_auc"),
        ),
    ),
    Situation(
        "The best of several prompts or models, scored on the same items",
        (
            Leaf("for mean scores, pass@k", "near_winner"),
            Leaf("for medians, ratios, means over tasks", "bbc"),
        ),
    ),
    Situation(
        "One model and its test set, nothing selected",
        (
            Leaf("for the AUC", "delong", "roc_auc"),
            Leaf("for an error rate", "tilted"),
            Leaf("for other metrics", "holdout", "f1"),
        ),
    ),
    Situation(
        "One learner, cross-validated, nothing selected",
        (
            Leaf("with fewer than 100 cases", "bbc"),
            Leaf("for an error rate or the AUC", "bayle_all_pairs", "roc_auc"),
            Leaf("for other metrics", "corrected_t", "f1"),
        ),
    ),
    Situation(
        "One learner, few cases, and time to train it 200 times",
        (Leaf("for its value", ".632+"),),
    ),
    Situation(
        "Two models: is A better than B?",
        (Leaf("never by two intervals", COMPARE),),
    ),
)


def find_leaf_page(leaf: Leaf) -> str:
    """Return the page of a leaf as seen from a section, without its suffix."""
    from earnest.methods import METHODS

    if leaf.method == COMPARE:
        return "../how-to/compare-two-models"
    return f"../methods/{_page(METHODS[leaf.method])}"


def which_table() -> str:
    """Return in words what the picture of the choice shows."""
    rows = (
        [situation.have if leaf is situation.leaves[0] else "", leaf.condition, _link(leaf)]
        for situation in WHICH_METHOD
        for leaf in situation.leaves
    )
    return table(["you have", "when", "use"], rows)


def _link(leaf: Leaf) -> str:
    page = find_leaf_page(leaf).removeprefix("../how-to/")  # the table stands among the guides
    words = leaf.method if leaf.method == COMPARE else f"`{leaf.method}`"
    return f"[{words}]({page}.md)"


def estimands_table() -> str:
    """Return what is estimated, and by which methods."""
    from earnest.methods import METHODS

    methods: dict[str, list[str]] = {}
    for method in METHODS.values():
        link = f"[`{method.spec.name}`](../methods/{_page(method)}.md)"
        methods.setdefault(str(method.spec.estimand), []).append(link)
    rows = ([estimand, ", ".join(links)] for estimand, links in methods.items())
    return table(["the number is an estimate of", "methods"], rows)


def cautions_sections() -> str:
    """Return a section for each code of a caution: when it is given, what follows, what to do."""
    from earnest.core.cautions.meanings import MEANINGS

    return "\n".join(
        f"({code.lower()})=\n## {code}: {meaning.title}\n\n"
        + "\n".join(
            f"{wrap(words, 118)}\n"
            for words in (
                meaning.about,
                f"**What follows.** {meaning.follows}",
                f"**What to do.** {meaning.to_do}",
            )
        )
        for code, meaning in MEANINGS.items()
    )


def wrap(words: str, width: int) -> str:
    """Return a paragraph in lines."""
    return textwrap.fill(words, width, break_long_words=False, break_on_hyphens=False)


def options_table(command: str) -> str:
    """Return the options of a command that are its own, with links to those that others share."""
    from earnest.cli.app import build_program

    params: list[Any] = list(build_program().commands[command].params)
    params = [p for p in params if p.opts[0].startswith("-")]
    rows = [_option_row(p.opts, p.secondary_opts, p.metavar, p.help) for p in params]
    rows = [row for row, p in zip(rows, params, strict=True) if p.name != "help_all"]
    links = []
    for name, (label, anchor) in SHARED_OPTIONS.items():
        group = _shared_rows(name)
        if all(row in rows for row in group):
            rows = [row for row in rows if row not in group]
            links.append(f"[{label}](#{anchor})")
    shown = table(["option", "meaning"], iter(rows))
    return shown + (f"\nIt also takes {_enumerate(links)}.\n" if links else "")


def shared_options_table(name: str) -> str:
    """Return the options of a group that several commands take."""
    return table(["option", "meaning"], iter(_shared_rows(name)))


# By the dataclass of the group: what a command calls it, and the heading that describes it.
SHARED_OPTIONS = {
    "TableArguments": ("options of text tables", "text-tables"),
    "PredictionsArguments": ("options of predictions", "predictions"),
    "ScoresArguments": ("options of scores", "scores"),
    "CasesArguments": ("options of cases", "cases"),
}


def _shared_rows(name: str) -> list[list[str]]:
    """Return the rows of a group, without those of `TableArguments`, which it extends."""
    from earnest.core.arguments import shared
    from earnest.core.arguments.base import list_arguments, name_option

    arguments = list_arguments(getattr(shared, name))
    common = list_arguments(shared.TableArguments) if name != "TableArguments" else {}
    return [
        _option_row([name_option(word)], [], argument.metavar, argument.help)
        for word, argument in arguments.items()
        if word not in common
    ]


def _option_row(
    words: Iterable[str], opposites: Iterable[str], metavar: str | None, meaning: str | None
) -> list[str]:
    shown = ", ".join(f"`{word}`" for word in (*words, *opposites))
    plain = re.sub(r"\[/?[a-z]+\]", "", meaning or "").replace("  ", ". ")
    return [shown + (f" {metavar}" if metavar else ""), plain]


def _enumerate(items: list[str]) -> str:
    *others, last = items
    return f"{', '.join(others)} and {last}" if others else last


def assessment_table(*words: str) -> str:
    """Return a table of the comparison of estimators, from the results in its folder."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks.assessment.tables import table as made

    return made(*words)


def field_table(*words: str) -> str:
    """Return a table of the study of intervals for the winner, from the results in its folder."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks.calibration.tables import table as made

    return made(*words)


def flips_table() -> str:
    """Return how often a gate changes its mind: a part of the results that the page links to."""
    path = ROOT / "benchmarks" / "gate" / "results.csv"
    with path.open(encoding="utf-8") as file:
        listed = list(csv.DictReader(file))
    found = [row for row in listed if row["cell"] == "seed" or row["margin"] in ("0.0", "0.02")]
    found = [row for row in found if row["cell"] == "seed" or row["n"] in ("200", "2000")]

    def rows() -> Iterator[list[str]]:
        for row in found:
            reps = int(row["reps"])
            shares = [f"{100 * int(row[name]) / reps:.1f} %" for name in OUTCOMES]
            asked = 4 * reps  # another seed is asked four times
            changed = f"{100 * int(row['changed']) / asked:.1f} %" if row["cell"] == "seed" else "–"
            margin = "–" if row["cell"] == "seed" else row["margin"]
            yield [row["cell"], row["n"], margin, f"{reps:,}", *shares, changed]

    heads = ["cell", "items", "margin", "simulations", *OUTCOMES, "changed by the seed"]
    return table(heads, rows())


def subgroups_table() -> str:
    """Return how often limits of subgroups held, by metric and number of subgroups."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks.subgroups.run import make_table

    return table(*make_table())


def forecasts_table() -> str:
    """Return how often limits of forecasts held, by the process of their errors."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks.time.run import make_table

    return table(*make_table())


def importance_table() -> str:
    """Return how often intervals of importances held, and called noise needed."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks.importance.run import make_table

    return table(*make_table())


def limits_table() -> str:
    """Return memory and time by size: the larger rows of the results that the page links to."""
    path = ROOT / "benchmarks" / "limits" / "results.csv"
    with path.open(encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file) if int(row["n"]) >= 100_000]

    def rows() -> Iterator[list[str]]:
        for row in found:
            sizes = [f"{int(row[name]):,}" for name in ("n", "configs", "resamples")]
            limit = f"{int(row['limit_mb']):,} MB" if row["limit_mb"] else "none"
            memory = f"{int(row['memory_mb']):,} MB"
            seconds = float(row["processor_s"])
            time = f"{seconds:.2g} s" if seconds < 60 else f"{seconds / 60:.1f} min"
            yield [row["metric"], *sizes, f"{float(row['table_mb']):,.0f} MB", limit, memory, time]

    heads = ["metric", "cases", "configurations", "resamples", "file", "limit", "memory"]
    return table([*heads, "processor time"], rows())


EXTRAS = {
    "optuna": "[Optuna's studies](from-optuna.md), and [Optuna's proposals](search-with-optuna.md)",
    "configspace": "[spaces of ConfigSpace and runs of SMAC](bring-your-trials.md)",
    "lightgbm": "LightGBM in the [portfolio](portfolios.md) of `earnest tune`",
    "excel": "[tables from `.xlsx` files](own-predictions.md)",
    "dask": "[runs on a Dask cluster](clusters.md)",
    "ray": "[runs on a Ray cluster](clusters.md)",
    "mlflow": "[estimates and reports in MLflow](log-to-mlflow.md)",
    "automl": "[AutoML tools](from-automl.md), [boosting libraries](from-boosting.md), skore",
    "all": "all of the above except `automl`",
}
WHAT_FOR = {  # the large packages of a plain installation
    "llvmlite": "compiles for numba",
    "pyarrow": "reads and writes tables: CSV, Parquet, Arrow",
    "scipy": "distributions, root finding",
    "numpy": "everything",
    "scikit-learn": "learners, metrics, folds",
    "matplotlib": "`plot()` of results",
    "numba": "compiles the AUC and its like",
    "fonttools": "fonts for matplotlib",
    "pillow": "pictures for matplotlib",
}


def extras_table() -> str:
    """Return what each extra of pyproject.toml is for, what it installs and what it weighs."""
    import tomllib

    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = config["project"]["optional-dependencies"]
    measured = {row["addition"]: row for row in _read_sizes("downloads.csv")}

    def weigh(name: str) -> str:
        row = measured.get(name)
        if row is None:
            return "–"
        size, count = float(row["megabytes"]), int(row["packages"])
        return f"{size:.{0 if size >= 1 else 1}f} MB, {count} package{'s' if count > 1 else ''}"

    def rows() -> Iterator[list[str]]:
        count = len(config["project"]["dependencies"])
        yield ["none", "everything else on these pages", f"{count} packages", weigh("")]
        for name, needs in extras.items():
            brings = [re.split(r"[>;\[]", need)[0].strip() for need in needs]
            shown = [f"`{one}`" for one in brings if one != "earnest"]
            few = ", ".join(shown) if len(shown) <= 9 else f"{len(shown)} packages"
            yield [f"`{name}`", EXTRAS[name], few or "–", weigh(name)]

    return table(["extra", "for", "brings", "download"], rows())


def disk_table() -> str:
    """Return what the large packages of a plain installation take on the disk, and the others."""
    sizes = {
        row["package"]: float(row["megabytes"])
        for row in _read_sizes("disk.csv")
        if row["package"] not in ("pip", "setuptools")
    }
    large = {name: size for name, size in sizes.items() if name in WHAT_FOR}

    def rows() -> Iterator[list[str]]:
        for name, size in large.items():
            yield [f"`{name}`", f"{size:.0f} MB", WHAT_FOR[name]]
        small = sum(sizes.values()) - sum(large.values())
        yield [f"{len(sizes) - len(large)} more", f"{small:.0f} MB", "earnest itself among them"]
        yield ["together", f"{sum(sizes.values()):.0f} MB", ""]

    return table(["package", "on disk", "for"], rows())


def _read_sizes(name: str) -> list[dict[str, str]]:
    with (ROOT / "benchmarks" / "install" / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


OUTCOMES = ("pass", "fail", "undecided")


def paper_table(*words: str) -> str:
    """Return a table of the reproduction of a paper, from the results in its folder."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks.papers.tables import table as made

    return made(*words)


def papers_table() -> str:
    """Return a line for every paper: what became of its statements and numbers."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks.papers.tables import index

    return index()


def race_table(part: str) -> str:
    """Return a part of what came of the race, from the file of its results."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks.race.summary import make_table

    return make_table(part)


def order_table(task: str) -> str:
    """Return what orders of the portfolio lose on the tables of a task."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks.portfolio.order import make_table

    return make_table(task)


def _page(method: Any) -> str:
    """Return the name of a method as its module and its page have it: that of '.632' is b632."""
    return str(method.__module__.rpartition(".")[2])


def _least(spec: Any) -> str:
    design = spec.design
    if isinstance(design, tuple):  # of some tests
        return f", {design[0]} repeats of {design[1]} folds"
    if getattr(spec, "leave_one_out", False):
        return ", a fold for every case"
    repeats = getattr(spec, "min_repeats", 1)
    more = f" and {repeats} repeats" if repeats > 1 else ""
    return f", at least {spec.min_folds} folds{more}" if spec.min_folds > 1 else ""


def _yes(value: bool) -> str:
    return "yes" if value else "no"


# Of the cells of the simulation: few items, independent errors, almost the same, many of both.
SHOWN_CELLS = (
    "n50-C20-r0.8",
    "n200-C20-r0",
    "n200-C20-r0.8",
    "n200-C20-r0.8-cluster5",
    "n200-C1000-r0.95",
    "n100-C20-r0.8-level0.95",
)


def best_of_many_table() -> str:
    """Return how corrections of the best of many do, from the file of the simulation."""
    path = ROOT / "benchmarks" / "scores" / "results.csv"
    with path.open(encoding="utf-8") as file:
        results = {(row["cell"], row["method"]): row for row in csv.DictReader(file)}
    columns = [
        *(("off", "bias", method) for method in ("independent", "bbc")),
        *(("held", "coverage", m) for m in ("naive", "independent", "bonferroni", "near_winner")),
        *(("width", "width", method) for method in ("bonferroni", "near_winner")),
    ]
    head = ["matrix", "luck", *(f"{measure}: {method}" for measure, _, method in columns)]

    def show(cell: str, method: str, field: str) -> str:
        value = results.get((cell, method), {}).get(field, "")
        return f"{100 * float(value):.1f}".replace("-", "\u2212") if value else "\u2013"

    return table(
        head,
        (
            [
                f"`{cell}`",
                show(cell, "naive", "bias"),
                *(show(cell, method, field) for _, field, method in columns),
            ]
            for cell in SHOWN_CELLS
        ),
    )


# Tables that are too long for a page: files beside their results, to which pages link.
METRICS_OF_CHOICE = ("accuracy", "balanced_accuracy", "roc_auc", "f1", "log_loss", "r2", "mae")
EVIDENCE: dict[str, tuple[str, ...]] = {
    **{f"race/tables/{kind}.csv": ("race", kind) for kind in ("scores", "standings", "others")},
    **{
        f"papers/{paper}/statements.csv": ("paper", "held", paper)
        for paper in ("tsamardinos2018", "paraschakis2024", "moosbauer2021")
    },
    "calibration/tables/confident.csv": ("field", "confident"),
    **{
        f"portfolio/tables/{task}.csv": ("orders", task)
        for task in ("binary", "multiclass", "regression")
    },
    "calibration/tables/real.csv": ("field", "real", *METRICS_OF_CHOICE),
    "calibration/tables/shuffled.csv": ("field", "shuffled", *METRICS_OF_CHOICE),
    "calibration/tables/groups.csv": ("field", "groups"),
    "calibration/tables/designs.csv": ("field", "designs"),
    "calibration/tables/fixed.csv": ("field", "fixed"),
    "calibration/tables/frozen.csv": ("field", "frozen"),
    "calibration/tables/tightness.csv": ("field", "tightness"),
    "calibration/tables/failures.csv": ("field", "failures"),
    "calibration/tables/resamples.csv": ("field", "resamples"),
    "calibration/tables/extensions.csv": ("field", "extensions"),
    "calibration/tables/laws.csv": ("field", "laws"),
    **{
        f"assessment/tables/{kind}_{metric}_{n}.csv": ("assessment", kind, metric, n)
        for kind in ("values", "learners")
        for metric in ("accuracy", "roc_auc")
        for n in ("40", "100")
    },
    **{
        f"assessment/tables/intervals_{metric}.csv": ("assessment", "intervals", metric)
        for metric in ("accuracy", "roc_auc")
    },
}


def evidence_files() -> Iterator[tuple[Path, str]]:
    """Yield the files of tables that pages link to, and what they hold now."""
    for path, (name, *arguments) in EVIDENCE.items():
        yield ROOT / "benchmarks" / path, as_csv(TABLES[name](*arguments))


def as_csv(text: str) -> str:
    """Return a Markdown table as CSV, without marks and links.

    >>> print(
    ...     as_csv("| method | held |\\n| --- | --- |\\n| [`bbc`](bbc.md) | 0.95, all |\\n"), end=""
    ... )
    method,held
    bbc,"0.95, all"
    """
    out = io.StringIO()
    plain = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text).replace("`", "")
    head, _, *lines = plain.splitlines()
    writer = csv.writer(out, lineterminator="\n")
    for line in (head, *lines):
        writer.writerow([cell.strip() for cell in line.split("|")[1:-1]])
    return out.getvalue()


TABLES: dict[str, Callable[..., str]] = {
    "importance": importance_table,
    "subgroups": subgroups_table,
    "forecasts": forecasts_table,
    "best-of-many": best_of_many_table,
    "facts": facts_table,
    "test": test_table,
    "tests": tests_table,
    "methods": methods_table,
    "metrics": metrics_table,
    "which": which_table,
    "estimands": estimands_table,
    "extras": extras_table,
    "disk": disk_table,
    "cautions": cautions_sections,
    "options": options_table,
    "shared-options": shared_options_table,
    "assessment": assessment_table,
    "field": field_table,
    "flips": flips_table,
    "limits": limits_table,
    "orders": order_table,
    "paper": paper_table,
    "papers": papers_table,
    "race": race_table,
}
