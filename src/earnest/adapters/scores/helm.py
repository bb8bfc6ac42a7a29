"""Runs of HELM: `per_instance_stats.json`, with `run_spec.json` beside it."""

from __future__ import annotations

from pathlib import Path

from earnest.adapters.readers import ScoresReader, register
from earnest.adapters.scores.runs import (
    EvaluationRun,
    ItemScore,
    Json,
    JsonDict,
    get_count,
    get_dict,
    get_list,
    get_text,
    make_other_version_error,
    read_document,
    read_score_number,
    take_objects,
)
from earnest.core.base import check

TOOL = "HELM"
FILE, SPEC = "per_instance_stats.json", "run_spec.json"
_NEEDS = "a list of objects with instance_id, train_trial_index and stats"


def is_stats(path: Path) -> bool:
    """Tell whether this is the statistics of each instance of a run."""
    return path.name == FILE


def read_stats(path: Path) -> list[EvaluationRun]:
    """Read one run; a training trial is a repeat, and a perturbed instance an item of its own."""
    listed = read_document(path, f"the file {FILE} of {TOOL}")
    beside = path.with_name(SPEC)
    spec: Json = read_document(beside, f"the file {SPEC} of {TOOL}") if beside.is_file() else {}
    adapter = get_dict(spec, "adapter_spec")
    if not isinstance(listed, list) or not listed:
        raise make_other_version_error(path, TOOL, _NEEDS, check.show(listed))
    name = get_text(spec, "name") or path.parent.name
    model = get_text(adapter, "model") or _find_part(name, "model") or path.parent.name
    settings: dict[str, Json] = {
        key: value for key, value in adapter.items() if key not in ("model", "model_deployment")
    }
    return [
        EvaluationRun(
            path=path,
            config=model,
            rows=[_read_instance(instance, path) for instance in listed],
            task=_name_task(name),
            settings=settings,
        )
    ]


def _name_task(name: str) -> str:
    """Return the name of a run without its model.

    Examples
    --------
    >>> from earnest.adapters.scores.helm import _name_task
    >>> _name_task("mmlu:subject=anatomy,model=openai_gpt2")
    'mmlu:subject=anatomy'
    """
    head, _, tail = name.partition(":")
    settings = [
        setting for setting in tail.split(",") if setting and not setting.startswith("model=")
    ]
    return f"{head}:{','.join(settings)}" if settings else head


def _find_part(name: str, key: str) -> str:
    parts = name.partition(":")[2].split(",")
    return next((setting[len(key) + 1 :] for setting in parts if setting.startswith(f"{key}=")), "")


def _read_instance(instance: Json, path: Path) -> ItemScore:
    if not isinstance(instance, dict) or "instance_id" not in instance or "stats" not in instance:
        raise make_other_version_error(path, TOOL, _NEEDS, check.show(instance))
    perturbed = get_text(instance, "perturbation", "name")
    scores: dict[str, float | None] = {}
    for stat in take_objects(get_list(instance, "stats"), path, TOOL, _NEEDS):
        name, mean = get_text(stat, "name", "name"), _read_mean(stat)
        if scores.setdefault(name, mean) != mean:
            got = f"{check.show(scores[name])} and {check.show(mean)} as {name!r} of one instance"
            raise make_other_version_error(path, TOOL, "one value of each statistic", got)
    item = get_text(instance, "instance_id")
    return ItemScore(
        f"{item}/{perturbed}" if perturbed else item,
        scores,
        repeat=get_count(instance, "train_trial_index"),
        group=item,  # an instance and its perturbed copies
    )


def _read_mean(stat: JsonDict) -> float | None:
    """Return the mean of a statistic, which older files have as a sum and a count."""
    mean = read_score_number(stat.get("mean"))
    total, count = read_score_number(stat.get("sum")), read_score_number(stat.get("count"))
    if mean is None and total is not None and count:
        return total / count
    return mean


register(
    ScoresReader(
        name="helm",
        words="per_instance_stats.json of HELM",
        takes=is_stats,
        read=read_stats,
        tool=TOOL,
    )
)
