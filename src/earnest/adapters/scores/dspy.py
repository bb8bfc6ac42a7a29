"""Results of DSPy's Evaluate, written with `save_as_json`, and of GEPA, written from `to_dict`."""

from __future__ import annotations

from pathlib import Path

from earnest.adapters.readers import LATE, ScoresReader, register
from earnest.adapters.scores.runs import (
    EvaluationRun,
    ItemScore,
    Json,
    get_list,
    get_text,
    make_other_version_error,
    name_item,
    peek_bytes,
    read_document,
    read_score_number,
)
from earnest.core.base import check
from earnest.core.base.errors import FormatError

DSPY, GEPA = "DSPy", "GEPA"
_STATE = "gepa_state.bin"
_NEEDS = "a list with one object an example, whose last entry is the score"
_PEEK, _LARGEST = 65536, 10**9  # bytes that are looked at


def is_dspy_evaluation(path: Path) -> bool:
    """Tell whether this is what Evaluate wrote: a list of examples, the score at the end."""
    start = peek_bytes(path, _PEEK) if path.suffix == ".json" else b""
    return start.lstrip()[:1] == b"[" and (b'"pred_' in start or b'"example_' in start)


def read_evaluation(path: Path) -> list[EvaluationRun]:
    """Read one evaluation: the file is the configuration, and the place of an example its name."""
    listed = read_document(path, f"results of {DSPY}")
    rows = []
    for at, example in enumerate(listed if isinstance(listed, list) else []):
        if not isinstance(example, dict) or not example:
            raise make_other_version_error(path, DSPY, _NEEDS, check.show(example))
        name = list(example)[-1]
        score = example[name]
        if score is not None and read_score_number(score) is None:
            raise make_other_version_error(path, DSPY, _NEEDS, f"{name!r}: {check.show(score)}")
        rows.append(ItemScore(name_item(example.get("id", at)), {name: read_score_number(score)}))
    return [EvaluationRun(path=path, config=path.stem, rows=rows)]


def is_result(path: Path) -> bool:
    """Tell whether this is a result of GEPA, or the state that it keeps beside it."""
    if path.name == _STATE:
        return True
    small = path.suffix == ".json" and path.stat().st_size < _LARGEST
    return small and b'"val_subscores"' in peek_bytes(path, _LARGEST)


def read_optimization(path: Path) -> list[EvaluationRun]:
    """Read one optimization: every candidate is a configuration, proposed by what was seen."""
    if path.name == _STATE:
        raise FormatError(
            f"{str(path)!r} is a pickle",
            needs="the result of GEPA as JSON",
            cure="A pickle can run anything when it is read. In Python, write "
            "json.dump(result.to_dict(), open('result.json', 'w')), of DSPy's optimizer "
            "program.detailed_results.to_dict().",
        )
    result = read_document(path, f"a result of {GEPA}")
    scores, candidates = get_list(result, "val_subscores"), get_list(result, "candidates")
    if not scores or len(scores) != len(candidates):
        needs = "as many `val_subscores` as `candidates`"
        got = f"{len(scores)} and {len(candidates)}"
        raise make_other_version_error(path, GEPA, needs, got)
    rows = [
        ItemScore(item, {"val_score": read_score_number(score)}, config=f"candidate {at}")
        for at, subscores in enumerate(scores)
        for item, score in _list_scores(subscores, path)
    ]
    settings: dict[str, Json] = {"seed": get_text(result, "seed")}
    return [EvaluationRun(path=path, config=path.stem, rows=rows, settings=settings, static=False)]


def _list_scores(subscores: Json, path: Path) -> list[tuple[str, Json]]:
    """Return the scores of a candidate by item: versions before 0.1 wrote a list."""
    if isinstance(subscores, dict):
        return list(subscores.items())
    if isinstance(subscores, list):
        return [(str(at), score) for at, score in enumerate(subscores)]
    raise make_other_version_error(path, GEPA, "scores by item", check.show(subscores))


register(
    ScoresReader(
        name="gepa", words="a result of GEPA", takes=is_result, read=read_optimization, tool=GEPA
    )
)
register(
    ScoresReader(
        name="dspy",
        words="JSON results of DSPy's Evaluate",
        takes=is_dspy_evaluation,
        read=read_evaluation,
        rank=LATE,
        tool=DSPY,
    )
)
