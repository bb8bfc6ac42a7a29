"""Packages that an extra of earnest brings, and how to install them."""

from __future__ import annotations

EXTRAS = {
    "ConfigSpace": "configspace",
    "distributed": "dask",
    "lightgbm": "lightgbm",
    "mlflow": "mlflow",
    "openpyxl": "excel",
    "optuna": "optuna",
    "ray": "ray",
}  # the extra that brings a package


def tell_install(package: str) -> str:
    """Return how to install a package that is lacking, as the cure of an error.

    earnest is installed from a copy of its source: the name is not ours on any index.

    Examples
    --------
    >>> from earnest.core.base.extras import tell_install
    >>> tell_install("lightgbm")
    "Install it: pip install '.[lightgbm]' in your copy of earnest's source."
    >>> tell_install("package_of_a_plug_in")
    'Install it: pip install package_of_a_plug_in.'
    """
    extra = EXTRAS.get(package)
    if extra is None:
        return f"Install it: pip install {package}."
    return f"Install it: pip install '.[{extra}]' in your copy of earnest's source."
