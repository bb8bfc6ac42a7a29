"""Rules that a search or a study follows: who wins, what is dropped early, what is planned."""

from earnest.core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
