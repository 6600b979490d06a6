"""Compiled path checking: greedy distances of meshes, and the search that covers a motion."""
