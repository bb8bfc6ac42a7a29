"""What each code of a caution means, at any length: the sections of the page on cautions.

The page in the documentation is the only place where these texts are written. `docs/_generate.py`
copies them into `data/cautions.json`, so that a report can explain a code without a network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

# Cautions: coded remarks that travel with a result and say what follows from them.


class Severity(StrEnum):
    """How much a remark matters: a caution bears on the number, a note explains it."""

    CAUTION = "caution"
    NOTE = "note"


@dataclass(frozen=True)
class Caution:
    """A coded remark on a result.

    Parameters
    ----------
    code : str
        Stable code, `EN001` and so on; see `CODES`.
    what, consequence, cure : str
        What was seen, what follows from it, and what to do; each a sentence.
    severity : Severity
        Caution or note.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 100)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((200, 50))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(200) // 2 % 10)
    >>> caution = en.estimate(pi, metric="roc_auc", rng=7).cautions[0]
    >>> caution.code
    'EN001'
    >>> caution.cure
    'Report the corrected value with its interval.'
    """

    code: str
    what: str
    consequence: str
    cure: str = ""
    severity: Severity = Severity.CAUTION

    def __post_init__(self) -> None:
        """Refuse a code that is not in the table."""
        if self.code not in CODES:
            raise ValueError(f"caution {self.code!r} is not in CODES")

    def __str__(self) -> str:
        """Return the remark as one line."""
        return " ".join(
            part for part in (self.code, self.what, self.consequence, self.cure) if part
        )

    def to_dict(self) -> dict[str, str]:
        """Return plain data."""
        return {
            "code": self.code,
            "severity": str(self.severity),
            "what": self.what,
            "consequence": self.consequence,
            "cure": self.cure,
        }

    @classmethod
    def from_dict(cls, data: dict[str, str]) -> Caution:
        """Make a caution from plain data."""
        return cls(
            data["code"],
            data["what"],
            data["consequence"],
            data["cure"],
            Severity(data["severity"]),
        )


CODES: dict[str, str] = {
    "EN001": "the winner's own score is much too optimistic",
    "EN002": "a fold has few or no cases of a class",
    "EN003": "groups are split across folds",
    "EN004": "the optimum lies on the edge of the space",
    "EN005": "configurations tie at the top",
    "EN006": "a dynamic search, and a method for static ones",
    "EN007": "pooled scores of folds with different scales",
    "EN008": "methods disagree",
    "EN009": "cases in time order",
    "EN010": "resamples without a defined value",
    "EN011": "a value that was moved back into the metric's range",
    "EN012": "configurations without complete predictions",
    "EN013": "cases that no fold tested",
    "EN014": "two selection rules choose different winners",
    "EN015": "one configuration, so nothing was selected",
    "EN016": "few resamples for the level",
    "EN017": "folds in which the metric is undefined",
    "EN018": "few folds to resample",
    "EN019": "a ranking metric on hard labels",
    "EN020": "few groups to resample",
    "EN021": "repeats resampled one at a time",
    "EN022": "a selection that is not corrected for",
    "EN023": "one fold or part used, the rest of the predictions unused",
    "EN024": "groups that were not resampled together",
    "EN025": "strata that were not used",
    "EN026": "no tilt goes far enough, so another limit is used",
    "EN027": "scores that show no spread of the AUC",
    "EN028": "grouped cases treated as independent",
    "EN029": "a tilted limit that depends on few resamples",
    "EN030": "scores that were reversed",
    "EN031": "a metric that is not a mean over cases, under a theorem for means",
    "EN032": "repeats under a theorem for one partition",
    "EN033": "groups under a theorem for independent cases",
    "EN034": "few groups for a variance over groups",
    "EN035": "cases without a spread",
    "EN036": "few cases, or few that differ, for normal limits",
    "EN037": "folds that only one of two configurations has",
    "EN038": "fold scores treated as independent",
    "EN039": "a best configuration that was chosen on the same cases",
    "EN040": "configurations that predict the same",
    "EN041": "too few cases or draws for the level of a test",
    "EN042": "predictions of several models read as one model's",
    "EN043": "configurations for which the metric is undefined",
    "EN044": "few cases of a class for the interval of an AUC",
    "EN045": "fits or scores of a search that failed",
    "EN046": "a search without a mean score to choose by",
    "EN047": "scores with sample weights, an estimate without",
    "EN048": "a winner chosen by another score than the estimate's",
    "EN049": "test sets that overlap",
    "EN050": "splits that test what they train on",
    "EN051": "configurations that were dropped early",
    "EN052": "one configuration left by early dropping",
    "EN053": "early dropping on few predictions",
    "EN054": "folds that ended when the interval was narrow enough",
    "EN055": "inner winners that differ from fold to fold",
    "EN056": "a file that is not UTF-8 and was read as Windows-1252",
    "EN057": "predictions that are scores, not probabilities",
    "EN058": "scores that all lie on one side of the threshold",
    "EN059": "an outcome that is longer than what was tested",
    "EN060": "trials that were left out",
    "EN061": "a hyperparameter that never varied",
    "EN062": "a space that was inferred from the trials",
    "EN063": "a surrogate that explains little",
    "EN064": "a surrogate made for many trials",
    "EN065": "parts of a hyperparameter's range that were hardly tried",
    "EN066": "trials that repeat a configuration",
    "EN067": "a hyperparameter that is active in few trials",
    "EN068": "many levels divided along an ordering",
    "EN069": "a narrow band with few trials",
    "EN070": "only one hyperparameter varies",
    "EN071": "a best trial that cannot be told from others",
    "EN072": "columns that look like identifiers",
    "EN073": "columns with nothing to learn from",
    "EN074": "dates that were left out",
    "EN075": "text with many levels that was left out",
    "EN076": "rows that were left out to save time",
    "EN077": "a search that was cut short by its budget",
    "EN078": "rows without an outcome",
    "EN079": "values that training never saw",
    "EN080": "cases that a tool left out",
    "EN081": "training that had looked at the test cases",
    "EN082": "folds with one case of a class",
    "EN084": "few replicates for a standard error",
    "EN085": "cases that no replicate left out",
    "EN086": "a standard error taken from a related estimate",
    "EN087": "a metric without a standard error from replicates",
    "EN088": "replicates that failed",
    "EN089": "copies of a case on both sides of an inner split",
    "EN090": "a sequestered test set that was used before",
    "EN091": "a use of a test set that no file records",
    "EN092": "few folds, repeats or halves for a spread",
    "EN093": "fewer than ten cases",
    "EN094": "as many models as cases",
    "EN095": "an error that was moved back to its bound",
    "EN097": "an interval of another kind than you asked for",
    "EN098": "a statistic that is not smooth",
    "EN099": "a standard error of a difference that is rather too large",
    "EN100": "configurations whose predictions were not kept",
    "EN101": "early stopping on the test fold",
    "EN102": "models of models",
    "EN103": "out-of-bag predictions among out-of-fold ones",
    "EN104": "unknown folds",
    "EN110": "decision values that give no probabilities",
    "EN111": "rows that are copies of others",
    "EN112": "a column that looks like a group",
    "EN113": "a few cases that decide the metric",
    "EN114": "a learner that one training case changes too much",
    "EN115": "a test that assumes stable learners, which was not checked",
    "EN120": "columns that may be data, not predictions",
    "EN121": "numbers formatted for people",
    "EN122": "rows that may repeat the same cases",
    "EN123": "heavy tails of the winner's losses",
    "EN124": "losses that are equal or take few values",
    "EN125": "thresholds of decision values",
    "EN126": "a rule for a threshold that cannot be satisfied",
    "EN127": "hyperparameters of a winner that were chosen with all training cases",
    "EN128": "a workbook with several sheets",
    "EN130": "few cases of a class for the interval of a winner's AUC or F1",
    "EN131": "an AUC that varies more than normal scores allow",
    "EN132": "repeats of few cases near the best score",
    "EN133": "the mean over orders of a search that had only one",
    "EN134": "one configuration of a search in R",
    "EN135": "an ensemble that another tool delivers",
    "EN140": "scores that are missing",
    "EN141": "rows that are read as samples of one item",
    "EN142": "columns that may not be scores",
    "EN143": "items that are drawn in batches",
    "EN144": "an evaluation log that was not read whole",
    "EN145": "items that one run scored more often than others",
    "EN146": "items without a score of every configuration",
    "EN150": "a comparison of the best of a table",
    "EN155": "a limit that few errors would put too close to the score",
    "EN156": "folds that keep rows together, but no groups",
    "EN157": "confident probabilities of few cases",
}


FILE = Path(__file__).parents[2] / "data" / "cautions.json"


@dataclass(frozen=True)
class CautionMeaning:
    """The meaning of a code.

    Attributes
    ----------
    code, title : str
        The code, and what it is in short.
    about : str
        When it is given; empty where the title says it all.
    follows, to_do : str
        What follows from it, and what to do. Words of code stand between backticks; a blank line
        parts paragraphs.
    """

    code: str
    title: str
    about: str
    follows: str
    to_do: str


@cache
def explanations() -> Mapping[str, CautionMeaning]:
    """Return what every code means, by code."""
    told = json.loads(FILE.read_text(encoding="utf-8"))
    return {code: CautionMeaning(code, **parts) for code, parts in told.items()}


def explain_code(code: str) -> CautionMeaning | None:
    """Return what a code means, None for one that the page does not have.

    Examples
    --------
    >>> from earnest.core.results.cautions import explain_code
    >>> explain_code("EN016").follows
    'The limits are rough: another seed would move them.'
    """
    return explanations().get(code)
