"""What is searched: portfolios of models, and what makes their inputs."""

from earnest.core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
