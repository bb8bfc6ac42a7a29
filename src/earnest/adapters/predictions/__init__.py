"""Out-of-fold predictions that other tools kept."""
