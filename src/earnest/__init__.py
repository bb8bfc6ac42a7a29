"""earnest: how good a tuned model really is.

The public names stand in `__init__.pyi`, each once. They are imported when first asked for, because
scikit-learn and scipy.stats cost more than a second each.
"""

import lazy_loader

_load, _list_names, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("earnest")
    if name not in __all__:
        raise AttributeError(f"module 'earnest' has no attribute {name!r}")
    return _load(name)


def __dir__() -> list[str]:
    return sorted([*_list_names(), "__version__"])
