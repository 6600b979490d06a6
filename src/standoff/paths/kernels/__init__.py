"""The exact path check: adaptive bisection of motions, and what it measures on the way."""
