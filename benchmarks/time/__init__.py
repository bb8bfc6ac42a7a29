"""Limits of the best of several forecasters, whose losses depend on each other in time."""
