"""`earnest gate`: pass, fail or undecided, as an exit code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from earnest.cli import options
from earnest.cli.options import (
    make_jobs_option,
    make_level_option,
    make_option,
    make_seed_option,
)
from earnest.cli.reading import label_evidence, read_evidence
from earnest.cli.show.terminal import write_json
from earnest.cli.writing import check_folder
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    from earnest.core.data.predictions import Predictions
    from earnest.core.data.scores import Scores
    from earnest.decision.verdict import Verdict


_BOUND = "What must be shown"
_WRITE = "What to write"
_DECIDE = "How to decide"

MetricName = Annotated[
    str | None,
    make_option(
        None,
        "NAME",
        "What to measure; see [bold]earnest metrics[/bold]. Scores need none.",
        "--metric",
        "-m",
    ),
]


HELP = (
    "Does it pass? A bound must be [bold]shown[/bold], not just reached; the exit code tells.\n\n"
    "Exit codes: [bold]0[/bold] pass, [bold]3[/bold] fail, [bold]4[/bold] undecided; the output "
    "says how many more cases would decide it. A wrong pass and a wrong fail each have a chance of "
    "at most 1 minus the level. Of several configurations the best is judged, corrected for the "
    "selection.\n\n"
    "  earnest gate new.parquet --metric roc_auc --above 0.75\n"
    "  earnest gate new.parquet -m accuracy --against main.parquet --margin 0.02\n"
    "  earnest gate new.parquet -m accuracy --above 0.8 --ledger looks.db --junit gate.xml\n"
    "  earnest gate logs/ --score acc --above 0.6"
)


def command(
    predictions: options.Table,
    metric: MetricName = None,
    json: options.AsJson = False,
    above: Annotated[
        float | None, make_option(_BOUND, "NUMBER", "The bound that a score must lie above.")
    ] = None,
    below: Annotated[
        float | None, make_option(_BOUND, "NUMBER", "The bound that a loss must lie below.")
    ] = None,
    against: Annotated[
        Path | None,
        make_option(
            _BOUND, "FILE", "What is in use, on the same cases: the new one must not be worse."
        ),
    ] = None,
    margin: Annotated[
        float | None,
        make_option(
            _BOUND, "NUMBER", "[dim]default: 0[/dim]  With --against: how much worse is allowed."
        ),
    ] = None,
    level: Annotated[float, make_level_option(_DECIDE)] = 0.95,
    ledger: Annotated[
        Path | None,
        make_option(
            _BOUND,
            "FILE",
            "Counts the looks at the same cases, and allows for them. Keep it with the cases.",
        ),
    ] = None,
    junit: Annotated[
        Path | None, make_option(_WRITE, "FILE", "Write the verdict as a JUnit file, for CI.")
    ] = None,
    markdown: Annotated[
        Path | None, make_option(_WRITE, "FILE", "Write the verdict as Markdown, for a comment.")
    ] = None,
    method: Annotated[
        str | None,
        make_option(
            _DECIDE,
            "NAME",
            "[dim]default: bbc; for mean scores near_winner; for one model on a test set delong or "
            "holdout[/dim]  With a "
            "bound: see [bold]earnest methods[/bold].",
        ),
    ] = None,
    test: Annotated[
        str | None,
        make_option(
            _DECIDE,
            "NAME",
            "[dim]default: delong for roc_auc, else bayle, else bootstrap[/dim]  With --against: "
            "see [bold]earnest tests[/bold].",
        ),
    ] = None,
    seed: Annotated[int, make_seed_option(_DECIDE)] = 0,
    n_jobs: Annotated[int | None, make_jobs_option(_DECIDE)] = None,
    *,
    reading: options.PredictionsReading,
    scoring: options.ScoresReading,
) -> None:
    """Read one or two tables, ask the gate, write what is wanted, and leave with its code."""
    if above is None and below is None and against is None:
        raise InputError(
            "there is no bound", needs="--above NUMBER, --below NUMBER or --against FILE"
        )
    for place in (junit, markdown):
        if place is not None:
            check_folder(place)
    names = None if metric is None else [metric]
    new, _ = read_evidence(predictions, reading, scoring, names)
    old = None
    if against is not None:
        old, _ = read_evidence(against, reading, scoring, names)
        new, old = _name_after_files(new, predictions, old, against)
    from earnest.decision.gate import gate

    made = gate(
        new,
        metric=metric,
        above=above,
        below=below,
        against=old,
        margin=margin,
        confidence_level=level,
        ledger=ledger,
        method=method,
        test=test,
        rng=seed,
        n_jobs=n_jobs,
    )
    _write_files(made, junit, markdown)
    if json:
        write_json(made.to_dict())
    else:
        from earnest.cli.show.decision import show_verdict

        show_verdict(made, label_evidence(new))
    raise typer.Exit(made.exit_code)


def _name_after_files(
    new: Predictions | Scores, at: Path, old: Predictions | Scores, old_at: Path
) -> tuple[Predictions | Scores, Predictions | Scores]:
    """Name one column of scores each after its file, where both files call it the same."""
    from earnest.core.data.scores import Scores

    same = new.configs.ids == old.configs.ids and new.n_configs == 1 and at.stem != old_at.stem
    if same and isinstance(new, Scores) and isinstance(old, Scores):
        return _rename_only(new, at.stem), _rename_only(old, old_at.stem)
    return new, old


def _rename_only(scores: Scores, name: str) -> Scores:
    """Return the scores of one configuration under another name."""
    configs = replace(scores.configs, ids=(name,))
    return scores._with(replace(scores.parts, configs=configs))


def _write_files(made: Verdict, junit: Path | None, markdown: Path | None) -> None:
    from earnest.core.base.writing import write_file

    if junit is not None:
        write_file(junit, made.to_junit())
    if markdown is not None:
        write_file(markdown, made.to_comment())
