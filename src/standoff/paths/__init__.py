"""Continuous collision checking: whole motions proved free at every instant, or where not.

The checker bisects (paper 001). As in conservative advancement, a distance and a motion bound make
a stretch that is free, but on both sides of an instant, and by the direction of the motion."""
