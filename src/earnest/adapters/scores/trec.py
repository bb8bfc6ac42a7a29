"""Scores of queries: `trec_eval -q`, and `ir_measures -q` as text or JSON lines; one file per run.

A line of trec_eval holds a measure, a query and a value, one of ir_measures a query, a measure and
a value; the query `all` stands for the summary, which is not read.
"""

from __future__ import annotations

import re
from pathlib import Path

from earnest.adapters.readers import EARLY, ScoresReader, register
from earnest.adapters.scores.runs import (
    EvaluationRun,
    ItemScore,
    Json,
    get_text,
    peek_bytes,
    peek_line,
    read_lines,
    read_log_bytes,
    read_score_number,
)
from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.cautions.reasons import Breach, LogEnd

TOOL = "trec_eval"
ENDINGS = (".txt", ".trec", ".eval", ".tsv", ".jsonl", ".ndjson", ".out", ".res", "")
_LINES = (".jsonl", ".ndjson")
ALL = "all"
COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "runid")
_NEEDS = "lines with a measure, a query and a value, as trec_eval -q writes them"
_PEEKED = 4096
_FEWEST = 2  # lines by which a text is recognized
_MEASURE = re.compile(
    r"(num_(q|ret|rel|rel_ret|nonrel_judged_ret)|(gm_)?map|(gm_)?bpref|Rprec|recip_rank|11pt_avg|"
    r"runid|infAP|Rndcg|G|binG|relstring|utility|map_cut_\d+|iprec_at_recall_[\d.]+|"
    r"(P|recall|success|relative_P|Rprec_mult|ndcg_cut)_[\d.]+|ndcg|ndcg_rel|"
    r"set_(P|relative_P|recall|map|F)(_[\d.]+)?|"
    r"n?(DCG|ERR|AP|RR|P|R|Rprec|Bpref|RBP|SetP|SetR|SetF|SetAP|Success|Judged|IPrec|infAP|"
    r"ERR_IA|nERR_IA|alpha_DCG|alpha_nDCG|NumRet|NumRel|NumQ|Compat|INST|INSQ|BPM|SDCG|NRBP|"
    r"STREC)(\([^\s()]*\))?(@[\d.]+)?)"
)


def is_queries(path: Path) -> bool:
    """Tell whether this holds values of measures of information retrieval by query."""
    kind = path.suffix.casefold()
    if kind in _LINES:
        row = peek_line(path)
        return {"query_id", "measure", "value"} <= set(row)
    if kind not in ENDINGS:
        return False
    head = peek_bytes(path, _PEEKED).decode("utf-8", "replace")
    lines = [line for line in head.splitlines() if line.strip()]
    whole = lines if head.endswith("\n") else lines[:-1]  # the last one may be cut off
    return len(whole) >= _FEWEST and all(_split_line(line) is not None for line in whole)


def _split_line(line: str) -> tuple[str, str, str] | None:
    """Return the measure, the query and the value of a line, None for another kind of line."""
    cells = line.split("\t") if line.count("\t") == 2 else line.split()
    if len(cells) != 3:
        return None
    first, second, value = (cell.strip() for cell in cells)
    if not first or not second:
        return None
    if _MEASURE.fullmatch(first):
        return first, second, value
    return (second, first, value) if _MEASURE.fullmatch(second) else None


def read_queries(path: Path) -> list[EvaluationRun]:
    """Read one run: its queries are the items, and the file names the configuration."""
    if path.suffix.casefold() in _LINES:
        values, unfinished = _read_json(path)
    else:
        values, unfinished = _read_text(path)
    if not values:
        raise FormatError(
            f"{str(path)!r} has no value of a single query",
            needs=_NEEDS,
            got="a summary of all queries",
            cure="Run trec_eval with -q.",
        )
    rows = [ItemScore(query, dict(scores)) for query, scores in values.items()]
    return [EvaluationRun(path=path, config=path.stem, rows=rows, unfinished=unfinished)]


Values = dict[str, dict[str, float | None]]


def _read_text(path: Path) -> tuple[Values, LogEnd | None]:
    text = read_log_bytes(path).decode("utf-8", "replace")
    lines = text.splitlines()
    values: Values = {}
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        cells = _split_line(line)
        if cells is None or (cells[1] != ALL and _read_value(cells[2]) is None):
            if number == len(lines) - 1 and values and not text.endswith("\n"):
                return values, LogEnd(Breach.LINE, held=number + 1)
            raise _make_line_error(path, number, line)
        _add(values, *cells, path, number)
    return values, None


def _read_json(path: Path) -> tuple[Values, LogEnd | None]:
    rows, unfinished = read_lines(path, TOOL)
    values: Values = {}
    for number, row in enumerate(rows):
        cells = get_text(row, "measure"), get_text(row, "query_id"), get_text(row, "value")
        if not all(cells) or (cells[1] != ALL and _read_value(row.get("value")) is None):
            raise _make_line_error(path, number, row)
        _add(values, *cells, path, number)
    return values, unfinished


def _add(values: Values, measure: str, query: str, value: str, path: Path, number: int) -> None:
    if query == ALL or measure in COUNTS:
        return
    scores = values.setdefault(query, {})
    if measure in scores:
        raise FormatError(
            f"{str(path)!r} has a measure of a query twice",
            needs="one run in each file",
            got=f"{measure} of query {query!r} again in line {number + 1}",
            cure="Write every run to a file of its own.",
        )
    scores[measure] = _read_value(value)


def _read_value(value: Json) -> float | None:
    return None if isinstance(value, bool) else read_score_number(value)


def _make_line_error(path: Path, number: int, line: object) -> FormatError:
    return FormatError(
        f"line {number + 1} of {str(path)!r} is not one of {TOOL}",
        needs=_NEEDS,
        got=check.show(line),
    )


register(
    ScoresReader(
        name="trec_eval",
        words="the output of trec_eval -q",
        takes=is_queries,
        read=read_queries,
        rank=EARLY,  # before Inspect, whose archives end in .eval, too
        tool=TOOL,
    )
)
