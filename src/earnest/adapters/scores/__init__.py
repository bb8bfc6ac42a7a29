"""Scores of items that tools for evaluating language models and other systems wrote."""
