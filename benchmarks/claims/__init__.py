"""Simulations of claims: about learners, about chance, about training sets."""
