"""How often weighted limits hold the population's value when the sample is drawn unlike it."""
