"""Make the logs of Inspect: python make_inspect.py FOLDER, where inspect-ai is installed.

Three prompts for a made-up model that adds numbers, two epochs; and one small run as JSON.
"""

import hashlib
import sys
from importlib.metadata import version
from pathlib import Path

from inspect_ai import Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, get_model, modelapi
from inspect_ai.scorer import includes, match
from inspect_ai.solver import generate, prompt_template

ITEMS = [(a, b) for a in range(2, 6) for b in (3, 5)]
PROMPTS = {
    "short": "{prompt}",
    "think": "Think first. {prompt}",
    "polite": "Please answer. {prompt}",
}


class Adder(ModelAPI):
    """Adds two numbers, sometimes wrongly: by a hash of the prompt, so always the same."""

    calls = 0

    async def generate(self, input, tools, tool_choice, config) -> ModelOutput:
        text = input[-1].text
        a, b = [int(word) for word in text.rstrip("?").split() if word.isdigit()][-2:]
        Adder.calls += 1
        luck = hashlib.sha256(f"{text}{Adder.calls % 2}".encode()).digest()[0]
        wrong = luck < (60 if "Think" in text else 110)
        return ModelOutput.from_content(self.model_name, f"{a + b + wrong}")


@modelapi(name="made")
def made():
    return Adder


@task
def sums(prompt: str = "short", count: int = 8, epochs: int = 2):
    samples = [
        Sample(input=f"What is {a} plus {b} ?", target=str(a + b), id=f"sum-{a}-{b}")
        for a, b in ITEMS[:count]
    ]
    return Task(
        dataset=MemoryDataset(samples),
        solver=[prompt_template(PROMPTS[prompt]), generate()],
        scorer=[match(location="any"), includes()],
        epochs=epochs,
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    print("inspect-ai", version("inspect-ai"))
    model = get_model("made/adder", config=GenerateConfig(temperature=0))
    how = {"model": model, "max_connections": 1, "display": "none"}
    for prompt in PROMPTS:
        eval(sums(prompt), log_dir=str(folder / "prompts"), log_format="eval", **how)
    small = sums("short", count=3, epochs=1)
    eval(small, log_dir=str(folder / "as_json"), log_format="json", **how)
