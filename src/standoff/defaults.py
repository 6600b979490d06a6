"""Defaults that the library and the command line share; the help of a command shows them without
importing what they are for.
"""

from __future__ import annotations

#: The buffer of what moves where nothing else is said, [m].
USUAL_BUFFER = 0.03

#: Boxes of joint values that the proof of one pair may look at where nothing else is said, [-]:
#: about a second for convex bodies.
USUAL_APART_BUDGET = 1_000_000

#: Good readings in a row that end a fault, [-]: two could be chance.
USUAL_RECOVER = 3

#: How far a tracker may have a held body from where its link has it, [m]: at 1 m/s it is 0.1 m
#: behind if it takes 0.1 s.
USUAL_SLIP = 0.1

#: How much farther apart a pair must be for its speed to rise again, [m]: ten times the noise of
#: distances from joint readings, which are good to some tenths of a millimetre.
USUAL_HYSTERESIS = 0.003

#: Distances between which robots are slowed down, where none are given, [m]: at a stand before
#: they touch; the upper end is the threshold of each pair.
USUAL_STOP_DISTANCE = 0.005
