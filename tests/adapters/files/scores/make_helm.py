"""Make runs of HELM: python make_helm.py FOLDER, where crfm-helm is installed without dependencies.

HELM's own classes hold the statistics and its own codec writes them, as its runner does; its models
and metrics, which need packages of several gigabytes, are replaced by a made-up model.
"""

import hashlib
import os
import sys
from importlib.metadata import version
from pathlib import Path
from unittest.mock import MagicMock

for absent in os.environ.get("ABSENT", "spacy").split(","):  # of metrics that are not asked here
    sys.modules[absent] = MagicMock()

from helm.benchmark.adaptation.adapter_spec import AdapterSpec  # noqa: E402
from helm.benchmark.metrics.metric import PerInstanceStats  # noqa: E402
from helm.benchmark.metrics.metric_name import MetricName  # noqa: E402
from helm.benchmark.metrics.statistic import Stat  # noqa: E402
from helm.benchmark.run_spec import RunSpec  # noqa: E402
from helm.benchmark.scenarios.scenario import ScenarioSpec  # noqa: E402
from helm.common.codec import to_json  # noqa: E402

ITEMS = [(a, b) for a in range(2, 6) for b in (3, 5)]


def main(folder: Path) -> None:
    print("crfm-helm", version("crfm-helm"))
    for name, skill in (("made/adder-small", 150), ("made/adder-large", 220)):
        run = f"sums:subject=small,model={name.replace('/', '_')}"
        place = folder / name.partition("/")[2]  # HELM names it as the run, which Windows cannot
        place.mkdir(parents=True, exist_ok=True)
        total = Stat(MetricName("exact_match", split="test"))
        found = []
        for at, (a, b) in enumerate(ITEMS):
            for trial in range(2):
                luck = hashlib.sha256(f"{name}{a}{b}{trial}".encode()).digest()[0]
                right = Stat(MetricName("exact_match", split="test")).add(float(luck <= skill))
                tokens = Stat(MetricName("num_output_tokens", split="test")).add(1)
                total.add(float(luck <= skill))
                found.append(
                    PerInstanceStats(
                        instance_id=f"id{at}",
                        perturbation=None,
                        train_trial_index=trial,
                        stats=[right, tokens],
                    )
                )
        spec = RunSpec(
            name=run,
            scenario_spec=ScenarioSpec(class_name="made.Sums", args={"subject": "small"}),
            adapter_spec=AdapterSpec(method="generation", model=name, num_train_trials=2),
            metric_specs=[],
        )
        (place / "per_instance_stats.json").write_text(to_json(found))
        (place / "stats.json").write_text(to_json([total]))
        (place / "run_spec.json").write_text(to_json(spec))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
