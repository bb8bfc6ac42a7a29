"""Resamples as rows of weights."""
