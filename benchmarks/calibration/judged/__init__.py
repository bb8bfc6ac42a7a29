"""Marks of a judge with a few labels of people: how often the interval of the winner holds."""
