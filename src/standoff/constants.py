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

#: GJK stops when its duality gap is below this part of the cylinders' size, [-]. Polytopes end
#: exactly; a curved support converges step by step, and 1e-6 is what is promised.
GJK_TOLERANCE = 1e-9

#: Rounding of one support step in units of ``EPS`` times the largest coordinate difference, [-]:
#: two transforms, two subtractions and a dot product of three, each a few half ulps.
GJK_ROUNDING = 16.0

#: Steps of GJK before it gives its lower bound instead of its distance, [-]. Polytopes of 500
#: vertices need about 15, cylinders about 25; the rest is head room for slivers.
GJK_STEPS = 128

#: Steps of GJK without a shorter distance before it stops, [-]: two facets that share an edge may
#: take turns for a while, but rounding may also let them do so for ever.
GJK_PATIENCE = 8

#: What may be left of the gap where rounding ends GJK and its answer still counts as proved, in
#: units of the rounding of one step, [-]: the normal of a triangle carries the rounding of its
#: short side to the far end of the long one. The slack says how much it is.
GJK_STALL = 256.0

#: Sine of an angle below which a triangle counts as a segment, and a tetrahedron as a triangle,
#: in the simplex of GJK, [-]. The smaller feature is still a part of the simplex, so nothing but
#: a step is lost.
SIMPLEX_FLATNESS = 1e-13

#: The expanding polytope stops when the depth along the normal of its nearest face exceeds the
#: distance of that face by less than this part of the cylinders' size, [-]. Polytopes end exactly.
EPA_TOLERANCE = 1e-9

#: Vertices that the expanding polytope may add, [-]; bounds its scratch and its time. Pairs with
#: up to about 40 vertices end well below it, cylinders take 20 to 60; where hundreds of directions
#: are almost equally deep, the deepest found is refined instead.
EPA_STEPS = 252

#: Volume of a tetrahedron over the product of three edges from which on the polytope may start with
#: it, [-]; a flatter one costs more steps than a fresh start.
EPA_START = 1e-3

#: Steps that refine a depth which the polytope left open, [-]. Each projects a point just outside
#: back onto the difference of the bodies, and at a flat spot the first one lands.
REFINE_STEPS = 24

#: Times that the turn of a step may be doubled, [-]: in the flattest valleys the step itself is
#: thousands of times too short.
REFINE_DOUBLINGS = 24

#: How far outside that point lies, as a part of the depth, [-]: small, as the projection then
#: turns the direction the most; but far above the rounding of a projection.
REFINE_OFFSET = 1e-2

#: How far a point may lie outside the convex hull taken of it, as a part of the largest extent,
#: [-]. Also the thickness below which points are flat: two sides nearer than this cannot be told
#: apart.
HULL_TOLERANCE = 1e-10

#: The same in units of ``EPS`` times the largest coordinate, [-], for bodies far from their own
#: origin: points that went through a rigid motion there are off by some roundings of it.
HULL_ROUNDING = 512.0

#: How many times nearer a point must be to a hull to be left out of it, [-]: what is allowed
#: above is a promise, and a face's plane is known a little less well than that.
HULL_SHARPNESS = 64.0

#: Largest coordinate of a vertex, [m]. Beyond it a rounding is a tenth of a micrometre, and squares
#: of squares are still far from overflow.
COORDINATE_LIMIT = 1e9
