"""`earnest ledger`: tries that are told the scores of one half of the cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from earnest.cli.options import JsonOutput, make_argument
from earnest.cli.reading import read_file_and_metrics
from earnest.cli.show.terminal import write_json
from earnest.core.arguments.ledger import ACTIONS, LedgerArguments
from earnest.core.arguments.shared import PredictionsArguments, ScoresArguments
from earnest.core.base import check
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    from earnest.adapters.ledger import Ledger
    from earnest.core.data.fold_scores import FoldScores
    from earnest.core.data.predictions import Predictions
    from earnest.core.data.scores import Scores

HELP = (
    "Try one idea after the other, and stay [bold]honest[/bold]. A ledger tells you the scores of "
    "one half of the cases; the other half judges.\n\n"
    "[bold]new[/bold] begins one with what is in use, [bold]score[/bold] adds a try and tells its "
    "score on your half, [bold]show[/bold] lists the tries of your half, [bold]finish[/bold] ends "
    "it. Then estimate, report, gain, compare and gate take the file. gate also asks an open "
    "ledger; it says pass or undecided, and no number.\n\n"
    "  earnest ledger new work.db in-use.csv --metric roc_auc --rng 1\n"
    "  earnest ledger score work.db try-7.csv --name more-trees --builds-on try-5\n"
    "  earnest ledger show work.db\n"
    "  earnest gate work.db --configs more-trees --above 0.75\n"
    "  earnest ledger finish work.db && earnest estimate work.db"
)
_TAKES = {
    "new": ("metric", "agent", "rng"),
    "score": ("agent", "name", "builds_on"),
    "show": ("agent",),
    "finish": (),
}
_READS = ("new", "score")  # which need a table


def command(
    action: Annotated[str, make_argument("ACTION", f"{', '.join(ACTIONS)}.")],
    ledger: Annotated[Path, make_argument("LEDGER", "The file of the ledger.")],
    predictions: Annotated[
        Path | None,
        make_argument("[PREDICTIONS]", "new, score: predictions, or with --scores scores."),
    ] = None,
    *,
    options: LedgerArguments,
    output: JsonOutput,
    reading: PredictionsArguments,
    scoring: ScoresArguments,
) -> None:
    """Begin a ledger, add a try, or show what may be told."""
    check.one_of("action", action, ACTIONS)
    for name, value in vars(options).items():
        if value is not None and name not in _TAKES[action]:
            raise InputError(
                f"--{name.replace('_', '-')} has no meaning for 'ledger {action}'",
                cure="Leave it out.",
            )
    if (predictions is not None) != (action in _READS):
        raise InputError(
            f"'ledger {action}' takes {'a' if action in _READS else 'no'} table",
            needs=f"earnest ledger {action} LEDGER" + " PREDICTIONS" * (action in _READS),
        )
    from earnest.adapters.ledger import AGENT, Ledger
    from earnest.cli.show.ledger import show_ledger, show_try

    agents = options.agent or []
    if action != "new" and len(agents) > 1:
        raise InputError("--agent names who you are", needs="one name", got=f"{len(agents)}")
    agent = agents[0] if agents and action != "new" else None
    if action == "score":
        assert predictions is not None
        book = Ledger(ledger)
        table = _read_try(book, predictions, reading, scoring)
        label = options.name or table.configs.ids[0]
        score = book.score(table, label, agent=agent, builds_on=options.builds_on or ())
        show_try(label, score, book.show(agent), agent, json=output.json)
        return
    if action == "new":
        assert predictions is not None
        if ledger.exists():
            raise InputError(
                f"{str(ledger)!r} is there already",
                needs="the name of a new file: a ledger is begun once",
            )
        names = None if options.metric is None else [options.metric]
        begun, metrics = read_file_and_metrics(predictions, reading, scoring, names)
        book = Ledger.create(
            ledger, begun, metric=metrics[0], agents=agents or (AGENT,), rng=options.rng
        )
    else:
        book = Ledger(ledger)
        if action == "finish":
            book.finish()
    view = book.show(agent)
    if output.json:
        write_json({"schema": "earnest/ledger/1", **view.to_dict()})
    else:
        show_ledger(view, agent, ledger)


def _read_try(
    ledger: Ledger, path: Path, reading: PredictionsArguments, scoring: ScoresArguments
) -> Predictions | Scores | FoldScores:
    """Read the table of a try: scores where the ledger holds scores."""
    from dataclasses import replace

    if ledger.holds_scores:
        scoring = replace(scoring, scores=True)
    return read_file_and_metrics(path, reading, scoring, [ledger.metric])[0]
