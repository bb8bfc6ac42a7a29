"""How counts and configurations are called in a report."""

from __future__ import annotations

from collections.abc import Sequence

from earnest.core.text.names import ConfigName, name_configs
from earnest.reporting.sources.material import SearchedConfiguration

NONE = "–"
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def counted(count: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> from earnest.reporting.parts.labels import counted
    >>> counted(1, "case"), counted(2780, "fit")
    ('1 case', '2,780 fits')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def spelled(count: int) -> str:
    """Return a small number as a word."""
    return WORDS[count] if 0 <= count < len(WORDS) else f"{count:,}"


def name_tried(tried: Sequence[SearchedConfiguration]) -> dict[str, ConfigName]:
    """Return what the configurations of a report are called."""
    return name_configs([one.config for one in tried], [one.params for one in tried])


def config_labels(tried: Sequence[SearchedConfiguration]) -> dict[str, str]:
    """Return the whole name of each configuration."""
    return {config: name.words for config, name in name_tried(tried).items()}
