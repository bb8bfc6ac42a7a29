"""The race: AutoML tools on the same splits, with the same budget, on one core."""
