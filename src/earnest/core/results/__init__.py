"""Results: estimates, comparisons, intervals and where they come from, cautions."""
