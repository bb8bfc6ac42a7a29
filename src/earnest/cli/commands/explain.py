"""`earnest explain`: what the tuning learned, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from earnest.cli.options import (
    AsJson,
    CsvReading,
    make_argument,
    make_jobs_option,
    make_option,
    make_seed_option,
)
from earnest.cli.reading import read_marks
from earnest.cli.show.terminal import write_json
from earnest.cli.writing import check_ending, check_folder
from earnest.core.base import check

if TYPE_CHECKING:
    from earnest.explanation.result import Explanation
    from earnest.explanation.suggest import Suggestion


HELP = (
    "What did the search learn, and how [bold]certain[/bold] is it? Effects with bands, and "
    "regions.\n\nReads the trials of a search: the folder of a run, a run file, an Optuna storage "
    "or journal file, or a table with one row per trial, one column per hyperparameter and one "
    "column for the objective.\n\n  earnest explain run/\n  earnest explain study.db --study "
    "tuning --regions 4\n  earnest explain trials.csv --objective auc --direction maximize\n  "
    "earnest explain trials.csv --objective auc --direction maximize --out explanation.html"
)
_READ, _HOW = "How to read the trials", "How to explain"


def command(
    trials: Annotated[
        str,
        make_argument(
            "TRIALS",
            "The folder of a run, a run file, an Optuna storage (file or URL) or journal, or a "
            "table of trials: CSV, Parquet, Arrow.",
        ),
    ],
    json: AsJson = False,
    out: Annotated[
        Path | None, make_option(None, "FILE", "Write a page with figures to FILE.html.")
    ] = None,
    params: Annotated[str | None, make_option(_HOW, "A,B", "Only these hyperparameters.")] = None,
    regions: Annotated[
        int, make_option(_HOW, "N", "Number of regions to split each curve into.")
    ] = 4,
    suggest: Annotated[
        int, make_option(_HOW, "N", "Propose N configurations that would sharpen the curves most.")
    ] = 3,
    surrogate: Annotated[
        str | None,
        make_option(
            _HOW,
            "NAME",
            "gaussian_process or forest. By default it depends on the number of trials.",
        ),
    ] = None,
    level: Annotated[
        float, make_option(_HOW, "SHARE", "Confidence level of bands and intervals.")
    ] = 0.95,
    n_points: Annotated[int, make_option(_HOW, "N", "Number of Monte Carlo points.")] = 1000,
    seed: Annotated[int | None, make_seed_option(_HOW)] = None,
    n_jobs: Annotated[int | None, make_jobs_option(_HOW)] = None,
    study: Annotated[
        str | None, make_option(_READ, "NAME", "Name of the study in an Optuna storage.")
    ] = None,
    objective: Annotated[
        str | None,
        make_option(
            _READ, "NAME", "Column of the objective, or the one to use if there are several."
        ),
    ] = None,
    direction: Annotated[str | None, make_option(_READ, "WAY", "maximize or minimize.")] = None,
    *,
    csv: CsvReading,
) -> None:
    """Read trials, explain them, and show or write what was found."""
    check.whole_number("suggest", suggest, low=0)
    if out is not None:
        check_ending(out, (".html", ".htm"))
        check_folder(out)
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
        **read_marks(csv),
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


def _write_page(out: Path, found: Explanation, advice: Sequence[Suggestion], source: str) -> None:
    from earnest.reporting.report import Report, content_of_explanation

    Report(content_of_explanation(found, advice, source=Path(source).name)).save(out)
