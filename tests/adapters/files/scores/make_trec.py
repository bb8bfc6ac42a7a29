"""Record queries of two runs: python make_trec.py FOLDER, with pytrec_eval-terrier, ir-measures.

`trec` has trec_eval's numbers by pytrec_eval, in the lines of `trec_eval -q`; `trec_ir_measures`
and `trec_ir_measures_json` are what `ir_measures -q` printed. The run `dense` lacks one query.
"""

import random
import subprocess
import sys
from pathlib import Path

import pytrec_eval

MEASURES = {"map", "P.5,10", "ndcg", "ndcg_cut.10", "recip_rank", "num_rel", "num_ret"}


def write_runs(folder: Path) -> None:
    random.seed(5)
    documents = [f"d{i}" for i in range(30)]
    with (
        (folder / "qrels").open("w") as judged,
        (folder / "bm25.run").open("w") as first,
        (folder / "dense.run").open("w") as second,
    ):
        for query in range(301, 313):
            grades = {d: (2 if random.random() < 0.3 else 1) for d in random.sample(documents, 6)}
            for d in documents[:25]:
                judged.write(f"{query} 0 {d} {grades.get(d, 0)}\n")
            for file, name, skill in ((first, "bm25", 0.8), (second, "dense", 1.4)):
                if name == "dense" and query == 312:
                    continue
                scores = {d: random.gauss(0, 1) + skill * grades.get(d, 0) for d in documents}
                for rank, d in enumerate(sorted(scores, key=scores.get, reverse=True)[:20]):
                    file.write(f"{query} Q0 {d} {rank + 1} {scores[d]:.4f} {name}\n")


def write_line(measure: str, query: str, value: float) -> str:
    number = f"{value:.0f}" if measure.startswith("num_") else f"{value:.4f}"
    return f"{measure:<22}\t{query}\t{number}\n"


def main(folder: Path) -> None:
    for name in ("trec", "trec_ir_measures", "trec_ir_measures_json"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    write_runs(folder)
    with (folder / "qrels").open() as file:
        judged = pytrec_eval.parse_qrel(file)
    for name in ("bm25", "dense"):
        with (folder / f"{name}.run").open() as file:
            run = pytrec_eval.parse_run(file)
        values = pytrec_eval.RelevanceEvaluator(judged, MEASURES).evaluate(run)
        measures = sorted(next(iter(values.values())))
        lines = [write_line(m, q, values[q][m]) for q in sorted(values) for m in measures]
        lines += [f"{'runid':<22}\tall\t{name}\n", write_line("num_q", "all", len(values))]
        for m in measures:
            column = [values[q][m] for q in values]
            lines.append(write_line(m, "all", pytrec_eval.compute_aggregated_measure(m, column)))
        (folder / "trec" / f"{name}.txt").write_text("".join(lines))
        paths = [str(folder / "qrels"), str(folder / f"{name}.run")]
        for place, options in (
            ("trec_ir_measures", []),
            ("trec_ir_measures_json", ["-o", "jsonl"]),
        ):
            asked = ["nDCG@10", "AP"] if options else ["nDCG@10", "AP", "P(rel=2)@5"]
            text = subprocess.run(
                ["ir_measures", "-q", *options, *paths, *asked],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            ending = "jsonl" if options else "tsv"
            (folder / place / f"{name}.{ending}").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
