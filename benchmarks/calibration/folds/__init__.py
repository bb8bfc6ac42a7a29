"""Intervals for the winner of a search of which only the scores of folds are left."""
