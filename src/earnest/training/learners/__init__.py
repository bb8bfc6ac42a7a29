"""What a search tries: portfolios, models, preprocessing and selections of columns."""
