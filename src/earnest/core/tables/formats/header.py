"""What a file that earnest wrote says of itself: the schema, the facts, and two hashes."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

import numpy as np

from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import FormatError
from earnest.core.base.provenance import JsonObject
from earnest.core.data.case_weights import CaseWeights
from earnest.core.data.guides import Guides
from earnest.core.data.measure import Measure
from earnest.core.data.order import describe_order, rebuild_order
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.subgroups import SubgroupColumn
from earnest.core.data.target import Target, Task
from earnest.core.results.base import parse_json
from earnest.core.results.cautions import Caution
from earnest.core.tables.writing import list_about_names

SCHEMA = "earnest/predictions/1"
LOADERS = {
    "predictions": "Predictions.load",
    "replicates": "Replicates.load",
    "scores": "Scores.load",
}


class HeaderFacts(TypedDict):
    """What the header of a file of predictions says, as JSON holds it."""

    schema: str
    task: str
    classes: list[object]
    kind: str
    threshold: float | None
    ordered: bool
    order: NotRequired[str]
    shape: list[int]
    dtype: str
    fold_names: list[list[str]]
    columns: list[str]
    ids: str | None
    configs: list[str]
    params: list[object] | None
    complexity: list[float] | None
    static: bool
    remarks: NotRequired[list[dict[str, str]]]
    training_sizes: NotRequired[list[list[int]]]
    ensemble_rule: NotRequired[str]
    measure: NotRequired[dict[str, object]]
    others: NotRequired[list[str]]
    guides: NotRequired[list[str]]
    by: NotRequired[list[dict[str, Any]]]
    weights: NotRequired[str]
    times: NotRequired[list[float]]
    fingerprint: str


def write_header(pi: Predictions) -> str:
    """Return all of Π but its arrays as one line of JSON, with hashes of both."""
    target = pi.target
    facts = {
        "schema": SCHEMA,
        "task": str(target.task),
        "classes": list(target.classes),
        "kind": str(pi.kind),
        "threshold": pi.threshold,
        **describe_order(target.order),
        "shape": list(pi.responses.shape),
        "dtype": pi.responses.dtype.name,
        "fold_names": [list(names) for names in pi.fold_names],
        "columns": list_about_names(pi),
        "ids": None if target.ids is None else ("int" if target.ids.dtype.kind == "i" else "str"),
        **describe_configs(pi.configs),
        "fingerprint": pi.fingerprint,
    }
    if pi.remarks:
        facts["remarks"] = [remark.to_dict() for remark in pi.remarks]
    if pi.training_sizes is not None:
        facts["training_sizes"] = [list(sizes) for sizes in pi.training_sizes]
    if pi.ensemble_rule is not None:
        facts["ensemble_rule"] = pi.ensemble_rule
    if target.measure is not None:
        facts["measure"] = target.measure.to_dict()
    if target.subgroups:
        facts["by"] = [column.to_plain() for column in target.subgroups]
    if target.weights is not None:
        facts["weights"] = str(target.weights.kind)
    if target.times:
        facts["times"] = list(target.times)
    if pi.others:
        facts["others"] = [str(other.kind) for other in pi.others]
    if pi.guides is not None:
        facts["guides"] = list(pi.guides.to_text())
    return seal(facts)


def name_responses(kind: str) -> str:
    """Return the name of the array with responses of another kind than the first."""
    return f"responses_{kind}"


def seal(facts: Mapping[str, object]) -> str:
    """Return facts as one line of JSON, with a hash of them."""
    whole = {**facts, "checksum": _compute_checksum(facts)}
    return json.dumps(whole, separators=(",", ":"), allow_nan=False)


def unseal(text: str | bytes, path: Path, schema: str) -> dict[str, Any]:
    """Return the facts of a header, if it is one that can be read and nobody changed it."""
    try:
        facts = parse_json(text)
    except ValueError as error:
        raise make_changed_error(path, "a JSON header", "other text") from error
    file_schema = facts.get("schema") if isinstance(facts, dict) else None
    kind, version = _split_schema(file_schema)
    wanted, _ = _split_schema(schema)
    if kind != wanted or not version.isdecimal():
        raise FormatError(
            f"{path.name!r} does not hold {wanted}",
            needs=f"schema {schema!r}",
            got=f"schema {file_schema!r}",
            cure=f"Read {kind} with {LOADERS[kind]}." if kind in LOADERS else "",
        )
    if file_schema != schema:
        raise FormatError(
            f"{path.name!r} was written by a newer version of earnest",
            needs=f"schema {schema!r}",
            got=f"schema {file_schema!r}",
            cure="Update earnest.",
        )
    stored, true = facts.pop("checksum", None), _compute_checksum(facts)
    if stored != true:
        raise make_changed_error(path, f"header checksum {true}", f"{stored}")
    return cast(dict[str, Any], facts)


def _split_schema(schema: object) -> tuple[str, str]:
    """Return the kind and the version of a schema such as 'earnest/predictions/1'."""
    name, kind, version = [*str(schema).split("/"), "", "", ""][:3]
    return (kind, version) if name == "earnest" else ("", "")


def read_header(text: str | bytes, path: Path) -> HeaderFacts:
    """Return the facts of a file of predictions."""
    return cast(HeaderFacts, unseal(text, path, SCHEMA))


def describe_configs(configs: Configs) -> dict[str, object]:
    """Return what a header says of configurations."""
    return {
        "configs": list(configs.ids),
        "params": None
        if configs.params is None
        else [pack_parameter(dict(p)) for p in configs.params],
        "complexity": None if configs.complexity is None else list(configs.complexity),
        "static": configs.static,
    }


def rebuild_configs(facts: JsonObject) -> Configs:
    """Make the configurations that a header describes."""
    params, complexity = facts["params"], facts["complexity"]
    return Configs(
        ids=tuple(facts["configs"]),
        params=None
        if params is None
        else tuple(cast(dict[str, object], unpack(config)) for config in params),
        complexity=None if complexity is None else tuple(complexity),
        static=facts["static"],
    )


def list_target_arrays(target: Target) -> dict[str, RawArray | None]:
    """Return the arrays of a target by the names that a file gives them."""
    arrays = {name: getattr(target, name) for name in ("y", "event", "groups", "strata", "ids")}
    return arrays | {"weights": None if target.weights is None else target.weights.values}


def rebuild_target(facts: JsonObject, arrays: Mapping[str, RawArray]) -> Target:
    """Make the target of a header and its arrays."""
    return Target(
        y=arrays["y"],
        task=Task(facts["task"]),
        classes=tuple(facts["classes"]),
        event=arrays.get("event"),
        groups=arrays.get("groups"),
        strata=arrays.get("strata"),
        order=rebuild_order(facts["ordered"], facts.get("order"), len(arrays["y"])),
        ids=arrays.get("ids"),
        measure=Measure.from_dict(facts["measure"]) if "measure" in facts else None,
        subgroups=tuple(SubgroupColumn.of_plain(column) for column in facts.get("by", [])),
        weights=CaseWeights.of(arrays["weights"], facts["weights"]) if "weights" in facts else None,
        times=tuple(facts.get("times", ())),
    )


def rebuild(
    facts: HeaderFacts, arrays: Mapping[str, RawArray], path: Path, *, verify: bool
) -> Predictions:
    """Make Π of a header and its arrays, and check that they belong together."""
    _refuse_other_arrays(facts, arrays, path)
    pi = Predictions(
        target=rebuild_target(facts, arrays),
        configs=rebuild_configs(facts),
        responses=arrays["responses"],
        folds=arrays["folds"],
        fold_names=tuple(tuple(names) for names in facts["fold_names"]),
        kind=ResponseKind(facts["kind"]),
        threshold=facts["threshold"],
        remarks=tuple(Caution.from_dict(remark) for remark in facts.get("remarks", [])),
        training_sizes=tuple(map(tuple, facts["training_sizes"]))
        if "training_sizes" in facts
        else None,
        ensemble_rule=facts.get("ensemble_rule"),
        guides=Guides.of_text(*facts["guides"]) if "guides" in facts else None,
    )
    others = tuple(
        replace(
            pi,
            responses=arrays[name_responses(kind)],
            kind=ResponseKind(kind),
            threshold=None,
            remarks=(),
            ensemble_rule=None,
        )
        for kind in facts.get("others", [])
    )
    pi = replace(pi, others=others) if others else pi
    if verify and pi.fingerprint != facts["fingerprint"]:
        raise make_changed_error(
            path, f"fingerprint {facts['fingerprint']}", f"fingerprint {pi.fingerprint}"
        )
    return pi


# What the arrays of Π are made of, and whether they are numbered by a list in the header.
_KINDS = {
    "y": "if",
    "event": "b",
    "groups": "i",
    "strata": "i",
    "ids": "iU",
    "folds": "i",
    "weights": "f",
}


def _refuse_other_arrays(facts: HeaderFacts, arrays: Mapping[str, RawArray], path: Path) -> None:
    """Refuse arrays of other types or sizes than the header says, and codes beyond its lists."""
    n, _, repeats = facts["shape"][:3]
    shapes = dict.fromkeys(_KINDS, (n,)) | {"folds": (n, repeats)}
    for name in _KINDS:
        array = arrays.get(name)
        if array is not None and (
            array.shape != shapes[name] or array.dtype.kind not in _KINDS[name]
        ):
            raise make_changed_error(
                path, f"array {name!r} of shape {shapes[name]}", f"{array.dtype} {array.shape}"
            )
    counts = [len(names) for names in facts["fold_names"]]
    folds, y = arrays["folds"], arrays["y"]
    if (folds < -1).any() or (folds >= counts).any():
        raise make_changed_error(path, f"folds up to {max(counts)}", f"fold {int(folds.max())}")
    for column in facts.get("by", []):
        if len(SubgroupColumn.of_plain(column).codes) != n:
            raise make_changed_error(path, f"{n} cases in column {column['name']!r}", "others")
    if "weights" in facts and "weights" not in arrays:
        raise make_changed_error(path, f"weights of {n} cases", "none")
    if facts["classes"] and not np.isin(y, range(len(facts["classes"]))).all():
        raise make_changed_error(path, f"codes of {len(facts['classes'])} classes", "others")


def make_changed_error(path: Path, needs: str, got: str) -> FormatError:
    """Return the error for a file that is not what earnest wrote."""
    return FormatError(
        f"{path.name!r} was changed or damaged after earnest wrote it",
        needs=needs,
        got=got,
        cure=(
            "Write it again with save(), or read its content with another library and pass that to "
            "earnest."
        ),
    )


def pack_parameter(value: object) -> object:
    """Turn a parameter into JSON that keeps tuples, odd keys and odd floats apart.

    Anything else than Python's and NumPy's plain values (an estimator, a function) is kept as its
    repr, and comes back as that text.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": repr(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, tuple):
        return {"$tuple": [pack_parameter(v) for v in value]}
    if isinstance(value, list):
        return [pack_parameter(v) for v in value]
    if isinstance(value, Mapping):
        if all(isinstance(k, str) and not k.startswith("$") for k in value):
            return {k: pack_parameter(v) for k, v in value.items()}
        return {"$dict": [[pack_parameter(k), pack_parameter(v)] for k, v in value.items()]}
    return {"$repr": repr(value)}


def unpack(value: object) -> object:
    """Turn the JSON of `pack_parameter` back into a parameter."""
    if isinstance(value, list):
        return [unpack(v) for v in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((tag, inner),) = value.items()
        if tag == "$float":
            return float(inner)
        if tag == "$tuple":
            return tuple(unpack(v) for v in inner)
        if tag == "$dict":
            return {unpack(k): unpack(v) for k, v in inner}
        if tag == "$repr":
            return inner
    return {k: unpack(v) for k, v in value.items()}


def _compute_checksum(facts: Mapping[str, object]) -> str:
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
