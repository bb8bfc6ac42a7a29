"""NPZ files of replicates: the arrays as they are, and a header that tells the rest."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict, cast

import numpy as np

from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import FormatError
from earnest.core.base.writing import replacing
from earnest.core.data.replicates import DrawUnit, Replicates
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Target, Task
from earnest.core.results.base import parse_json
from earnest.core.results.cautions import Caution
from earnest.core.tables.files import find_existing
from earnest.core.tables.formats.expanding import refuse_expanding
from earnest.core.tables.formats.header import make_changed_error
from earnest.core.tables.formats.npz import HEADER, read_member, readable, write_member

SCHEMA = "earnest/replicates/1"


class _Facts(TypedDict):
    schema: str
    task: str
    classes: list[object]
    ordered: bool
    kind: str
    drawn: str
    learner: str
    threshold: float | None
    n_failed: int
    seed: int | None
    cautions: list[dict[str, str]]
    fingerprint: str


def save_replicates(replicates: Replicates, path: str | Path) -> Path:
    """Write replicates to an NPZ file: beside its place first, so that it is never half there."""
    path = Path(path)
    if path.suffix.casefold() != ".npz" or not path.resolve().parent.is_dir():
        raise FormatError(
            f"{path.name!r} cannot be written",
            needs="a name that ends in .npz, in a folder that exists",
            got=str(path),
        )
    target = replicates.target
    arrays: dict[str, RawArray | None] = {
        HEADER: np.frombuffer(_write_header(replicates).encode(), dtype=np.uint8),
        "y": target.y,
        "event": target.event,
        "groups": target.groups,
        "strata": target.strata,
        "ids": target.ids,
        "counts": replicates.counts,
        "apparent": replicates.apparent,
        "responses": replicates.responses,
    }
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in arrays.items():
            if array is not None:
                write_member(archive, f"{name}.npy", array)
    return path


def load_replicates(path: str | Path, *, verify: bool = True) -> Replicates:
    """Return the replicates of a file that `save_replicates` wrote, or refuse it."""
    path = find_existing(Path(path))
    with readable(path), zipfile.ZipFile(path) as archive:
        refuse_expanding(archive, path)
        arrays = {
            name.removesuffix(".npy"): read_member(path, archive, name, False)
            for name in archive.namelist()
        }
    facts = _read_facts(arrays.pop(HEADER, None), path)
    lacking = {"y", "counts", "apparent", "responses"} - set(arrays)
    if lacking:
        raise make_changed_error(
            path, "all arrays as they were written", f"none named {sorted(lacking)}"
        )
    made = Replicates(
        target=Target(
            y=arrays["y"],
            task=Task(facts["task"]),
            classes=tuple(facts["classes"]),
            event=arrays.get("event"),
            groups=arrays.get("groups"),
            strata=arrays.get("strata"),
            ordered=facts["ordered"],
            ids=arrays.get("ids"),
        ),
        responses=arrays["responses"],
        counts=arrays["counts"],
        apparent=arrays["apparent"],
        kind=ResponseKind(facts["kind"]),
        drawn=DrawUnit(facts["drawn"]),
        learner=facts["learner"],
        threshold=facts["threshold"],
        n_failed=facts["n_failed"],
        seed=facts["seed"],
        cautions=tuple(Caution.from_dict(caution) for caution in facts["cautions"]),
    )
    if verify and made.fingerprint != facts["fingerprint"]:
        raise make_changed_error(path, f"fingerprint {facts['fingerprint']}", made.fingerprint)
    return made


def _write_header(replicates: Replicates) -> str:
    facts: _Facts = {
        "schema": SCHEMA,
        "task": str(replicates.target.task),
        "classes": list(replicates.target.classes),
        "ordered": replicates.target.ordered,
        "kind": str(replicates.kind),
        "drawn": str(replicates.drawn),
        "learner": replicates.learner,
        "threshold": replicates.threshold,
        "n_failed": replicates.n_failed,
        "seed": replicates.seed,
        "cautions": [caution.to_dict() for caution in replicates.cautions],
        "fingerprint": replicates.fingerprint,
    }
    return json.dumps({**facts, "checksum": _compute_checksum(facts)}, allow_nan=False)


def _read_facts(header: RawArray | None, path: Path) -> _Facts:
    """Return the header, if it is one of replicates and nobody changed it."""
    try:
        facts = {} if header is None else parse_json(header.tobytes())
    except ValueError as error:
        raise make_changed_error(path, "a JSON header", "other text") from error
    schema = facts.get("schema") if isinstance(facts, dict) else None
    if schema != SCHEMA:
        raise FormatError(
            f"{path.name!r} does not hold replicates",
            needs=f"schema {SCHEMA!r}",
            got=f"schema {schema!r}",
            cure="Read predictions with Predictions.load."
            if str(schema).startswith("earnest/predictions")
            else "",
        )
    stored = facts.pop("checksum", None)
    if stored != _compute_checksum(facts):
        raise make_changed_error(path, f"header checksum {_compute_checksum(facts)}", str(stored))
    return cast(_Facts, facts)


def _compute_checksum(facts: Mapping[str, object]) -> str:
    text = json.dumps(facts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
