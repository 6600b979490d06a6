"""Algorithms that only the papers' experiments run, compiled."""
