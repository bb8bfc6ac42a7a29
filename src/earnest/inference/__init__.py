"""What methods and comparisons share."""

from earnest.core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
