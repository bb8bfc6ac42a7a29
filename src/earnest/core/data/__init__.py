"""What an analysis is made of: the outcome, configurations, predictions, folds, weights."""
