"""Make a plain leaderboard: python make_plain.py FOLDER. One table a model, in three formats."""

import csv
import hashlib
import json
import sys
from pathlib import Path

ITEMS = [f"q{number}" for number in range(1, 11)]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, skill in (("small", 120), ("medium", 160), ("large", 200)):
        rows = [
            {
                "item": item,
                "score": int(hashlib.sha256(f"{name}{item}".encode()).digest()[0] < skill),
                "passage": f"p{(at // 2) + 1}",
            }
            for at, item in enumerate(ITEMS)
        ]
        if name == "large":
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            (folder / f"{name}.jsonl").write_text(lines)
            continue
        ending, sign = (".csv", ",") if name == "small" else (".tsv", "\t")
        with (folder / f"{name}{ending}").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0], delimiter=sign, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
