"""Models of the objective over the space that know how sure they are."""
