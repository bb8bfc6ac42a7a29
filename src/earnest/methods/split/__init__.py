"""Methods that choose on one part of the cases and evaluate on another."""
