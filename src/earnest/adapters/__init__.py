"""Pure readers of other libraries' results: nothing here fits a model."""
