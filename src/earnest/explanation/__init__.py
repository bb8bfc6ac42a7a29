"""What a tuning learned, and how surely: surrogates, effects, regions."""
