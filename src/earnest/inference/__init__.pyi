"""The public names of `earnest.inference`, each written once."""

from .general.tools import bootstrap as bootstrap
from .general.tools import influence as influence
from .general.tools import jackknife as jackknife
