"""The experiments of Bayle et al. 2020, with populations of which every truth is known."""
