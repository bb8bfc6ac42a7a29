"""Training: the only room that fits models."""
