"""Make results of DSPy and GEPA: python make_dspy.py FOLDER, where dspy and gepa are installed.

Two made-up programs that add numbers, each evaluated with `save_as_json` and `save_as_csv`; and an
optimization of a prompt by GEPA whose made-up proposals are longer prompts, of which each is a
little better.
"""

import hashlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

import dspy
import gepa
from gepa.core.adapter import EvaluationBatch

ITEMS = [(a, b) for a in range(2, 8) for b in (3, 5)]


class Adder(dspy.Module):
    """Adds two numbers, sometimes wrongly: by a hash of the question and its own skill."""

    def __init__(self, name: str, skill: int) -> None:
        super().__init__()
        self.name, self.skill = name, skill

    def forward(self, question: str) -> dspy.Prediction:
        a, b = [int(word) for word in question.split() if word.isdigit()]
        luck = hashlib.sha256(f"{self.name}{question}".encode()).digest()[0]
        return dspy.Prediction(answer=str(a + b + (luck > self.skill)))


def exact(example, prediction, trace=None) -> bool:
    return example.answer == prediction.answer


class Sums:
    """What GEPA asks of an adapter."""

    propose_new_texts = None

    def evaluate(self, batch, candidate, capture_traces=False):
        skill = min(240, 90 + 3 * len(candidate["prompt"]))
        scores = []
        for a, b in batch:
            luck = hashlib.sha256(f"{candidate['prompt']}{a}{b}".encode()).digest()[0]
            scores.append(float(luck <= skill))
        outputs = [str(a + b) for a, b in batch]
        return EvaluationBatch(outputs, scores, outputs if capture_traces else None)

    def make_reflective_dataset(self, candidate, batch, components):
        return {name: [{"Inputs": "sums", "Feedback": "add"}] for name in components}


def main(folder: Path) -> None:
    print("dspy", version("dspy"), "gepa", version("gepa"))
    (folder / "dspy").mkdir(parents=True, exist_ok=True)
    examples = [
        dspy.Example(question=f"What is {a} plus {b} ?", answer=str(a + b)).with_inputs("question")
        for a, b in ITEMS
    ]
    for name, skill in (("zero_shot", 150), ("few_shot", 210)):
        judge = dspy.Evaluate(devset=examples, metric=exact, num_threads=1, display_progress=False)
        judge(Adder(name, skill), save_as_json=str(folder / "dspy" / f"{name}.json"))
    count = 0

    def propose(text: str) -> str:
        nonlocal count
        count += 1
        return f"```\nAdd the numbers{', then check' * count}.\n```"

    made = gepa.optimize(
        seed_candidate={"prompt": "Add."},
        trainset=ITEMS[:6],
        valset=ITEMS,
        adapter=Sums(),
        reflection_lm=propose,
        max_metric_calls=120,
        seed=0,
        display_progress_bar=False,
    )
    (folder / "gepa").mkdir(exist_ok=True)
    (folder / "gepa" / "result.json").write_text(json.dumps(made.to_dict()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
