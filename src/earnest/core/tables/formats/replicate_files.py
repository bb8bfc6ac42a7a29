"""NPZ files of replicates: the arrays as they are, and a header with the rest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.base.writing import replacing
from earnest.core.data.replicates import ARRAYS, DrawUnit, Replicates
from earnest.core.data.responses import ResponseKind
from earnest.core.results.cautions import Caution
from earnest.core.tables.formats.header import (
    list_target_arrays,
    make_changed_error,
    rebuild_target,
    seal,
    unseal,
)
from earnest.core.tables.formats.npz import HEADER, read_npz, write_npz
from earnest.core.tables.opening import find_existing

SCHEMA = "earnest/replicates/1"
INNER = "inner_"  # before the names of the arrays of the second stage
_AS_THEY_ARE = ("learner", "threshold", "n_failed", "seed", "fingerprint")


def save_replicates(replicates: Replicates, path: str | Path) -> Path:
    """Write replicates to an NPZ file: beside its place first, so that it is never half there."""
    path = check.read_path(path)
    if path.suffix.casefold() != ".npz" or not path.resolve().parent.is_dir():
        raise FormatError(
            f"{path.name!r} cannot be written",
            needs="a name that ends in .npz, in a folder that exists",
            got=str(path),
        )
    target = replicates.target
    header = seal(
        {
            "schema": SCHEMA,
            "task": str(target.task),
            "classes": list(target.classes),
            "times": list(target.times),
            "ordered": target.ordered,
            "kind": str(replicates.kind),
            "drawn": str(replicates.drawn),
            "cautions": [caution.to_dict() for caution in replicates.cautions],
            **{name: getattr(replicates, name) for name in _AS_THEY_ARE},
        }
    )
    arrays = {name: getattr(replicates, name) for name in ARRAYS}
    if replicates.inner is not None:
        arrays |= {f"{INNER}{name}": getattr(replicates.inner, name) for name in ARRAYS[:2]}
    with replacing(path) as temporary:
        write_npz(temporary, header, {**list_target_arrays(target), **arrays})
    return path


def load_replicates(path: str | Path, *, verify: bool = True) -> Replicates:
    """Return the replicates of a file that `save_replicates` wrote, or refuse it."""
    path = find_existing(check.read_path(path), "a file of replicates")
    arrays = read_npz(path, mmap=False, mapped=())
    header = arrays.pop(HEADER, None)
    facts = unseal(b"{}" if header is None else header.tobytes(), path, SCHEMA)
    lacking = {"y", *ARRAYS} - set(arrays)
    if lacking:
        raise make_changed_error(
            path, "all arrays as they were written", f"none named {sorted(lacking)}"
        )
    replicates = Replicates(
        target=rebuild_target(facts, arrays),
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
    inner = {name: arrays.get(f"{INNER}{name}") for name in ARRAYS[:2]}
    if inner["responses"] is not None and inner["counts"] is not None:
        second = replace(
            replicates,
            responses=inner["responses"],
            counts=inner["counts"],
            n_failed=0,
            cautions=(),
        )
        replicates = replace(replicates, inner=second)
    if verify and replicates.fingerprint != facts["fingerprint"]:
        raise make_changed_error(
            path, f"fingerprint {facts['fingerprint']}", replicates.fingerprint
        )
    return replicates
