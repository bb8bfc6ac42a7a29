"""The headings of a report: findings, filled by rule from results, each with its negative form.

A heading claims only what an interval or a test supports. All of them stand here, so that they
can be read, tested and changed together.
"""

from __future__ import annotations

from earnest.core.results.specs import Estimand

# ---- headings

REPORTED, UNKNOWN = (
    "The search reported {article} {title} of ",
    ". What to expect on new data is unknown.",
)
NO_SCORE = "No configuration was evaluated on every fold."
NO_ANSWER = "The {title} on new data cannot be estimated from these cases."

METHODS_AGREE = "The corrected methods agree: {low} to {high}"
METHODS_SAME = "The corrected methods agree: {low}"
METHODS_DISAGREE = "The corrected methods disagree: {low} to {high}"
METHODS_ONE = "One corrected method applies"
METHODS_NONE = "All methods on the same cases"

WON_MOST = "The winner won {count} of {total} resamples"
WON_NEVER = "The winner won no resample of {total}"
WON_LESS = "The winner won {count} of {total} resamples; {other} won more"

NONE_WORSE = "No other configuration can be shown to be worse than the winner"
SOME_NOT_WORSE_ONE = "1 other configuration is not shown to be worse than the winner"
SOME_NOT_WORSE = "{count} other configurations are not shown to be worse than the winner"
ALL_WORSE = "All {count} other configurations are worse than the winner"
ONE_WORSE = "The other configuration is worse than the winner"
UNDECIDED = "The winner and the other configurations"

RANKS = "The model ranks cases better than chance"
RANKS_NOT = "No evidence that the model ranks cases better than chance"
CURVES = "Curves"
RESIDUALS = "Residuals"
SURVIVAL = "Survival by predicted risk"
DECISIONS = "Decisions by class"
BY_CLASS = "Curves and decisions by class"

AUDIT_ALL = "All {count} configurations tried"
AUDIT_ONE = "The one configuration"

EXPLANATION = "What the search learned"

COMPUTED = "How this was computed"

# ---- the groups of the table of methods: a title and what it is about, by estimand

GROUPS: dict[str, tuple[str, str]] = {
    Estimand.WINNER: (
        "A configuration chosen this way",
        "mean over choices and the models of these folds, trained on {n_train}",
    ),
    Estimand.FITTED_MODEL: ("The selected fitted model", "as it was fitted in these folds"),
    Estimand.THIS_MODEL: ("This fitted model", "as it was fitted"),
    Estimand.FITTED_MODELS: ("The models fitted in these folds", "their average"),
    Estimand.CHOSEN_ON_LEARNING: (
        "The chosen configuration, read as one fixed model",
        "chosen on one part of the cases, evaluated on the other",
    ),
    Estimand.CHOSEN_ON_EVALUATION: (
        "The best of a few configurations, read as fixed models",
        "the limit is corrected for this choice, the value is not",
    ),
    Estimand.FIXED_MODEL: ("This one configuration", "its predictions as they are"),
    Estimand.WINNER_SCORE: ("The winner's own score", "as selected"),
    Estimand.WINNER_AS_FIXED: ("The winner as if fixed in advance", "its selection is ignored"),
    Estimand.CHOSEN_ON_ITEMS: ("A configuration chosen this way", "mean over choices"),
    Estimand.CHOSEN_ON_PART: (
        "The chosen configuration",
        "chosen on one part of the items, scored on the other",
    ),
    Estimand.ELECTED_ON_PART: (
        "The best of a few configurations",
        "the limit is corrected for this choice, the value is not",
    ),
    Estimand.ONE_ON_ITEMS: ("This one configuration", "its scores as they are"),
    Estimand.WINNER_ON_ITEMS: ("The winner's own score", "on the items that chose it"),
    Estimand.AS_FIXED_ON_ITEMS: ("The winner as if fixed in advance", "its selection is ignored"),
    Estimand.LEARNER: ("The learner, over training sets", "of the size used here"),
}
# The same where there is one configuration: nothing was chosen.
GROUPS_OF_ONE: dict[str, tuple[str, str]] = {
    Estimand.WINNER: ("The one configuration, resampled", "limits from resamples"),
    Estimand.CHOSEN_ON_LEARNING: ("Read as one fixed model", ""),
    Estimand.CHOSEN_ON_EVALUATION: ("Read as one fixed model", ""),
    Estimand.FITTED_MODELS: ("The models fitted in these folds", "their average"),
    Estimand.WINNER_SCORE: ("Its own score", "as it is"),
    Estimand.WINNER_AS_FIXED: ("Its own score, resampled", "as if trained once"),
}
UNCORRECTED = ("Not corrected for the search", "for reference; do not report")
REFUSED = ("Methods that do not apply here", "")

# ---- tags that every panel carries

CORRECTED_TAG = "corrected for the search"
UNCORRECTED_TAG = "the winner as searched, not corrected"
ALONE_TAG = "one configuration, nothing to correct"


def methods_heading(low: str, high: str, count: int, *, disagree: bool) -> str:
    """Return what can be said of several corrected values of the reported quantity.

    Parameters
    ----------
    low, high : str
        The smallest and the largest value, as printed.
    count : int
        How many methods estimate the reported quantity, corrected.
    disagree : bool
        Whether two of their intervals do not meet.
    """
    if count == 0:
        return METHODS_NONE
    if count == 1:
        return METHODS_ONE
    if disagree:
        return METHODS_DISAGREE.format(low=low, high=high)
    return METHODS_SAME.format(low=low) if low == high else METHODS_AGREE.format(low=low, high=high)


def won_heading(count: int, total: int, leader: str | None) -> str:
    """Return how often the winner was chosen; `leader` is one that was chosen more often."""
    words = {"count": f"{count:,}", "total": f"{total:,}"}
    if count == 0:
        return WON_NEVER.format(**words)
    if leader is not None:
        return WON_LESS.format(**words, other=leader)
    return WON_MOST.format(**words)


def rivals_heading(not_worse: int, others: int) -> str:
    """Return how many of the others cannot be shown to be worse than the winner."""
    if not_worse == others > 1:
        return NONE_WORSE
    if not_worse == 0:
        return ALL_WORSE.format(count=f"{others:,}") if others > 1 else ONE_WORSE
    if not_worse == 1:
        return SOME_NOT_WORSE_ONE
    return SOME_NOT_WORSE.format(count=f"{not_worse:,}")


def curves_heading(ranks: bool | None, finding: str | None) -> str:
    """Return what the curves show.

    Parameters
    ----------
    ranks : bool or None
        Whether the interval of an area under the ROC curve lies above one half; None where no
        such interval is at hand.
    finding : str or None
        What was found of the probabilities; None where there are none.
    """
    if ranks is None and finding is not None:
        return finding[:1].upper() + finding[1:]
    return join_findings(CURVES if ranks is None else RANKS if ranks else RANKS_NOT, finding)


def join_findings(first: str, second: str | None) -> str:
    """Return two findings as one heading."""
    return first if second is None else f"{first}; {second}"


def audit_heading(count: int) -> str:
    """Return how many configurations were tried."""
    return AUDIT_ONE if count == 1 else AUDIT_ALL.format(count=f"{count:,}")
