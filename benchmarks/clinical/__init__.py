"""Simulations of what a clinical reader asks: calibration with few events, decision curves."""
