"""Was it worth it, which one to use, what to do next: by rule, from what the results support."""

from __future__ import annotations

from collections.abc import Iterator

from earnest.core.results.cautions import Caution, Severity
from earnest.core.results.estimate import Estimate
from earnest.core.results.specs import Side
from earnest.core.text.estimate import Form, form, limits_words, print_numbers, rival
from earnest.core.text.gain import headline
from earnest.core.text.numbers import percent, write_count
from earnest.reporting.model import Advice, RivalsPart
from earnest.reporting.sources.asking import Results
from earnest.reporting.sources.material import label_tried

WORTH, USE, NEXT = "Was the tuning worth it?", "Which one to use", "What to do next"
MODEL = "model.skops"
MOST_STEPS = 3
TOO_OPTIMISTIC = "EN001"  # the caution whose cure is to report the corrected number
WIDE = 0.4  # share of what can be learned from which an interval leaves it open


def advise(
    found: Results, rivals: RivalsPart | None, cautions: tuple[Caution, ...] = ()
) -> tuple[Advice, ...]:
    """Return the answers to the questions that follow the number.

    Whether the tuning was worth it is asked where there is an estimate of several configurations.

    Parameters
    ----------
    found : Results
        What the verbs said.
    rivals : RivalsPart or None
        The winner against the others, for which of them may be used as well.
    cautions : tuple of Caution
        Those of the number; the cure of the first one is a step.
    """
    made = found.estimate
    steps = _list_steps(found, made, cautions) if made is not None else _list_repairs(found)
    worth = tuple(_say_worth(found))
    section = "gain" if found.gain is not None else ""
    return (
        *([Advice(WORTH, worth, "worth", section)] if worth else []),
        Advice(USE, tuple(part for part in _name_choice(found, rivals) if part), "use"),
        Advice(NEXT, tuple(steps)[:MOST_STEPS], "next"),
    )


def _say_worth(found: Results) -> Iterator[str]:
    """Yield what the search gained, as its section says it, or why that is not known."""
    if found.gain is not None and found.gain.n_configs > 1:
        yield headline(found.gain)
    elif found.estimate is not None and found.estimate.n_configs > 1 and "gain" in found.absent:
        yield found.absent["gain"]


def _name_choice(found: Results, rivals: RivalsPart | None) -> Iterator[str]:
    made, labels = found.estimate, label_tried(found.material.tried)
    if found.winner is None:
        yield "None yet: no configuration was evaluated on every fold."
        return
    winner = labels.get(found.winner, found.winner)
    if made is None:
        yield f"{winner} has the best score so far. What to expect of it is open."
        return
    if made.n_configs == 1:
        yield f"There is one: {winner}."
        return
    if form(made, corrected=found.corrected) is Form.NO_EVIDENCE:
        yield f"None yet. {winner} won, but no evidence shows that it beats {rival(made)}."
        return
    yield f"The winner: {winner}."
    if rivals is not None:
        yield _name_others(rivals, labels, made)
    if MODEL in found.material.files:
        yield f"`{MODEL}` holds the winner, refitted on all cases."


def _name_others(rivals: RivalsPart, labels: dict[str, str], made: Estimate) -> str:
    """Say what may be used as well."""
    count, simplest = len(rivals.not_worse), rivals.simplest
    if not count:
        return "All others are shown to be worse."
    others = f"{write_count(count, 'other')} {'is' if count == 1 else 'are'} not shown to be worse"
    if simplest is None:
        return f"{others}: if one of them is cheaper or easier to explain, you may use it."
    if simplest == made.winner:
        return f"{others}; none of them is simpler."
    more = "" if count == 1 else f", nor {'is' if count == 2 else 'are'} {count - 1:,} more"
    return f"Simpler, and not shown to be worse: {labels.get(simplest, simplest)}{more}."


def _list_steps(found: Results, made: Estimate, cautions: tuple[Caution, ...]) -> Iterator[str]:
    """Yield what to do with an estimate, the most important first."""
    kind = form(made, corrected=found.corrected)
    if kind is Form.NO_EVIDENCE:
        yield "Do not use it yet. Collect more cases, or columns that tell more of the outcome."
    elif kind is Form.UNCORRECTED:
        yield "Ask a method that corrects for the search, such as `bbc`, before you report it."
    elif kind is not Form.ELECTED:
        yield _say_report(made, kind)
    cures = (
        f"Caution {each.code}: {each.cure}"
        for each in cautions
        if each.severity is Severity.CAUTION and each.cure and each.code != TOO_OPTIMISTIC
    )
    yield from list(cures)[:1]
    if kind is not Form.NO_EVIDENCE and is_open(made):
        yield f"Collect more cases: {made.n_cases:,} leave open how good the model is."
    if MODEL in found.material.files and kind is not Form.NO_EVIDENCE:
        yield f"Predict new cases: `earnest predict {found.material.folder} new.csv`."


def _say_report(made: Estimate, kind: Form) -> str:
    shown, ends = print_numbers(made), ""
    if kind is Form.PERFECT and made.interval is not None:
        return f"Report the bound beside the score: {limits_words(made.interval, shown)}."
    if made.interval is not None:
        level = percent(made.interval.confidence_level)
        word = "interval" if made.interval.side == Side.TWO_SIDED else "bound:"
        ends = f" ({level} {word} {limits_words(made.interval, shown)})"
    naive = f", not {shown.naive}" if kind in (Form.SMALL, Form.LARGE) else ""
    return f"Report {shown.value}{ends}{naive}."


def is_open(made: Estimate) -> bool:
    """Tell whether an interval covers much of what can be learned."""
    interval, zero = made.interval, made.no_information
    if interval is None or zero is None or interval.side != Side.TWO_SIDED:
        return False
    best = made.scale.limits[1 if made.scale.greater_is_better else 0]
    if abs(best) == float("inf") or made.scale.limits[1] == float("inf"):
        return False
    return abs(interval.high - interval.low) >= WIDE * abs(best - zero)


def _list_repairs(found: Results) -> Iterator[str]:
    """Yield what to do where there is no estimate."""
    if found.material.predictions is None:
        yield (
            "Let the run end, or give the predictions that the search kept, with the outcome: then "
            "this page says what to expect."
        )
    elif found.absent.get("answer"):
        yield "Mend what the line at the top names, and make this page again."
    else:
        yield "Go on with the search until a configuration is evaluated on every fold."
