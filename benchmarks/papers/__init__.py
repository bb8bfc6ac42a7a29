"""The tables of the papers, run again."""
