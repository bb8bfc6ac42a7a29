"""The public names of `earnest.kernels`, each written once."""

from .score import score_selected as score_selected
from .score import score_table as score_table
