"""What an explanation found, in one sentence that claims no more than the intervals support."""

from __future__ import annotations

from collections.abc import Mapping

from earnest.explanation.importance import Importance, Share
from earnest.explanation.sampling_bias import SamplingBias

MOST_NAMED = 2  # parameters that a sentence names as the most important
LITTLE = 0.05  # share of the variance under which a parameter hardly matters


def headline(
    importance: Importance, bias: SamplingBias, where: Mapping[str, str] | None = None
) -> str:
    """Return the sentence of an explanation.

    A parameter is said to matter most only where the interval of its share, together with others,
    lies above those of all that are not named; one that is active in a part of the space is named
    with that part.

    Parameters
    ----------
    importance : Importance
        The shares.
    bias : SamplingBias
        Where the search looked.
    where : mapping of str to str, optional
        Where a parameter is active, in words, of those that are not active everywhere.

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
    said = find_most_important(importance, where)
    leading = importance.ranking[0]
    gaps = bias.gaps.get(leading, ())
    widest = max(gaps, key=lambda gap: gap.expected, default=None)
    return f"{said}; {leading} {widest.words} was hardly tried" if widest else said


def as_sentence(words: str) -> str:
    """Return words with a capital, unless they begin with the name of a parameter."""
    return words[:1].upper() + words[1:] if words.startswith("no hyperparameter") else words


def find_most_important(importance: Importance, where: Mapping[str, str] | None = None) -> str:
    """Return which parameters matter most, or that none clearly does."""
    names, parts = importance.ranking, where or {}
    if len(names) == 1:
        return f"{names[0]} is the only one that varied"
    if all(importance.total[name].high < LITTLE for name in names):
        return "no hyperparameter affects the objective"
    for count in range(1, min(MOST_NAMED, len(names) - 1) + 1):
        if _are_apart(importance, names[:count], names[count:]):
            verb = "matters" if count == 1 else "matter"
            told = (f"{n} (where {parts[n]})" if parts.get(n) else n for n in names[:count])
            return f"{' and '.join(told)} {verb} most"
    return "no hyperparameter clearly matters most"


def _are_apart(importance: Importance, first: tuple[str, ...], rest: tuple[str, ...]) -> bool:
    lowest = min(importance.total[name].low for name in first)
    return lowest > max(importance.total[name].high for name in rest)


def in_percent(share: Share) -> str:
    """Return a share with its interval.

    Examples
    --------
    >>> from earnest.explanation.findings import in_percent
    >>> from collections.abc import Mapping

    from earnest.explanation.importance import Share
    >>> in_percent(Share(0.412, 0.33, 0.5))
    '41 % (33 to 50)'
    """
    return f"{100 * share.value:.0f} % ({100 * share.low:.0f} to {100 * share.high:.0f})"
