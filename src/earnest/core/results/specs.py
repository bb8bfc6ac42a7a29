"""What a method declares of itself: its evidence, its estimand, its metrics, its citation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from earnest.core.results.papers import Paper


class Evidence(StrEnum):
    """What a method computes from."""

    OUT_OF_SAMPLE = "out-of-sample predictions"
    REPLICATES = "bootstrap-trained replicates"
    NESTED = "nested predictions"
    PAIRED = "predictions in halves of the cases"
    FOLD_SCORES = "scores of folds"


class Design(StrEnum):
    """What `assess` trains for a method, in the order in which methods are listed."""

    REPLICATES = "bootstrap samples"
    FOLDS = "folds"
    SINGLES = "all cases but one, for every case"
    HOLDOUT = "one part of the cases"
    PAIRS = "folds, and all pairs of folds left out"
    HALVES = "random splits of all cases and of their halves"
    SEARCH = "a search, within each fold of another one"


_DESIGNS: dict[Evidence, tuple[Design, ...]] = {
    Evidence.OUT_OF_SAMPLE: (Design.FOLDS, Design.SINGLES, Design.HOLDOUT),
    Evidence.REPLICATES: (Design.REPLICATES,),
    Evidence.NESTED: (Design.PAIRS, Design.SEARCH),
    Evidence.PAIRED: (Design.HALVES,),
    Evidence.FOLD_SCORES: (),
}


class Standing(StrEnum):
    """How a configuration stands against the best one; the value is what every reader is shown."""

    BEST = "best"
    NOT_WORSE = "not shown to be worse"
    WORSE = "worse"


class LimitLaw(StrEnum):
    """What limits by a formula rest on."""

    DELONG = "delong"
    OBUCHOWSKI = "obuchowski"  # DeLong's, with the variance over groups
    HANLEY_MCNEIL = "hanley_mcneil"
    PAIRS = "pairs"  # independent pairs of a positive and a negative
    NORMAL_SCORES = "normal_scores"  # an AUC of scores that are normal in each class
    WILSON = "wilson"
    NORMAL = "normal"
    EQUAL_CASES = "equal_cases"  # cases that are all alike


TRAINED_IN_FOLDS = (
    "trained on the training part of the folds, as the mean over the models of these folds; not "
    "of the refitted model, nor the mean over training sets"
)


class Estimand(StrEnum):
    """What a number is an estimate of; the value is the sentence that results show."""

    WINNER_SCORE = "the winner's cross-validated score, as selected; biased for every target"
    WINNER = (
        "the performance of a configuration chosen by this rule from these configurations, "
        f"{TRAINED_IN_FOLDS}"
    )
    WINNER_AS_FIXED = "the winner's performance as if it had been fixed in advance"
    FITTED_MODEL = "the performance of the selected fitted model"
    THIS_MODEL = "the performance of this fitted model"
    FITTED_MODELS = (
        "the average test performance of the models fitted in these folds; not of the refitted "
        "model, nor the mean over training sets"
    )
    LEARNER = (
        "the mean performance of this learner over training sets of the size used in the folds; "
        "not of the refitted model"
    )
    TRAINING_SCORE = "the score on the training cases themselves; too good for every target"
    OPTIMISTIC_MEAN = (
        "the mean performance of this learner over training sets, on cases most of which the "
        "models saw; optimistic"
    )
    LEARNER_AT_632 = (
        "the mean performance of this learner over training sets of about .632 n different cases"
    )
    LEARNER_AT_N = (
        "designed for the model trained on all n cases; in effect the mean performance of this "
        "learner over training sets of n cases"
    )
    AT_TRAINING_SIZE = (
        "the performance of this learner at the training size of the cross-validation"
    )
    PROCEDURE = (
        "the mean performance of tuning among these configurations and then fitting the chosen "
        "one, on the training part of the folds; of a procedure, not of one configuration"
    )
    CHOSEN_ON_LEARNING = (
        "the performance of the configuration chosen on the learning part, its predictions read "
        "as one fixed model's"
    )
    CHOSEN_ON_EVALUATION = (
        "the performance of the configuration chosen on the evaluation part among those "
        "preselected on the learning part, its predictions read as one fixed model's"
    )
    FIXED_MODEL = "the performance of this one configuration, its predictions read as they are"
    CHOSEN_ON_ITEMS = (
        "the score of a configuration chosen by this rule from these configurations, on items like "
        "these"
    )
    WINNER_ON_ITEMS = "the winner's own score on the items that chose it; too good for every target"
    AS_FIXED_ON_ITEMS = "the winner's score on items like these, as if it had been fixed in advance"
    CHOSEN_ON_PART = (
        "the score of the configuration chosen on one part of the items, on items like these"
    )
    ELECTED_ON_PART = (
        "the score of the configuration chosen on the evaluation part among those preselected on "
        "the learning part, on items like these"
    )
    ONE_ON_ITEMS = "the score of this one configuration, on items like these"


# What is estimated where scores of items are the evidence: nothing was trained.
ON_ITEMS: dict[str, Estimand] = {
    Estimand.WINNER: Estimand.CHOSEN_ON_ITEMS,
    Estimand.WINNER_SCORE: Estimand.WINNER_ON_ITEMS,
    Estimand.WINNER_AS_FIXED: Estimand.AS_FIXED_ON_ITEMS,
    Estimand.CHOSEN_ON_LEARNING: Estimand.CHOSEN_ON_PART,
    Estimand.CHOSEN_ON_EVALUATION: Estimand.ELECTED_ON_PART,
    Estimand.FITTED_MODEL: Estimand.CHOSEN_ON_PART,
    Estimand.THIS_MODEL: Estimand.ONE_ON_ITEMS,
    Estimand.FIXED_MODEL: Estimand.ONE_ON_ITEMS,
}


class ComparisonEstimand(StrEnum):
    """What a difference is a difference of; the value is the sentence that results show."""

    FOLD_MODELS = (
        "the average performance of the models fitted in these folds; not of models refitted on "
        "all cases"
    )
    FIXED_MODELS = "the two columns of predictions, each read as those of one fixed model"
    BOOTSTRAP_LEARNERS = (
        "the mean performance over training sets of about .632 n distinct cases, as bootstrap "
        "samples have; not of the models at hand"
    )
    LEARNERS = (
        "the mean performance over training sets of the size used in the folds; not of the models "
        "at hand"
    )
    ITEMS = "the scores of the two configurations, on items like these"


class MetricFamily(StrEnum):
    """Which metrics a method can take."""

    ANY = "any metric"
    POINTWISE = "metrics that are means over cases"
    RANK = "rank metrics"
    AUC = "the AUC of two classes"
    MEANS_AND_AUC = "metrics that are means over cases, and the AUC of two classes"
    CASEWISE = "means over cases, functions of sums, and the AUC"
    PAIRS = "the AUC of two classes, and the concordance index"
    SUMS_AND_PAIRS = "means over cases, functions of sums, the AUC, and the concordance index"
    SUMS = "means over cases, and functions of sums"
    WITH_LAW = (
        "proportions of 0/1 outcomes, balanced accuracy, F1, MCC, kappa, AUCs, concordance, R², "
        "mean losses, and means of scores with limits"
    )


class Side(StrEnum):
    """Which ends an interval has; `pessimistic` is the bad end of the metric."""

    TWO_SIDED = "two-sided"
    LOWER = "lower"
    UPPER = "upper"
    PESSIMISTIC = "pessimistic"


class Selection(StrEnum):
    """What an estimate does about the choice of its configuration among several."""

    CORRECTED = "corrected"  # value and limits allow for the choice
    BOUND_ONLY = "bound_only"  # the pessimistic limit does, the value is that of the best
    UNCORRECTED = "uncorrected"  # the winner is judged as if it had been the only one
    NOTHING_SELECTED = "nothing_selected"  # there was one configuration


class Guide(StrEnum):
    """Which cases guided the proposals of an adaptive search."""

    CROSSED = "crossed"  # half of them each of two samplers; the other half judged the proposals
    MIXED = "mixed"  # the same, but the method judged by all cases, so some optimism is left
    ALL = "all"  # all of them, so some optimism is left


class AgainstChance(StrEnum):
    """Where an interval lies relative to the best constant prediction."""

    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class MethodSpec:
    """The declaration of a method, from which lists, checks and docs follow.

    Parameters
    ----------
    name, title : str
        The word for code and command line, and the words for people.
    needs : Evidence
        The type of evidence.
    estimand : Estimand
        What is estimated.
    metrics : MetricFamily
        Which metrics it takes.
    cites : str
        The source, with its equation or algorithm. Papers that `data/papers.toml` lists are
        found by their word in it, such as 'Bayle et al. 2020'.
    papers : tuple of Paper
        Papers to cite that are not in that table.
    title_alone : str
        The title where there is one configuration, for which no part is held out.
    short : str
        A word or two for narrow tables; the title by default.
    short_alone : str
        The same where there is one configuration and nothing was chosen.
    design : Design, optional
        What `assess` trains for it; None where it is about a choice among configurations, which
        `assess` has none of.
    repeats : int
        How often `assess` repeats the folds or random splits, where the user does not say.
    no_groups : str
        Why it cannot take groups into account, in half a sentence; empty where it can.
    overlap : bool
        Whether it has a knob `ratio` for the size of test sets relative to training sets, which
        `assess` sets where the splits train on less than all other cases.
    from_fold_scores : bool
        Whether the scores of folds are enough, without the predictions.
    min_folds, min_repeats : int
        The least number of folds, and of repeats.
    leave_one_out : bool
        Whether every case must be a fold of its own.
    one_learner : bool
        Whether it is about one learner: of several configurations it is only asked by name.
    interval : bool
        Whether it gives an interval at all.
    corrected : bool
        Whether the search is corrected for.
    static_only : bool
        Whether its argument holds only for configurations fixed in advance.
    judges_guided : bool
        Whether it judges what a crossed search proposed by the cases that did not guide it.
    blocks : bool
        Whether its limits allow for cases in time order that depend on each other.
    weighted : bool
        Whether it takes cases of unlike weight.
    surveys : bool
        Whether its limits are those of a survey with strata, too.
    flatters : bool
        Whether it is too good for learners that remember their cases, as the training score is part
        of it. In a table of several methods it is the sentence only where nothing better is.
    aliases : tuple of str
        Other names of it.
    presets : mapping of str to mapping
        Names that mean the method with some of its knobs set.
    """

    name: str
    title: str
    needs: Evidence
    estimand: Estimand
    cites: str
    papers: tuple[Paper, ...] = ()
    metrics: MetricFamily = MetricFamily.ANY
    title_alone: str = ""
    short: str = ""
    short_alone: str = ""
    design: Design | None = None
    repeats: int = 1
    no_groups: str = ""
    overlap: bool = False
    from_fold_scores: bool = False
    min_folds: int = 1
    min_repeats: int = 1
    leave_one_out: bool = False
    one_learner: bool = False
    interval: bool = True
    corrected: bool = False
    static_only: bool = False
    judges_guided: bool = False
    blocks: bool = False
    weighted: bool = False
    surveys: bool = False
    flatters: bool = False
    aliases: tuple[str, ...] = field(default=())
    presets: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a design that does not make the evidence which is needed."""
        if self.design is not None and self.design not in _DESIGNS[self.needs]:
            designs = " or ".join(_DESIGNS[self.needs])
            raise ValueError(f"method {self.name!r} needs {self.needs}, which {designs} give")

    @property
    def evidence(self) -> str:
        """What it computes from, in words."""
        return f"{self.needs}, or {Evidence.FOLD_SCORES}" if self.from_fold_scores else self.needs

    def takes(self, evidence: Evidence) -> bool:
        """Tell whether it computes from a kind of evidence."""
        if evidence is Evidence.FOLD_SCORES:
            return self.from_fold_scores
        return self.needs is evidence

    def label(self, *, alone: bool = False) -> str:
        """Return a word or two for the method; `alone` where one configuration was tried."""
        return (self.short_alone if alone else "") or self.short or self.title
