"""In which order should a short search try the configurations of the portfolio? A study."""
