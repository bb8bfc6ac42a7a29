"""Does the default interval of a search hold today, for every metric? Learners, known truth."""
