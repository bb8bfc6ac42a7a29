"""How often a gate changes its mind about the same thing."""
