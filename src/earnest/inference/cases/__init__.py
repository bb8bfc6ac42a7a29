"""What each case adds: values, placements, influences, variances."""
