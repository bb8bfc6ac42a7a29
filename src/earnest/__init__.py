"""earnest: how good a tuned model really is.

The public names stand in `__init__.pyi`, each once. They are imported when first asked for, because
scikit-learn and scipy.stats cost more than a second each.
"""

from earnest.core.base.lazy import attach

NAMESPACES = (
    "methods",
    "comparison",
    "results",
    "errors",
    "rules",
    "learners",
    "metrics",
    "resampling",
    "inference",
    "kernels",
)
_load, _list_names, _names = attach(__name__, __file__)
__all__ = [name for name in _names if name not in NAMESPACES]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("earnest")
    return _load(name)


def __dir__() -> list[str]:
    return sorted([*_list_names(), "__version__"])
