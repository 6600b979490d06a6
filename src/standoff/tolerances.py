"""Tolerances that kernels share with each other or with Python, each with its unit and its reason.
They are part of the kernels' hash: changing one compiles all kernels anew. Every other constant
stands beside its use.
"""

from __future__ import annotations

#: One unit of rounding of float64 at 1.0, [-].
EPS = 2.220446049250313e-16

#: How far a rotation matrix may be from orthonormal to be taken as it is, [-]: what a product of a
#: few rotations leaves by rounding. One that is further off by half as much is replaced by the
#: nearest rotation: the half keeps two ways of summing the same products from disagreeing.
ROTATION_EXACT = 1e-14

#: Rounding of a mesh distance, relative to the largest coordinate in play, [-]. A relative pose, a
#: vertex moved by it and a triangle distance are some thirty roundings one after another; twice
#: that is taken off before anything is pruned, and a gap below it counts as touching.
MESH_ROUNDING = 64 * EPS

#: Height over longest side below which a triangle counts as flat, [-]. Its edges then stand
#: for it, and that loses no more than the height, which is less than MESH_ROUNDING.
FLAT_TRIANGLE = 16 * EPS

#: Distance of a ray from an edge below which it counts as grazing, relative to the coordinates in
#: play, [-]. Another direction is tried then, so a generous value costs little.
GRAZING_TOLERANCE = 1e-10

#: Winding number, either way round, from which on a point counts as inside a mesh, [-]. About a
#: closed mesh it is a whole number up to rounding; about an open one it is a half where as much is
#: in the way as not, such as on one flat sheet. Less a little, as what is in doubt is inside.
INSIDE_WINDING = 0.5 - 1e-9

#: GJK stops when its duality gap is below this part of the cylinders' size, [-]. Polytopes end
#: exactly; a curved support converges step by step, and 1e-6 is what is promised.
GJK_TOLERANCE = 1e-9

#: What may be left of the gap where rounding ends GJK and its answer still counts as proved, in
#: units of the rounding of one step, [-]: the normal of a triangle carries the rounding of its
#: short side to the far end of the long one. The slack says how much it is.
GJK_STALL = 256.0

#: Sine of an angle below which a triangle counts as a segment, and a tetrahedron as a triangle,
#: in the simplex of GJK, [-]. The smaller feature is still a part of the simplex, so nothing but
#: a step is lost.
SIMPLEX_FLATNESS = 1e-13

#: Sine of the angle to a cylinder's axis below which a direction is along it, [-]: its part across
#: is then the rounding of its three components. The cap's centre is the support point, and the
#: rim would be higher by no more than four roundings of the radius.
CAP_SINE = 4 * EPS

#: Directions about an axis, and half as many along it, in which the reach of a body is measured,
#: [-]. The reach comes out too long by at most 1 / cos(pi / 64) a joint each way, 0.24 %, and on
#: real arms by a tenth of that; twice as many would cost four times the time.
REACH_DIRECTIONS = 64

#: By how much a reach is lengthened so that rounding cannot make it too short, relative to the
#: length of the chain of links, [-]. The rounding of 100 joints is below 1e-12 of it; this is far
#: above, and still a nanometre on a robot of one metre.
REACH_ROUNDING = 1e-9

#: By how much a speed towards each other is raised so that rounding cannot make it too low,
#: relative to the speeds and turning speeds times coordinates it was computed from, [-]. A frame
#: adds some 10 units of rounding (2e-15), and 100 frames in a row stay below this.
SPEED_ROUNDING = 1e-12

#: By how much the sums of a motion bound, a length moved or ``M``, are raised, relative to
#: themselves, [-]: for their own rounding (100 joints leave 1e-13), for that of the inequality they
#: go into, and for joint velocities that SPEED_ROUNDING lets pass above the motion's own speed.
MOTION_ROUNDING = 1e-11

#: By how much a free span is shortened so that rounding cannot make it too long, relative to
#: itself, [-]: a square root, a hypotenuse, a sum and a quotient, each of a unit or two.
SPAN_ROUNDING = 16 * EPS

#: Rounding of an analytic distance, [units of EPS times the sum of all coordinates and sizes].
#: Some thirty roundings lie on the longest way from a pose to a value, each of at most one unit.
ROUNDING_UNITS = 64.0

#: Below this length a vector has no direction, [m]: its square would lose digits to underflow, and
#: no distance can tell it from 0.
SMALLEST_LENGTH = 1e-140

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

#: Half spaces whose normals are opposite within this face each other, [-]; two rotations composed
#: of a dozen factors are opposite to 1e-15 or not at all.
FACING_TOLERANCE = 1e-12

#: Vertices that the expanding polytope may add, [-]; bounds its scratch and its time. Pairs with
#: up to about 40 vertices end well below it, cylinders take 20 to 60; where hundreds of directions
#: are almost equally deep, the deepest found is refined instead.
EPA_STEPS = 252

#: Largest coordinate of a vertex, [m]. Beyond it a rounding is a tenth of a micrometre, and squares
#: of squares are still far from overflow.
COORDINATE_LIMIT = 1e9

