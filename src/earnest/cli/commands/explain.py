"""`earnest explain`: what the tuning learned, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from earnest.cli.options import AsJson, Decimal, Delimiter, Thousands, make_option
from earnest.cli.reading import read_sign
from earnest.cli.show.terminal import write_json
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError

if TYPE_CHECKING:
    from earnest.explanation.result import Explanation
    from earnest.explanation.suggest import Suggestion


HELP = (
    "What did the search learn, and how [bold]certain[/bold] is it? Effects with bands, and "
    "regions.\n\nReads the trials of a search: an Optuna storage or journal file, a run file, "
    "or a table with one row per trial, one column per hyperparameter and one column for the "
    "objective.\n\n  earnest explain run.db\n  earnest explain study.db --study tuning "
    "--regions 4\n  earnest explain trials.csv --objective auc --direction maximize\n  earnest "
    "explain trials.csv --objective auc --direction maximize --out explanation.html"
)
_READ, _HOW = "How to read the trials", "How to explain"

Source = Annotated[
    str,
    typer.Argument(
        metavar="TRIALS",
        help="A run file, an Optuna storage (file or URL) or journal, or a table of trials: CSV, "
        "Parquet, Arrow.",
        show_default=False,
    ),
]
Params = Annotated[
    str | None,
    make_option(_HOW, "--params", "A,B", "Only these hyperparameters."),
]
Regions = Annotated[
    int,
    make_option(_HOW, "--regions", "N", "Number of regions to split each curve into."),
]
Suggest = Annotated[
    int,
    make_option(
        _HOW, "--suggest", "N", "Propose N configurations that would sharpen the curves most."
    ),
]
Surrogate = Annotated[
    str | None,
    make_option(
        _HOW,
        "--surrogate",
        "NAME",
        "gaussian_process or forest. By default it depends on the number of trials.",
    ),
]
Points = Annotated[
    int,
    make_option(_HOW, "--n-points", "N", "Number of Monte Carlo points."),
]
Level = Annotated[
    float,
    make_option(_HOW, "--level", "SHARE", "Confidence level of bands and intervals."),
]
Seed = Annotated[
    int | None,
    make_option(_HOW, "--seed", "N", "Seed, for a reproducible result."),
]
Jobs = Annotated[
    int | None,
    make_option(_HOW, "--n-jobs", "N", "Threads; -1 uses all cores. Results do not depend on it."),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write a page with figures to FILE.html."),
]
Study = Annotated[
    str | None,
    make_option(_READ, "--study", "NAME", "Name of the study in an Optuna storage."),
]
ObjectiveName = Annotated[
    str | None,
    make_option(
        _READ,
        "--objective",
        "NAME",
        "Column of the objective, or the one to use if there are several.",
    ),
]
Direction = Annotated[
    str | None,
    make_option(_READ, "--direction", "WAY", "maximize or minimize."),
]


def command(
    trials: Source,
    json: AsJson = False,
    out: Out = None,
    params: Params = None,
    regions: Regions = 4,
    suggest: Suggest = 3,
    surrogate: Surrogate = None,
    level: Level = 0.95,
    n_points: Points = 1000,
    seed: Seed = None,
    n_jobs: Jobs = None,
    study: Study = None,
    objective: ObjectiveName = None,
    direction: Direction = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
) -> None:
    """Read trials, explain them, and show or write what was found."""
    if seed is not None:
        check.whole_number("seed", seed, low=0)
    check.whole_number("suggest", suggest, low=0)
    _check_page(out)
    from earnest.explanation.explain import explain

    found = explain(
        trials,
        _split_names(params),
        surrogate=surrogate,
        n_points=n_points,
        regions=regions,
        confidence_level=level,
        rng=seed,
        n_jobs=n_jobs,
        study=study,
        objective=_read_objective(objective),
        direction=direction,
        delimiter=read_sign(delimiter),
        decimal=decimal,
        thousands=read_sign(thousands),
    )
    advice = found.suggest(suggest) if suggest else ()
    if out is not None:
        _write_page(out, found, advice, trials)
    if json:
        write_json({**found.to_dict(), "suggestions": [each.to_dict() for each in advice]})
        return
    from earnest.cli.show.explanation import show_explanation

    show_explanation(found, advice, out)


def _split_names(params: str | None) -> list[str] | None:
    if params is None:
        return None
    return [name.strip() for name in params.split(",") if name.strip()]


def _read_objective(objective: str | None) -> str | int | None:
    """Return the objective of a study by its number, where it is one."""
    return int(objective) if objective is not None and objective.isdecimal() else objective


def _check_page(out: Path | None) -> None:
    """Refuse before any work what could not be written after it."""
    if out is None:
        return
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError("--out writes a page", needs="a name that ends in .html", got=str(out))
    if not out.parent.is_dir():
        raise FormatError(f"there is no folder {str(out.parent)!r}", cure="Create it first.")


def _write_page(out: Path, found: Explanation, advice: Sequence[Suggestion], source: str) -> None:
    from earnest.reporting.report import Report, content_of_explanation

    Report(content_of_explanation(found, advice, source=Path(source).name)).save(out)
