"""What other rooms and several tests use of `earnest.reporting`, each name with its home."""

from .model import Answer as Answer
from .model import RegionNode as RegionNode
from .page import SECTIONS as SECTIONS
from .page import mark_code as mark_code
from .page import page_of as page_of
from .page import shown as shown
from .parts.rivals import verdicts as verdicts
from .report import content_of_explanation as content_of_explanation
from .sources.asking import ask_all as ask_all
from .sources.source import material_from as material_from
