"""Types, registry, seeds, checks, errors, cautions and file formats; NumPy only."""
