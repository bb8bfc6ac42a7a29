"""Runs tasks that share data: here or in parallel, with time limits, progress and a store."""

from earnest.core.base.lazy import open_door

__getattr__, __dir__ = open_door(__name__, __file__)
