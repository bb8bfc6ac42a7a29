"""Models of the objective over the space, with their uncertainty."""
