"""What other rooms and several tests use of `earnest.plotting`, each name with its home."""

from .svg.answer import answer as answer
from .svg.answer import find_shaded as find_shaded
from .svg.canvas import TOKENS as TOKENS
from .svg.canvas import Canvas as Canvas
from .svg.canvas import Figure as Figure
from .svg.canvas import RowKind as RowKind
from .svg.draws import bootstrap as bootstrap
from .svg.draws import won_in_bag as won_in_bag
from .svg.effects import find_shared_limits as find_shared_limits
from .svg.effects import list_effect_rows as list_effect_rows
from .svg.gain import both_halves as both_halves
