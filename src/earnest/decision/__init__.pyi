"""What other rooms and several tests use of `earnest.decision`, each name with its home."""

from .gate import level_of_look as level_of_look
from .plan import make_population as make_population
from .verdict import count_more as count_more
from .verdict import decide_outcome as decide_outcome
