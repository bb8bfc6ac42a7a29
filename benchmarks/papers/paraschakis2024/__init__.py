"""Table 2 of Paraschakis et al. 2024, run again."""