#: How much wider than computed a box is made, in units of ``EPS`` times the sum of its coordinates
#: and extents, [-]. A pair whose boxes do not meet is never looked at again, so the box holds what
#: the distance kernels see of the body, the slack of their results included.
BOX_ROUNDING = 256.0

#: How far beyond its limit a body may seem to have moved before it counts as a jump, [-]: the
#: rounding of two poses, and of the clock that says how long it took.
JUMP_ROUNDING = 1e-6

#: Parts of the reserve, [-]: on the side where a mover is heading, on those beside its way, and
#: behind, where it must leave room for what trembles.
AHEAD, ASIDE, BEHIND = 2.2, 0.5, 0.4

#: How far rounding can move a body at an instant between two readings, relative to its coordinates
#: and to reach times angle of each joint that carries it, [-]: the instant's own joints, the
#: kinematics of up to 100 frames, a turn by a part of an angle. Far above all of them together.
INSTANT_ROUNDING = 1e-12

#: Sine of the angle that is left to a half turn below which nobody knows which way a body turned,
#: [-]; its axis would be rounding noise.
HALF_TURN_SINE = 1e-6

#: How far off a joint is read at most, [rad or m]: a step of a 16-bit encoder, or the last digit of
#: a driver that rounds. A joint is beyond its limits only if it is beyond by more; proofs that a
#: pair is apart within the limits reach as far.
ENCODER_TOLERANCE = 1e-4

#: What rounding can hide of where a body is on a path and of how far its velocity takes it, [-],
#: relative to all lengths that enter: its coordinates, reach times angle and reach times turn of
#: each joint that carries it, its coordinates times the whole turn. A frame adds some 10 roundings
#: of 1e-16 to a place and as many to a velocity, a polynomial of degree 5 some 20 to both; 100
#: frames in a row stay below a quarter of this.
PATH_ROUNDING = 1e-12

#: Rounding of the gap of two balls at a time ahead, relative to all lengths that enter: distance
#: now, way at the present velocity, radii and what an acceleration adds, [-]. A coordinate of the
#: relative position is off by 2 units of it (its difference, a product, a sum), its length by 2,
#: radii and half A t² by 3, the difference by 1; a time that is off by one unit moves the gap by 2
#: more. 16 is a half as much again.
URGENCY_ROUNDING = 16 * EPS

#: By how much a step to the earliest time of contact is shortened, relative to itself, [-]: two
#: products, two sums, a root and a quotient of half a unit each, a root of the sum of squares.
URGENCY_STEP = 8 * EPS

#: The search for the earliest contact ends with a step shorter than this, relative to the time,
#: [-]. Steps square what is left, so the time is then right to all its digits; two bodies that pass
#: each other within 1e-20 of their distance may be said to touch there.
URGENCY_TOLERANCE = 1e-6

#: What the rounding of stamps is counted in, [s]: a part of any, so that one more is no matter.
CLOCK_INSTANT = 1e-15

#: How much wider than computed the ball is that a body cannot leave within a horizon, relative to
#: its coordinates and its radius, [-]: four roundings of each, and as many of the test of two.
BALL_ROUNDING = 16 * EPS

#: Halvings in search of the nearest instant of two bodies, [-]: as many as a float64 has bits, and
#: a few for times near 0.
NEAREST_HALVINGS = 60

#: Coordinates [m] and velocities [m/s] of a body that a predictor reads add up to less; beyond,
#: squares of them are infinite, and it counts as a body whose place is not known.
LARGEST_READING = 1e140

#: How far outside a piece a point still counts as inside it, relative to the sizes of both bodies
#: and their distance, [-], where contacts are looked for: a transform and a plane are some 20
#: roundings, and boxes stacked flush have their corners in each other's sides but for rounding.
#: A contact still needs a penetration above 0.
CONTACT_TOUCH = 1e-12

#: Nearer than this, relative to the same, and with normals that differ by less than the square root
#: of twice the second number [rad], two contacts of two bodies are one: a corner on a corner is
#: found from both sides. Far above CONTACT_TOUCH, so that corners which count as inside by rounding
#: alone are all merged.
CONTACT_MERGE = 1e-9

#: How far the normal of two crossing edges may be from those that belong to the edges (between
#: their faces' normals), [rad]. A box that rests flat and sticks out over another leans by some
#: 1e-3 rad to either side; its contacts at the rim must not come and go with the sign of it.
CONTACT_CONE = 1e-2

#: How far beside a point of one piece of a body another piece may be and still hold it, relative to
#: the body's radius, [-], and by how much less than 1 the cosine of two normals may be that are one
#: there: pieces that a mesh was cut into meet within what single precision leaves.
CONTACT_SEAM = 1e-6

#: How many times as deep as the shortest way out contacts may be before two pieces are parted that
#: way rather than along last step's, [-], where it does not lead out at the back.
CONTACT_OUTGROWN = 4.0

#: Largest component of a velocity, [m/s] and [rad/s]; nothing is faster than light, and squares of
#: anything that is far slower than this stay finite.
CONTACT_FASTEST = 1e9
