"""From a path on the command line to predictions, or to a table of cases."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from earnest.core.arguments.base import name_option
from earnest.core.base.errors import FormatError, InputError

if TYPE_CHECKING:
    from earnest.core.arguments.shared import (
        CasesArguments,
        CsvArguments,
        PredictionsArguments,
        ScoresArguments,
        TableArguments,
    )
    from earnest.core.data.fold_scores import FoldScores
    from earnest.core.data.predictions import Predictions
    from earnest.core.data.scores import Scores
    from earnest.training.tables.table import TrainingTable

LARGE = 100_000_000  # bytes of a file that is read so long that it is said
_SCORES_LOADED_AS = {
    "group": "groups",
    "task": "tasks",
    "model": "config",
    "prediction": "score",
}
_NOT_OF_SCORES = (
    *("target", "time", "event", "positive", "response", "threshold"),
    *("weight", "weights", "strata", "when"),
)
_SIGNS = {"tab": "\t", "\\t": "\t", "space": " "}  # hard to type, or to see


def read_sign(delimiter: str | None) -> str | None:
    r"""Return the sign that a user means who writes it, or its name.

    Examples
    --------
    >>> from earnest.cli.reading import read_sign
    >>> read_sign("tab"), read_sign(";"), read_sign(None)
    ('\t', ';', None)
    """
    return None if not delimiter else _SIGNS.get(delimiter, delimiter)


class CsvMarks(TypedDict):
    """The signs of a CSV file, as readers take them."""

    delimiter: str | None
    decimal: str | None
    thousands: str | None


class TableMarks(CsvMarks):
    """The signs of a CSV file and the marks of missing values, as readers of cases take them."""

    missing: tuple[str, ...]


def read_table_marks(how: TableArguments) -> TableMarks:
    """Return the signs of a CSV file and the marks of missing values that were said."""
    return {**read_marks(how), "missing": tuple(how.missing or ())}


def read_marks(how: CsvArguments) -> CsvMarks:
    """Return the signs of a CSV file that were said."""
    return {
        "delimiter": read_sign(how.delimiter),
        "decimal": how.decimal,
        "thousands": read_sign(how.thousands),
    }


@contextmanager
def keep_standard_input() -> Iterator[Path]:
    """Give what stands on standard input as a file, as long as the command runs.

    Its first bytes tell the format; what is none of the others is CSV.
    """
    from earnest.core.tables.opening import guess_suffix

    stream = sys.stdin
    if stream is None or stream.isatty():
        raise InputError(
            "there is nothing on standard input",
            needs="a table that is piped in, for '-'",
            got="a terminal" if stream is not None else "a closed stream",
            cure="Pipe it in, as in: earnest estimate - -m roc_auc < preds.csv.",
        )
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="earnest-") as folder:
        content = stream.buffer.read()
        if not content:
            raise InputError(
                "there is nothing on standard input",
                needs="a table that is piped in, for '-'",
                got="no bytes",
            )
        path = Path(folder) / f"standard-input{guess_suffix(content)}"
        path.write_bytes(content)
        yield path


T = TypeVar("T")


def _load(load: Callable[..., T], path: Path, options: dict[str, Any]) -> T:
    """Load a table; say so at once if it is large, and tell why if it cannot be read."""
    from earnest.cli.show.progress import patiently

    size = path.stat().st_size if path.is_file() else 0
    words = f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{max(size / 1e3, 1):,.0f} kB"
    try:
        with patiently(sys.stderr, f"Reading {path.name}, {words}", now=size > LARGE):
            return load(path, **options)
    except OSError as error:
        why = error.strerror or str(error)
        raise FormatError(f"{str(path)!r} cannot be read", got=why) from error


def _read_ledger(path: Path, how: PredictionsArguments) -> tuple[Predictions | Scores, str]:
    """Return the tries of a finished ledger, and what it scores."""
    from earnest.adapters.ledger import Ledger
    from earnest.core.data.predictions import Predictions
    from earnest.core.data.scores import Scores

    for name in _list_given(how):
        if name != "configs":
            raise InputError(
                f"{name_option(name)} is for tables, but this is a ledger", cure="Leave it out."
            )
    source = Ledger(path).to_source()
    assert isinstance(source.evidence, Predictions | Scores)
    evidence = source.evidence.select(how.configs) if how.configs else source.evidence
    return evidence, str(source.metric)


def read_predictions(
    path: Path, how: PredictionsArguments, by: list[str] | None = None
) -> Predictions:
    """Read a table of predictions: a file, a run file, or the folder of a run.

    `by` are columns that divide its cases into subgroups, where a table of others has them.
    """
    from earnest.adapters.predictions.door import (
        find_run_file,
        find_run_folder,
        refuse_foreign,
        table_of,
    )
    from earnest.adapters.predictions.run_file import read_predictions_of_run
    from earnest.adapters.readers import PredictionsRequest
    from earnest.adapters.trials.files import is_ledger
    from earnest.core.data.predictions import Predictions

    if is_ledger(path):
        tries, _ = _read_ledger(path, how)
        if not isinstance(tries, Predictions):
            raise InputError("the ledger holds scores", needs="predictions")
        return tries
    path = find_run_folder(path)
    run_file = find_run_file(path)
    if run_file is not None:
        for name in _list_given(how):
            raise InputError(
                f"{name_option(name)} is for tables, but this is a run", cure="Leave it out."
            )
        return _load(read_predictions_of_run, run_file, {"wanted": PredictionsRequest()})
    refuse_foreign(path)
    return _load(Predictions.load, table_of(path), list_load_options(how, by))


def read_file_and_metrics(
    path: Path,
    how: PredictionsArguments,
    scoring: ScoresArguments,
    metrics: list[str] | None,
    by: list[str] | None = None,
) -> tuple[Predictions | Scores | FoldScores, list[str]]:
    """Read a table of predictions, of scores, or of scores of folds, and what to measure of it.

    Scores need no metric; where none is named for predictions the command is refused, with the way
    to scores if the table may hold some.
    """
    from earnest.adapters.evidence import refuse_subgroups
    from earnest.adapters.folds.door import open_fold_file
    from earnest.adapters.scores.door import is_evaluation
    from earnest.adapters.trials.files import is_ledger
    from earnest.core.tables.opening import holds_scores

    if is_ledger(path):
        refuse_subgroups({"by": by}, "a ledger")
        tries, metric = _read_ledger(path, how)
        return tries, metrics or [metric]
    fold_scores = None if scoring.scores or is_earnest(path) else open_fold_file(path)
    if fold_scores is not None or is_evaluation(path) or scoring.scores or holds_scores(path):
        refuse_subgroups({"by": by}, "scores")
    if fold_scores is not None:
        _refuse_reading(how, scoring)
        chosen = fold_scores.select(how.configs) if how.configs else fold_scores
        return chosen, metrics or ([chosen.measure.name] if chosen.settled else _ask_metric(chosen))
    if is_evaluation(path):
        logs = read_logs(path, how, scoring)
        return logs, metrics or [str(logs.measure.rule)]
    if scoring.scores or holds_scores(path):
        scores = read_score_table(path, how, scoring)
        return scores, metrics or [str(scores.measure.rule)]
    for name, value in vars(scoring).items():
        if value:
            option = name_option(name)
            raise InputError(
                f"{option} is for scores", cure=f"Add --scores, or leave {option} out."
            )
    advise_on_tuning(path)
    of_run = find_metric(path)
    metrics = metrics or ([] if of_run is None else [of_run])
    if not metrics and path.exists():  # what is not there is refused when it is read
        refuse_no_metric(
            "For scores of items, such as prompts scored on the same questions, say --scores."
        )
    return read_predictions(path, how, by), metrics


def is_earnest(path: Path) -> bool:
    """Tell whether this is a run of earnest, which holds predictions."""
    from earnest.adapters.predictions.door import find_run_file, is_run

    return is_run(path) or find_run_file(path) is not None


def _refuse_reading(how: PredictionsArguments, scoring: ScoresArguments) -> None:
    """Refuse options that say how a table of cases is read."""
    for name in [*_list_given(how), *(name for name, value in vars(scoring).items() if value)]:
        if name != "configs":
            raise InputError(
                f"{name_option(name)} is for tables of cases, but this holds scores of folds",
                cure="Leave it out.",
            )


def _ask_metric(scores: FoldScores) -> list[str]:
    raise InputError(
        "the search has several scores",
        needs=f"--metric, one of {', '.join(scores.list_metrics())}",
    )


def find_metric(path: Path) -> str | None:
    """Return what the search of a run measured; None for a table, which does not say."""
    from earnest.adapters.evidence import open_evidence
    from earnest.adapters.trials.files import is_ledger

    if not is_earnest(path) and not is_ledger(path):
        return None
    metric = open_evidence(path).metric
    return metric if isinstance(metric, str) else None


def advise_on_tuning(path: Path) -> None:
    """Let advice on a run of `earnest tune` name its options beside those of this command."""
    from earnest.adapters.evidence import read_run_result
    from earnest.adapters.predictions.door import BESIDE, find_run_folder
    from earnest.cli.app import options_of
    from earnest.core.text.doors import current_door, enter

    options = current_door().options
    folder = find_run_folder(path)
    if options is not None and folder.is_dir() and read_run_result(folder / BESIDE[1]).tuning:
        enter(options | options_of("tune"))


def refuse_no_metric(cure: str = "") -> None:
    """Refuse predictions without a metric."""
    raise InputError(
        "Missing option '--metric' / '-m'",
        needs="what to measure, such as --metric accuracy",
        cure=f"'earnest metrics' lists them. {cure}".rstrip(),
    )


def read_score_table(path: Path, how: PredictionsArguments, scoring: ScoresArguments) -> Scores:
    """Read a table of scores."""
    from earnest.core.data.scores import Scores

    return _load(Scores.load, path, list_score_options(how, scoring))


def read_logs(path: Path, how: PredictionsArguments, scoring: ScoresArguments) -> Scores:
    """Read the logs of evaluation tools: a log, or a folder of logs."""
    from earnest.adapters.scores.door import scores_from
    from earnest.cli.show.progress import patiently

    with patiently(sys.stderr, f"Reading {path.name}", now=False):
        scores = scores_from(path, **list_log_options(how, scoring))
    return scores.select(how.configs) if how.configs else scores


def list_log_options(how: PredictionsArguments, scoring: ScoresArguments) -> dict[str, Any]:
    """Return the options of `scores_from` that were given."""
    for name in _list_given(how):
        if name != "configs":
            raise InputError(
                f"{name_option(name)} is for tables, but this is a log",
                cure="Leave it out.",
            )
    for name in ("human", "probability"):
        if getattr(scoring, name) is not None:
            raise InputError(
                f"{name_option(name)} names a column of a table, but this is a log",
                cure="In Python, use scores_from(...).with_labels(...).",
            )
    return _list_scoring(scoring, ("score", "incomplete", "config_is"))


def list_score_options(how: PredictionsArguments, scoring: ScoresArguments) -> dict[str, Any]:
    """Return the options of `Scores.load` that were given."""
    options = _list_given(how)
    for name in _NOT_OF_SCORES:
        if name in options:
            raise InputError(f"--{name} has no meaning with --scores", cure="Leave it out.")
    if scoring.config_is is not None:
        raise InputError("--config-is is for logs of evaluations", cure="Leave it out.")
    if "model" in options:
        if len(options["model"]) > 1:
            raise InputError(
                "one column names the configuration of a score",
                needs="--model once",
                got=f"{len(options['model'])} times",
            )
        options["model"] = options["model"][0]
    named = {_SCORES_LOADED_AS.get(name, name): value for name, value in options.items()}
    return named | _list_scoring(scoring, ("incomplete", "per", "score", "human", "probability"))


def list_load_options(how: PredictionsArguments, by: list[str] | None = None) -> dict[str, Any]:
    """Return the options of `Predictions.load` that were given.

    An empty name stands for None, and leaves a column out.
    """
    said = {name: None if value == "" else value for name, value in _list_given(how).items()}
    return said | ({"by": by} if by else {})


def _list_given(how: PredictionsArguments) -> dict[str, Any]:
    """Return what was said of a table, with signs for their names."""
    options = {name: value for name, value in vars(how).items() if value is not None}
    signs = {
        name: read_sign(options[name]) for name in ("delimiter", "thousands") if name in options
    }
    return options | signs


def _list_scoring(scoring: ScoresArguments, names: tuple[str, ...]) -> dict[str, Any]:
    """Return what was said of scores; `names` are the options that go on as they are."""
    named = {name: getattr(scoring, name) for name in names if getattr(scoring, name) is not None}
    if scoring.lower_is_better:
        named["greater_is_better"] = False
    if scoring.limits is not None:
        named["limits"] = parse_limits(scoring.limits)
    return named


def parse_limits(text: str) -> tuple[float, float]:
    """Return the two numbers of --limits."""
    try:
        low, high = (float(end) for end in text.split(","))
    except ValueError:
        raise InputError(
            f"--limits: {text!r} is not a range", needs="two numbers, such as 0,1 or 0,inf"
        ) from None
    return low, high


def label_evidence(evidence: Predictions | Scores | FoldScores) -> dict[str, str]:
    """Return what to print of each configuration: its id, and its name where there is one."""
    return dict(evidence.configs.labels)


def takes_long(evidence: Predictions | Scores | FoldScores) -> bool:
    """Tell whether predictions or scores are so many that what is asked of them takes long."""
    matrix = evidence.responses if hasattr(evidence, "responses") else evidence.values
    return int(matrix.nbytes) > LARGE


def read_case_table(
    path: Path, target: str, how: CasesArguments, task: str | None = None
) -> TrainingTable:
    """Read a table with one row per case; `task` overrides what was said of it."""
    from earnest.training.tables.table import read_training_table

    return read_training_table(
        path,
        target=target,
        group=how.group,
        task=how.task if task is None else task,
        positive=how.positive,
        ignore=tuple(how.ignore or ()),
        **read_table_marks(how),
    )
