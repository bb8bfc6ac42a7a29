"""Methods for the winner of a search, from the predictions of all configurations."""
