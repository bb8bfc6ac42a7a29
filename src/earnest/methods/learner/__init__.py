"""Methods for a learner that was cross-validated."""
