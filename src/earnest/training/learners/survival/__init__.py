"""Learners of survival: Cox's model and boosted trees, both with proportional hazards."""
