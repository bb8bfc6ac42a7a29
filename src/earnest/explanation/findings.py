"""What an explanation found, in one sentence that claims no more than the intervals support."""

from __future__ import annotations

from earnest.explanation.importance import Importance, Share
from earnest.explanation.sampling_bias import SamplingBias

MOST_NAMED = 2  # parameters that a sentence names as the most important
LITTLE = 0.05  # share of the variance under which a parameter hardly matters


def headline(importance: Importance, bias: SamplingBias) -> str:
    """Return the sentence of an explanation.

    A parameter is said to matter most only where its interval lies above those of all that are
    not named.

    Examples
    --------
    >>> from earnest.explanation.findings import headline
    >>> from earnest.explanation.importance import Importance, Share
    >>> from earnest.explanation.sampling_bias import Discrepancy, SamplingBias
    >>> shares = {"C": Share(0.6, 0.5, 0.7), "gamma": Share(0.2, 0.1, 0.3)}
    >>> even = SamplingBias(Discrepancy(0.0, 0.0), {})
    >>> headline(Importance(shares, shares, {}, 0.95), even)
    'C matters most'
    """
    said = find_most_important(importance)
    leading = importance.ranking[0]
    gaps = bias.gaps.get(leading, ())
    where = max(gaps, key=lambda gap: gap.expected, default=None)
    return f"{said}; {leading} {where.words} was hardly tried" if where else said


def as_sentence(words: str) -> str:
    """Return words with a capital, unless they begin with the name of a parameter."""
    return words[:1].upper() + words[1:] if words.startswith("no parameter") else words


def find_most_important(importance: Importance) -> str:
    """Return which parameters matter most, or that none clearly does."""
    names = importance.ranking
    if len(names) == 1:
        return f"{names[0]} is the only one that varied"
    if all(importance.total[name].high < LITTLE for name in names):
        return "no hyperparameter affects the objective"
    for count in range(1, min(MOST_NAMED, len(names) - 1) + 1):
        if _are_apart(importance, names[:count], names[count:]):
            verb = "matters" if count == 1 else "matter"
            return f"{' and '.join(names[:count])} {verb} most"
    return "no hyperparameter clearly matters most"


def _are_apart(importance: Importance, first: tuple[str, ...], rest: tuple[str, ...]) -> bool:
    lowest = min(importance.main[name].low for name in first)
    return lowest > max(importance.main[name].high for name in rest)


def in_percent(share: Share) -> str:
    """Return a share with its interval.

    Examples
    --------
    >>> from earnest.explanation.findings import in_percent
    >>> from earnest.explanation.importance import Share
    >>> in_percent(Share(0.412, 0.33, 0.5))
    '41 % (33 to 50)'
    """
    return f"{100 * share.value:.0f} % ({100 * share.low:.0f} to {100 * share.high:.0f})"
