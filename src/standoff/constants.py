"""Every tolerance of the package, with its unit and its reason. None stands anywhere else."""

from __future__ import annotations

#: One unit of rounding of float64 at 1.0, [-].
EPS = 2.220446049250313e-16

#: How far a rotation matrix may be from orthonormal before it is refused, [-]. Poses that went
#: through a float32 or a text file with seven digits are a few 1e-7 off, and no honest pose more.
ROTATION_TOLERANCE = 1e-6

#: How far the length of a quaternion may be from 1 before it is refused, [-]. Four digits after
#: the point, as people type them, are up to 1e-4 off; beyond 1e-3 it is not a rotation any more.
QUATERNION_TOLERANCE = 1e-3

#: Rounding of an analytic distance, [units of EPS times the sum of all coordinates and sizes].
#: Some thirty roundings lie on the longest way from a pose to a value, each of at most one unit.
ROUNDING_UNITS = 64.0

#: Below this length a vector has no direction, [m]: its square would lose digits to underflow, and
#: no distance can tell it from 0.
SMALLEST_LENGTH = 1e-140

#: Below this squared sine two unit axes are called parallel, [-]. At a sine of 1e-15 the cross
#: product is rounding noise; treating the axes as parallel moves no point by more than 1e-15 of
#: their length.
PARALLEL_SINE_SQUARED = 1e-30

#: Cores (axes, points, boxes without their radius) nearer than this fraction of the scene have
#: their normal taken from the features that touch, [-]. The difference of two close points is
#: mostly rounding, and a normal 1e-10 off proves nothing about a body 1e3 m long.
CLOSE_FRACTION = 0.0625

#: Cores no farther apart than this touch, [units of EPS times the scene]. It is the rounding of a
#: difference of points; below it the separating axes decide.
TOUCHING_UNITS = 16.0

#: A coordinate no farther beyond a face than this lies in it, [units of EPS times the scene]: one
#: rounding of the pose and one of the product that placed it.
BLUR_UNITS = 2.0

#: How far apart upper and lower bound of a box-box distance may be before every pair of features
#: is tried, [units of EPS times the scene].
CERTIFICATE_UNITS = 256.0

#: Half spaces whose normals are opposite within this face each other, [-]; two rotations composed
#: of a dozen factors are opposite to 1e-15 or not at all.
FACING_TOLERANCE = 1e-12

#: Steps from feature to feature in search of the nearest points of two boxes, [-]; all pairs but
#: one in a hundred or fewer end after five, and the rest is searched without a walk.
BOX_WALK_STEPS = 8
