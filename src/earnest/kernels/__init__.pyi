"""The public names of `earnest.kernels`, and what other rooms and several tests use of it."""

from .score import fold_scores as fold_scores
from .score import score_selected as score_selected
from .score import score_table as score_table

__all__ = ["score_selected", "score_table"]
from .placing import place as place
from .vectors import LANES as LANES
from .vectors import NEAR_BYTES as NEAR_BYTES
