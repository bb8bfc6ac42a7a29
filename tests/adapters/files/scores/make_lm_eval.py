"""Make logs of lm-evaluation-harness: python make_lm_eval.py FOLDER, where lm-eval is installed.

Two made-up models on a task of sums: four choices, scored by `acc` and `acc_norm`; and on one that
asks for the sum, scored after each of two filters. One of the models runs twice.
"""

import hashlib
import json
import os
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

os.environ["HF_DATASETS_OFFLINE"] = "1"

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

ITEMS = [(a, b) for a in range(2, 8) for b in (3, 5)]
CHOICES = """
task: sums_choice
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "What is {{{{a}}}} plus {{{{b}}}}?"
doc_to_choice: choices
doc_to_target: gold
metric_list: [{{metric: acc}}, {{metric: acc_norm}}]
"""
GENERATE = """
task: sums_generate
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
doc_to_text: "What is {{{{a}}}} plus {{{{b}}}}?"
doc_to_target: "{{{{a + b}}}}"
generation_kwargs: {{until: ["\\n"]}}
metric_list: [{{metric: exact_match}}]
filter_list:
  - name: strict
    filter: [{{function: take_first}}]
  - name: flexible
    filter: [{{function: regex, regex_pattern: "(\\\\d+)"}}, {{function: take_first}}]
"""


class Adder(LM):
    """Adds two numbers, sometimes wrongly: by a hash of the prompt and its own skill."""

    def __init__(self, name: str, skill: int) -> None:
        super().__init__()
        self.name, self.skill = name, skill

    def luck(self, text: str) -> int:
        return hashlib.sha256(f"{self.name}{text}".encode()).digest()[0]

    def loglikelihood(self, requests):
        return [self._judge(*request.args) for request in requests]

    def _judge(self, context, continuation):
        a, b = [int(word) for word in context.rstrip("?").split() if word.isdigit()]
        wrong = self.luck(context) > self.skill
        right = a + b + wrong == int(continuation)
        return (-1.0 if right else -3.0 - self.luck(continuation) / 100, right)

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError

    def generate_until(self, requests):
        found = []
        for request in requests:
            a, b = [int(word) for word in request.args[0].rstrip("?").split() if word.isdigit()]
            total = a + b + (self.luck(request.args[0]) > self.skill)
            found.append(f"The sum is {total}" if a % 2 else f"{total}")
        return found


def main(folder: Path) -> None:
    print("lm_eval", version("lm_eval"))
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "sums.jsonl"
        rows = [
            {"a": a, "b": b, "choices": [str(a + b + k) for k in range(4)], "gold": 0}
            for a, b in ITEMS
        ]
        data.write_text("\n".join(map(json.dumps, rows)))
        for name, text in (("choice", CHOICES), ("generate", GENERATE)):
            (Path(place) / f"{name}.yaml").write_text(text.format(data=data))
        manager = TaskManager(include_path=place, include_defaults=False)
        for name, skill, times in (("adder-small", 150, 2), ("adder-large", 220, 1)):
            for _ in range(times):
                tracker = EvaluationTracker(output_path=str(folder))
                made = simple_evaluate(
                    model=Adder(name, skill),
                    tasks=["sums_choice", "sums_generate"],
                    task_manager=manager,
                    bootstrap_iters=0,
                    evaluation_tracker=tracker,
                )
                tracker.general_config_tracker.model_name = name
                tracker.general_config_tracker.model_name_sanitized = name
                samples = made.pop("samples")
                made["pretty_env_info"] = "left out"
                tracker.save_results_aggregated(results=made, samples=samples)
                for task, answers in samples.items():
                    tracker.save_results_samples(task_name=task, samples=answers)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
