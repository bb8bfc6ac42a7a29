"""Statistically equivalent signatures: a selection of columns."""
