"""Partial dependence with its uncertainty."""
