"""Sample sizes by pmsampsize 0.1.0 and pmvalsampsize 0.2.1 (pip), of their published examples.

python make_sample_size.py > sample_size.json (Python 3.12 or newer, or the wheels unpacked).
pmvalsampsize 0.2.1 fails with a threshold, so that it has no net benefit to record.
"""

import contextlib
import io
import json


def main() -> None:
    """Write the numbers."""
    from pmsampsize.pmsampsize import pmsampsize
    from pmvalsampsize.pmvalsampsize import pmvalsampsize

    plan = [
        (pmsampsize, {"type": "b", "csrsquared": 0.288, "parameters": 24, "prevalence": 0.174}),
        (pmsampsize, {"type": "b", "cstatistic": 0.89, "parameters": 24, "prevalence": 0.174}),
        (
            pmsampsize,
            {
                "type": "b",
                "csrsquared": 0.05,
                "parameters": 20,
                "prevalence": 0.1,
                "shrinkage": 0.95,
            },
        ),
        (
            pmsampsize,
            {
                "type": "s",
                "csrsquared": 0.051,
                "parameters": 30,
                "rate": 0.065,
                "timepoint": 2,
                "meanfup": 2.07,
            },
        ),
        (pmsampsize, {"type": "c", "rsquared": 0.9, "parameters": 25, "intercept": 1.9, "sd": 0.6}),
        (pmsampsize, {"type": "c", "rsquared": 0.2, "parameters": 25, "intercept": 1.9, "sd": 0.6}),
        (
            pmvalsampsize,
            {
                "type": "b",
                "prevalence": 0.018,
                "cstatistic": 0.8,
                "lpnormal": (-5, 2.5),
                "oeciwidth": 1,
                "noprint": True,
            },
        ),
    ]

    out = []
    for function, given in plan:
        with contextlib.redirect_stdout(io.StringIO()):
            result = function(**given)
        rows = [row for row in result["results_table"] if isinstance(row, list)]
        cases = [int(row[1]) for row in rows]
        out.append(
            {"by": function.__name__, "given": given, "cases": cases[:-1], "final": cases[-1]}
        )
    print(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
