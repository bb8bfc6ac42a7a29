"""A study of bounds that confident winners have for losses of probabilities."""
