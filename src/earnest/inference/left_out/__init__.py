"""Estimates from models trained on bootstrap samples, on the cases they left out."""
