"""Scores of images: `COCOeval.evalImgs` of pycocotools, written as JSON; one file per model.

An image has the average precision that COCO's evaluation gives if it is the only image: the mean
over categories of which it shows an object, over 10 thresholds of overlap, and over 101 levels of
recall. The mean over images is not COCO's mAP, which ranks the detections of all images together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.readers import EARLY, ScoresReader, register
from earnest.adapters.scores.runs import (
    EvaluationRun,
    ItemScore,
    Json,
    JsonDict,
    get_list,
    get_text,
    make_other_version_error,
    peek_bytes,
    read_document,
    read_score_number,
)
from earnest.core.base import check

TOOL = "pycocotools"
RECALLS = np.linspace(0.0, 1.0, 101)  # at which precision is read
OVERLAPS = np.linspace(0.5, 0.95, 10)
_NEEDS = "the list COCOeval.evalImgs, with dtMatches, dtScores, dtIgnore and gtIgnore"
_START = re.compile(rb'\s*\[\s*(null\s*,\s*)*\{\s*"image_id"\s*:[^{}]*"dtMatches"')
_PEEKED = 1_000_000
Array: TypeAlias = NDArray[np.float64]


def is_images(path: Path) -> bool:
    """Tell whether this is the evaluation of every image by pycocotools, as JSON."""
    return path.suffix.casefold() == ".json" and bool(_START.match(peek_bytes(path, _PEEKED)))


def read_images(path: Path) -> list[EvaluationRun]:
    """Read one model: images are the items, with AP, AP50, AP75 and AR of each."""
    listed = read_document(path, f"COCOeval.evalImgs of {TOOL}")
    entries = [entry for entry in listed if entry] if isinstance(listed, list) else []
    widest: dict[str, float] = defaultdict(float)
    objects: list[tuple[str, float, JsonDict]] = []
    for entry in entries:
        if not isinstance(entry, dict) or not {"image_id", "dtMatches", "gtIgnore"} <= set(entry):
            raise make_other_version_error(path, TOOL, _NEEDS, check.show(entry))
        image, size = get_text(entry, "image_id"), _measure_range(entry)
        objects.append((image, size, entry))
        widest[image] = max(widest[image], size)
    scores: dict[str, list[tuple[float, ...]]] = {image: [] for image in widest}
    for image, size, entry in objects:
        if size == widest[image]:  # the other ranges are parts of the objects
            values = _score_category(entry, path)
            if values is not None:
                scores[image].append(values)
    rows = [
        ItemScore(image, dict(zip(NAMES, np.mean(values, axis=0).tolist(), strict=True)))
        for image, values in scores.items()
        if values  # an image without an object has no recall
    ]
    return [EvaluationRun(path=path, config=path.stem, rows=rows)]


NAMES = ("AP", "AP50", "AP75", "AR")


def _measure_range(entry: JsonDict) -> float:
    """Return how wide the range of areas of an entry is."""
    ends = [read_score_number(end) for end in get_list(entry, "aRng")]
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return 0.0
    return ends[1] - ends[0]


def _score_category(entry: JsonDict, path: Path) -> tuple[float, ...] | None:
    """Return AP, AP50, AP75 and AR of an image and category, None where it shows no object."""
    ignored = _read_array(entry, "gtIgnore", path)
    count = int((ignored == 0).sum())
    if count == 0:
        return None
    confidence = _read_array(entry, "dtScores", path)
    matches, out = (_read_array(entry, name, path) for name in ("dtMatches", "dtIgnore"))
    if len(confidence) == 0:
        return 0.0, 0.0, 0.0, 0.0
    if matches.shape != out.shape or matches.shape != (len(OVERLAPS), len(confidence)):
        got = f"dtMatches {matches.shape}, dtIgnore {out.shape}, dtScores {confidence.shape}"
        needs = f"{len(OVERLAPS)} thresholds of overlap, as COCO has by default"
        raise make_other_version_error(path, TOOL, needs, got)
    order = np.argsort(-confidence, kind="stable")
    is_match, counts = matches[:, order] != 0, out[:, order] == 0
    right = np.cumsum(is_match & counts, axis=1)
    wrong = np.cumsum(~is_match & counts, axis=1)
    precisions, recalls = zip(
        *(_average_precision(*pair, count) for pair in zip(right, wrong, strict=True)),
        strict=True,
    )
    half, stricter = precisions[0], precisions[5]
    return float(np.mean(precisions)), half, stricter, float(np.mean(recalls))


def _average_precision(
    right: NDArray[np.int64], wrong: NDArray[np.int64], count: int
) -> tuple[float, float]:
    """Return the mean over levels of recall of the best precision from there on, and the recall."""
    recall = right / count
    precision = right / np.maximum(right + wrong, np.spacing(1.0))
    best = np.maximum.accumulate(precision[::-1])[::-1]
    index = np.searchsorted(recall, RECALLS, side="left")
    reached = index < len(best)
    return float(best[index[reached]].sum() / len(RECALLS)), float(recall[-1])


def _read_array(entry: JsonDict, name: str, path: Path) -> Array:
    values: Json = get_list(entry, name)
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        got = f"{name} {check.show(values)}"
        raise make_other_version_error(path, TOOL, "numbers", got) from error


register(
    ScoresReader(
        name="coco_images",
        words="COCOeval.evalImgs of pycocotools as JSON",
        takes=is_images,
        read=read_images,
        rank=EARLY,
        tool=TOOL,
    )
)
