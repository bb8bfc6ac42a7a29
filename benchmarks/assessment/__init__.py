"""All estimators of a learner's performance side by side, over real data sets."""
