"""Methods for a learner that was trained on bootstrap samples."""
