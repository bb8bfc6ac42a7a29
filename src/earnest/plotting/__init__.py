"""Figures: takes a result, returns Axes; the only room that imports matplotlib."""

from earnest.core.base.lazy import open_door

__getattr__, __dir__ = open_door(__name__, __file__)
