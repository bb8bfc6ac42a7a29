"""Honest estimates against cases left out, on real data sets."""
