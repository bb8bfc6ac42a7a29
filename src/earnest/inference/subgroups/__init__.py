"""The score of a winner in subgroups of the cases, corrected, with limits that hold at once."""
