"""A model on cases from elsewhere: how good it is there, and what an update gains."""
