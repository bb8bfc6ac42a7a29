"""Make logs of OpenAI's evals: python make_openai_evals.py FOLDER, where evals is installed.

Its own recorder writes the log of two made-up models; what an eval class does around it (asking the
model, counting matches) is done here, as the classes need packages that cannot be installed.
"""

import hashlib
import os
import sys
from importlib.metadata import version
from pathlib import Path

os.environ.setdefault("OPENAI_API_KEY", "none")  # asked for at import, never used

from evals.base import RunSpec
from evals.record import LocalRecorder

ITEMS = [(a, b) for a in range(2, 8) for b in (3, 5)]


def main(folder: Path) -> None:
    print("evals", version("evals"))
    folder.mkdir(parents=True, exist_ok=True)
    for name, skill in (("adder-small", 150), ("adder-large", 220)):
        spec = RunSpec(
            completion_fns=[name],
            eval_name="sums.dev.v0",
            base_eval="sums",
            split="dev",
            run_config={"completion_fns": [name], "seed": 20220722, "max_samples": None},
            created_by="",
            run_id=f"made-{name}",
            created_at="2026-01-01 00:00:00",
        )
        recorder = LocalRecorder(str(folder / f"{name}.jsonl"), run_spec=spec)
        right = []
        for at, (a, b) in enumerate(ITEMS):
            luck = hashlib.sha256(f"{name}{a}{b}".encode()).digest()[0]
            answer = str(a + b + (luck > skill))
            with recorder.as_default_recorder(f"sums.dev.{at}"):
                recorder.record_sampling(prompt=f"What is {a} plus {b}?", sampled=answer)
                right.append(answer == str(a + b))
                recorder.record_match(right[-1], expected=str(a + b), picked=answer)
        recorder.record_final_report({"accuracy": sum(right) / len(right)})
        recorder.flush_events()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
