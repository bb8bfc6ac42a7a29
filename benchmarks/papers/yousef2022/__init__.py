"""The simulations of Yousef 2022."""
