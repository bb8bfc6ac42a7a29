"""Limits by formula, and where the sample shows no spread."""
