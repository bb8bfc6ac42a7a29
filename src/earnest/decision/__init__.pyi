"""What other rooms and several tests use of `earnest.decision`, each name with its home."""

from .calibrate import StudyAnswer as StudyAnswer
from .calibrate import count_inclusion as count_inclusion
from .gate import level_of_look as level_of_look
from .inclusion import Holding as Holding
from .inclusion import Inclusion as Inclusion
from .population import draw_study as draw_study
from .population import find_units as find_units
from .population import make_population as make_population
from .population import tilt_to_corrected as tilt_to_corrected
from .verdict import count_more as count_more
from .verdict import decide_outcome as decide_outcome
