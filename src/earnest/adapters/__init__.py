"""Pure readers of other libraries' results: nothing here fits a model."""

from earnest.core.base.lazy import open_door

__getattr__, __dir__ = open_door(__name__, __file__)
