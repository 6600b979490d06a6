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

#: Angles up to which the kernels' own sine and cosine are used, [rad]: the multiple of pi/2 that is
#: taken off has then at most 17 bits, and 17 + 33 bits fit a float64, so the reduction is exact.
#: Joints stay far below it (16,000 turns); libm answers beyond.
SINCOS_RANGE = 1e5
