"""The items of TRIPOD+AI (Collins et al. 2024, BMJ 385, e078378), each in a few words of ours."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Applies(StrEnum):
    """Which studies an item is for."""

    BOTH = "development and evaluation"
    DEVELOPMENT = "development"
    EVALUATION = "evaluation"


@dataclass(frozen=True)
class ChecklistItem:
    """One item of the checklist.

    Attributes
    ----------
    number, chapter, topic : str
        Its number, the chapter of a paper, and what it is about.
    asks : str
        What a paper shall tell.
    author : str
        What no run can know, so that the author writes it; empty where the run tells all.
    applies : Applies
        The studies that it is for.
    sections : tuple of str
        Where the report has it.
    """

    number: str
    chapter: str
    topic: str
    asks: str
    author: str = ""
    applies: Applies = Applies.BOTH
    sections: tuple[str, ...] = ()


D, E = Applies.DEVELOPMENT, Applies.EVALUATION
TITLE, INTRODUCTION, METHODS = "Title and abstract", "Introduction", "Methods"
OPEN, RESULTS, DISCUSSION = "Open science", "Results", "Discussion"

ITEMS = (
    ChecklistItem(
        "1", TITLE, "Title", "Development or evaluation, the population, the outcome",
        "Name the population, and the outcome in clinical words.",
    ),
    ChecklistItem(
        "2", TITLE, "Abstract", "The abstract's own checklist",
        "Write the abstract; its numbers are those of items 20 to 23.", sections=("answer",),
    ),
    ChecklistItem(
        "3a", INTRODUCTION, "Background", "The clinical question, and models there are already",
        "Say whether it is diagnosis or prognosis, why a model is needed, and which exist.",
    ),
    ChecklistItem(
        "3b", INTRODUCTION, "Background", "For whom and for what the model is, and who uses it",
        "Name the patients, the decision and the users.",
    ),
    ChecklistItem(
        "3c", INTRODUCTION, "Background", "Health inequalities that are known",
        "Say which groups are served worse in this field.",
    ),
    ChecklistItem(
        "4", INTRODUCTION, "Objectives", "What the study is for: to develop, to evaluate, or both",
        "State the objectives.",
    ),
    ChecklistItem(
        "5a", METHODS, "Data", "Where the data come from, and whom they represent",
        "Name the cohort, trial or registry, and whom it represents.", sections=("computed",),
    ),
    ChecklistItem(
        "5b", METHODS, "Data", "First and last dates of recruitment and follow-up",
        "Give the dates.",
    ),
    ChecklistItem(
        "6a", METHODS, "Participants", "Setting, number and place of centres",
        "Describe the setting and the centres.",
    ),
    ChecklistItem(
        "6b", METHODS, "Participants", "Who could take part",
        "Give the criteria of inclusion and exclusion.",
    ),
    ChecklistItem(
        "6c", METHODS, "Participants", "Treatments, and how they were handled",
        "Name treatments that change the outcome.",
    ),
    ChecklistItem(
        "7", METHODS, "Data preparation", "Cleaning and checks of quality, in all groups alike",
        "Describe what was done before the table was read.", sections=("answer",),
    ),
    ChecklistItem(
        "8a", METHODS, "Outcome", "What is predicted, over which time, and how it was assessed",
        "Define the outcome, its time horizon and its assessment.", sections=("answer",),
    ),
    ChecklistItem(
        "8b", METHODS, "Outcome", "Who judged an outcome that needs judgement",
        "Describe the assessors, or say that none were needed.",
    ),
    ChecklistItem(
        "8c", METHODS, "Outcome", "Whether the assessors were blind to predictors",
        "Say whether they were.",
    ),
    ChecklistItem(
        "9a", METHODS, "Predictors", "How the first predictors were chosen",
        "Say why these were collected.", D, ("answer",),
    ),
    ChecklistItem(
        "9b", METHODS, "Predictors", "Every predictor: what it is, how and when it was measured",
        "Define each, with its unit and its time before the outcome.",
    ),
    ChecklistItem(
        "9c", METHODS, "Predictors", "Who judged predictors that need judgement",
        "Describe the assessors, or say that none were needed.",
    ),
    ChecklistItem(
        "10", METHODS, "Sample size", "How the size came about, and why it is enough",
        "Justify the size; `earnest plan` computes it by Riley's criteria.", sections=("answer",),
    ),
    ChecklistItem(
        "11", METHODS, "Missing data", "How missing values were handled, why data were left out",
        "Say why values are missing.",
    ),
    ChecklistItem(
        "12a", METHODS, "Analysis", "How the data were divided for development and evaluation",
        "", D, ("computed",),
    ),
    ChecklistItem(
        "12b", METHODS, "Analysis", "How predictors entered the model",
        "", D, ("learned",),
    ),
    ChecklistItem(
        "12c", METHODS, "Analysis", "Kind of model, tuning, internal validation",
        "Say why these kinds of models.", D, ("audit", "computed"),
    ),
    ChecklistItem(
        "12d", METHODS, "Analysis", "Differences between clusters, such as hospitals",
        "Say whether performance may differ between clusters.",
    ),
    ChecklistItem(
        "12e", METHODS, "Analysis", "Every measure and plot of performance, and why",
        "Say why these measures.", sections=("answer", "curves", "thresholds", "rivals"),
    ),
    ChecklistItem("12f", METHODS, "Analysis", "Updates of the model after its evaluation", "", E),
    ChecklistItem("12g", METHODS, "Analysis", "How predictions were made for it", "", E),
    ChecklistItem("13", METHODS, "Class imbalance", "What was done about rare classes"),
    ChecklistItem(
        "14", METHODS, "Fairness", "What was done for fairness, and why",
        "Say which groups matter, and why.", sections=("subgroups",),
    ),
    ChecklistItem(
        "15", METHODS, "Output", "Probability or class; which thresholds, and why",
        "Name the threshold of the decision, if there is one, and why.", sections=("thresholds",),
    ),
    ChecklistItem(
        "16", METHODS, "Development against evaluation",
        "Differences in setting, criteria, outcome and predictors",
        "Say how setting, criteria and assessment differ.", E,
    ),
    ChecklistItem("17", METHODS, "Ethics", "Approval and consent", "Name committee and consent."),
    ChecklistItem("18a", OPEN, "Funding", "Who paid, and their role", "Name the funders."),
    ChecklistItem("18b", OPEN, "Interests", "Conflicts of interest", "Declare them."),
    ChecklistItem("18c", OPEN, "Protocol", "Where it is", "Say where, or that there is none."),
    ChecklistItem("18d", OPEN, "Registration", "Register and number", "Give both, or say none."),
    ChecklistItem("18e", OPEN, "Data", "Where the data are", "Say where, or why not."),
    ChecklistItem(
        "18f", OPEN, "Code", "Where the code is", "Publish the command, and say where.",
        sections=("computed",),
    ),
    ChecklistItem(
        "19", OPEN, "Public involvement", "The part of patients and the public",
        "Describe it, or say that there was none.",
    ),
    ChecklistItem(
        "20a", RESULTS, "Participants", "The flow of participants, with and without the outcome",
        "Add those who were lost before the table was made, and the follow-up time.",
        sections=("answer",),
    ),
    ChecklistItem(
        "20b", RESULTS, "Participants", "Their characteristics, and how much is missing",
        "Add demographics and treatments, overall and by group.",
    ),
    ChecklistItem(
        "20c", RESULTS, "Participants", "How they differ from those of the development",
        "Add the predictors, side by side.", E,
    ),
    ChecklistItem(
        "21", RESULTS, "Development", "Participants and events in each analysis", "",
        sections=("answer", "computed"),
    ),
    ChecklistItem(
        "22", RESULTS, "Model", "The whole model, so that others can use it",
        "Say who may use it, and where it is.", D, ("answer", "audit"),
    ),
    ChecklistItem(
        "23a", RESULTS, "Performance", "Performance with intervals, also in key subgroups", "",
        sections=("answer", "curves", "thresholds", "subgroups"),
    ),
    ChecklistItem("23b", RESULTS, "Performance", "Differences between clusters"),
    ChecklistItem("24", RESULTS, "Updating", "The updated model, and its performance", "", E),
    ChecklistItem(
        "25", DISCUSSION, "Interpretation", "What the results mean, fairness included",
        "Interpret them.", sections=("answer",),
    ),
    ChecklistItem(
        "26", DISCUSSION, "Limitations", "Limits of the study, and what follows from them",
        "Discuss them; what the run warns of is a start.", sections=("answer",),
    ),
    ChecklistItem(
        "27a", DISCUSSION, "Use", "What to do with poor or missing input",
        "Say which inputs must be there before the model is used.", D,
    ),
    ChecklistItem(
        "27b", DISCUSSION, "Use", "What users have to do, and what they must know",
        "Describe both.", D,
    ),
    ChecklistItem("27c", DISCUSSION, "Use", "What to study next", "Name the next steps."),
)  # fmt: skip
