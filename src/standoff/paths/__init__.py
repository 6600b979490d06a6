"""Motions: whether they are free at every instant, and the proof of it."""
