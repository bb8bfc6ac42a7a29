"""Speed: every fast path has a slow oracle in the tests."""

from earnest.core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
