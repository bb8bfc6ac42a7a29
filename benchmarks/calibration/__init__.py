"""Do intervals for the winner hold, and how tight are they? Simulations with a known truth."""
