"""How often intervals and sets of single new rows hold, although the model was selected."""
