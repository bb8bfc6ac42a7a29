"""Tables of Moosbauer et al. (2021): Bayesian optimisation, and its explanation."""
