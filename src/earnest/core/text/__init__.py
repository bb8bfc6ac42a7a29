"""What is said of a result, once: numbers, sentences, tables for papers."""
