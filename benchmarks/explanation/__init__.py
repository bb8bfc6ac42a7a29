"""How often an explanation names the wrong hyperparameter."""
