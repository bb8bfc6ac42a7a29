"""Corrected scores against held-out cases, on real data sets."""
