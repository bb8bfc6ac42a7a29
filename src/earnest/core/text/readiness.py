"""The verdict on a model as a line of four facts, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from earnest.core.base import check
from earnest.core.results.calibration import CalibrationVerdict
from earnest.core.results.leaks import LeakScreen
from earnest.core.results.readiness import Readiness, Sufficiency, Usable
from earnest.core.text.numbers import percent, write_count

MOST_NAMED = 2  # suspected columns that the line names


class Tone(StrEnum):
    """How a fact bears on the model."""

    GOOD = "good"
    BAD = "bad"
    OPEN = "open"


@dataclass(frozen=True)
class VerdictFact:
    """A fact of the line: what it is about, the answer, why, and how it bears on the model."""

    title: str
    answer: str
    reason: str
    tone: Tone


_USABLE = {
    Usable.LIKELY: ("likely", "the interval lies beyond a constant prediction", Tone.GOOD),
    Usable.UNCLEAR: ("unclear", "the interval reaches a constant prediction", Tone.OPEN),
    Usable.NO: ("no", "the interval lies on the wrong side of a constant prediction", Tone.BAD),
    Usable.NOT_CHECKED: ("not checked", "no corrected interval and baseline to compare", Tone.OPEN),
}
_PROBABILITIES = {
    CalibrationVerdict.OFF: ("off", "a test of level and slope shows it", Tone.BAD),
    CalibrationVerdict.NO_SIGN: (
        "no sign that they are off",
        "as far as a test of level and slope can tell",
        Tone.GOOD,
    ),
    CalibrationVerdict.LITTLE_POWER: (
        "too few cases to tell",
        "the test has little power",
        Tone.OPEN,
    ),
    None: ("not checked", "no tested predictions are probabilities", Tone.OPEN),
}


def list_verdict(readiness: Readiness) -> tuple[VerdictFact, ...]:
    """Return the four facts in words; without classes there are no probabilities to speak of.

    Examples
    --------
    >>> from earnest.core.results.readiness import Readiness, Sufficiency, Usable
    >>> from earnest.core.text.readiness import list_verdict
    >>> readiness = Readiness(
    ...     ranks=True, usable=Usable.LIKELY, cases=Sufficiency.TOO_FEW, n_cases=60, n_rarest=8
    ... )
    >>> for fact in list_verdict(readiness):
    ...     print(f"{fact.title}: {fact.answer}")
    Usable for ranking: likely
    Probabilities: not checked
    Leaks: not checked
    Cases: too few
    """
    title = "Usable for ranking" if readiness.ranks else "Better than guessing"
    probabilities = VerdictFact("Probabilities", *_PROBABILITIES[readiness.probabilities])
    return (
        VerdictFact(title, *_USABLE[readiness.usable]),
        *((probabilities,) if readiness.has_classes else ()),
        _say_leaks(readiness.leaks),
        _say_cases(readiness),
    )


def write_verdict(readiness: Readiness) -> str:
    """Return the four facts in a line, without reasons."""
    facts = (f"{fact.title}: {fact.answer}" for fact in list_verdict(readiness))
    return "; ".join(f"{words[:1].lower()}{words[1:]}" for words in facts)


def _say_leaks(screen: LeakScreen | None) -> VerdictFact:
    if screen is None:
        return VerdictFact("Leaks", "not checked", "the columns were not screened", Tone.OPEN)
    columns = write_count(screen.n_columns, "column")
    if not screen.suspects:
        return VerdictFact("Leaks", "none seen", f"in {columns}, each alone", Tone.GOOD)
    names = check.some((suspect.column for suspect in screen.suspects), limit=MOST_NAMED)
    count = write_count(len(screen.suspects), "suspect column")
    return VerdictFact("Leaks", count, f"{names}: known before the outcome?", Tone.BAD)


def _say_cases(readiness: Readiness) -> VerdictFact:
    tone = Tone.GOOD if readiness.cases is Sufficiency.ENOUGH else Tone.OPEN
    return VerdictFact("Cases", str(readiness.cases), _explain_cases(readiness), tone)


def _explain_cases(readiness: Readiness) -> str:
    if readiness.cases is Sufficiency.NOT_CHECKED:
        return "no two-sided interval and baseline to measure by"
    if readiness.width is None:
        return f"{write_count(readiness.n_rarest or 0, 'case')} of the rarest kind"
    covered = percent(round(readiness.width, 2))
    words = f"the interval covers {covered} of the way from a constant prediction to perfect"
    if readiness.cases is Sufficiency.TOO_FEW and readiness.n_rarest is not None:
        words += f", {write_count(readiness.n_rarest, 'case')} of the rarest kind"
    return words
