"""Rules that a search follows: who wins, what an ensemble is made of, what is dropped early."""

from earnest.core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
