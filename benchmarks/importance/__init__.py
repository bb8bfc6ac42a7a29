"""Whether the intervals of permutation importance hold, and leave columns of noise alone."""
