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

#: Rounding put on the radius of a covering capsule, [ulps of the largest coordinate]. A vertex goes
#: through a change of frame and of scale, a cut by a plane, and the pose of the capsule: some
#: twenty roundings, each half an ulp at most.
COVER_ROUNDING = 64.0

#: The radius of a covering capsule where the body has no extent at all, [m]. A capsule must have
#: one, and a nanometre is below what any robot or mesh resolves.
COVER_LEAST_RADIUS = 1e-9

#: A point set thinner than this part of its size has no hull to speak of, [-]: its volume is 0, and
#: it is given this thickness where a hull is needed. Far above the noise of coordinates that are
#: large beside the size (1e4 m beside 1 m leave 1e-12), below any real sheet.
COVER_FLAT = 1e-6

#: Share of the volume that one more capsule has to save, [-]. Less is not worth a body more in
#: every pair of every cycle, and the search for the plane is itself not sharper than this.
COVER_GAIN = 0.02

#: How steeply the soft volume must fall along a step, as a part of its slope, [-] (Armijo).
COVER_ARMIJO = 1e-4

#: Exponents below this count as nothing in the soft maximum, [-]: e^-30 is 1e-13.
COVER_NEGLIGIBLE = -30.0

#: How far a ball may stay outside while a capsule is fitted, as a part of its radius, [-]. Only the
#: search ends by it; the radius is taken over all balls in the end.
COVER_VIOLATION = 1e-4

#: The largest coordinate and radius of a body to cover, [m]. Beyond it somebody mistook the units,
#: and squares and cubes stay far from overflow.
COVER_LARGEST = 1e9
