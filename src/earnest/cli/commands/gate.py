"""`earnest gate`: pass, fail or undecided, as an exit code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from earnest.cli.options import JsonOutput, Table
from earnest.cli.reading import find_metric, label_evidence, read_file_and_metrics
from earnest.cli.show.terminal import write_json
from earnest.cli.writing import check_folder
from earnest.core.arguments.base import Argument, name_option, pass_arguments
from earnest.core.arguments.gate import GateArguments
from earnest.core.arguments.shared import PredictionsArguments, ScoresArguments
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    from earnest.core.data.fold_scores import FoldScores
    from earnest.core.data.predictions import Predictions
    from earnest.core.data.scores import Scores
    from earnest.decision.verdict import Verdict

    AnyTable = Predictions | Scores | FoldScores


_WRITE = "What to write"

HELP = (
    "Does it pass? A bound must be [bold]shown[/bold], not just reached; the exit code tells.\n\n"
    "Exit codes: [bold]0[/bold] pass, [bold]3[/bold] fail, [bold]4[/bold] undecided; the output "
    "says how many more cases would decide it. A wrong pass or fail has a chance of at most 1 "
    "minus the level. The best of several is judged, corrected for the selection.\n\n"
    "  earnest gate new.parquet --metric roc_auc --above 0.75 --ledger looks.db\n"
    "  earnest gate new.parquet -m accuracy --against main.parquet --margin 0.02\n"
    "  earnest gate logs/ --score acc --above 0.6\n"
    "  earnest gate work.db --configs try-7 --against work.db"
)


@dataclass(frozen=True, kw_only=True)
class GateOutput(JsonOutput):
    """What is written of a verdict."""

    junit: Annotated[
        Path | None,
        Argument("Write the verdict as a JUnit file, for CI.", "FILE", _WRITE, usual=True),
    ] = None
    markdown: Annotated[
        Path | None,
        Argument("Write the verdict as Markdown, for a comment.", "FILE", _WRITE, usual=True),
    ] = None


def command(
    predictions: Table,
    *,
    question: GateArguments,
    output: GateOutput,
    reading: PredictionsArguments,
    scoring: ScoresArguments,
) -> None:
    """Read one or two tables, ask the gate, write what is wanted, and leave with its code."""
    metric, against = question.metric, question.against
    if question.above is None and question.below is None and against is None:
        raise InputError(
            "there is no bound", needs="--above NUMBER, --below NUMBER or --against FILE"
        )
    for path in (output.junit, output.markdown):
        if path is not None:
            check_folder(path)
    from earnest.adapters.trials.files import is_ledger

    names = None if metric is None else [metric]
    if is_ledger(predictions):
        _ask_ledger(predictions, question, output, reading, scoring)
        return
    new, _ = read_file_and_metrics(predictions, reading, scoring, names, question.by)
    old = None
    if against is not None:
        old, _ = read_file_and_metrics(against, reading, scoring, names)
        new, old = _name_after_files(new, predictions, old, against)
    from earnest.decision.gate import gate

    arguments = {**pass_arguments(question), "metric": metric or find_metric(predictions)}
    _tell(gate(new, **{**arguments, "against": old}), output, label_evidence(new))


def _ask_ledger(
    path: Path,
    question: GateArguments,
    output: GateOutput,
    reading: PredictionsArguments,
    scoring: ScoresArguments,
) -> None:
    """Ask the gate of a ledger, by its path: an open one is not read by anyone else."""
    from earnest.adapters.trials.files import is_ledger
    from earnest.decision.gate import gate

    options = [name for name, value in vars(reading).items() if value and name != "configs"]
    options += [name for name, value in vars(scoring).items() if value]
    if options and question.against is None:
        raise InputError(f"{name_option(options[0])} is for tables, but this is a ledger")
    configs = reading.configs or []
    if len(configs) > 1:
        raise InputError("a gate on a ledger judges one try", got=f"{len(configs)} names")
    rival: object = question.against
    if question.against is not None and not is_ledger(question.against):
        names = None if question.metric is None else [question.metric]
        reading = replace(reading, configs=None)
        rival = read_file_and_metrics(question.against, reading, scoring, names or [""])[0]
    arguments = {**pass_arguments(question), "against": rival}
    _tell(gate(path, config=configs[0] if configs else None, **arguments), output, {})


def _tell(verdict: Verdict, output: GateOutput, names: dict[str, str]) -> None:
    """Write a verdict, and leave with its code."""
    _write_files(verdict, output.junit, output.markdown)
    if output.json:
        write_json(verdict.to_dict())
    else:
        from earnest.cli.show.decision import show_verdict

        show_verdict(verdict, names)
    raise typer.Exit(verdict.exit_code)


def _name_after_files(
    new: AnyTable, at: Path, old: AnyTable, old_at: Path
) -> tuple[AnyTable, AnyTable]:
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


def _write_files(verdict: Verdict, junit: Path | None, markdown: Path | None) -> None:
    from earnest.core.base.writing import write_file

    if junit is not None:
        write_file(junit, verdict.to_junit())
    if markdown is not None:
        write_file(markdown, verdict.to_comment())
