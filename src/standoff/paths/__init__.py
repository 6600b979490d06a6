"""Motions, and the proof that they are free at every instant."""
