"""Decisions: whether a change may go in (gate), and how much to run before it is asked (plan)."""

from earnest.core.base.lazy import open_door

__getattr__, __dir__ = open_door(__name__, __file__)
