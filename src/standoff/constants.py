"""Every tolerance of the package, with its unit and its reason. None stands anywhere else."""

from __future__ import annotations

#: One unit of rounding of float64 at 1.0, [-].
EPS = 2.220446049250313e-16

#: How far a rotation matrix may be from orthonormal before it is refused, [-]. Poses that went
#: through a float32 or a text file with seven digits are a few 1e-7 off, and no honest pose more.
ROTATION_TOLERANCE = 1e-6

#: How far a rotation matrix may be from orthonormal to be taken as it is, [-]: what a product of a
#: few rotations leaves by rounding. One that is further off by half as much is replaced by the
#: nearest rotation: the half keeps two ways of summing the same products from disagreeing.
ROTATION_EXACT = 1e-14

#: How far the length of a quaternion may be from 1 before it is refused, [-]. Four digits after
#: the point, as people type them, are up to 1e-4 off; beyond 1e-3 it is not a rotation any more.
QUATERNION_TOLERANCE = 1e-3

#: Angles up to which the kernels' own sine and cosine are used, [rad]: the multiple of pi/2 that is
#: taken off has then at most 17 bits, and 17 + 33 bits fit a float64, so the reduction is exact.
#: Joints stay far below it (16,000 turns); libm answers beyond.
SINCOS_RANGE = 1e5

#: Largest URDF, SRDF or xacro file that is read, [bytes]. The largest robots in use are below
#: 1 MiB; beyond this it is not a robot, and reading on would only fill the memory.
MAX_XML_BYTES = 64 * 2**20

#: Deepest nesting of XML elements that is read, [-]. URDF needs 5, simulator extensions some 15.
MAX_XML_DEPTH = 100

#: Most XML elements that are read from one file, [-]; large humanoids have some 10,000.
MAX_XML_ELEMENTS = 1_000_000

#: Longest name of a link, a joint, a robot or a body, [characters]; longer ones are noise.
MAX_NAME_LENGTH = 200

#: Longest text of a single number or vector in a file, [characters].
MAX_NUMBER_TEXT = 1000

#: Largest coordinate, size or mesh scale a robot's file may give, [m] or [-]. Beyond it the file
#: is wrong (millimetres cubed, a slipped exponent), and squares would lose the small lengths.
MAX_ROBOT_LENGTH = 1e6

#: How far a sphere may be from the end face of a cylinder, and its radius from the cylinder's,
#: for the three to be read as one capsule, [m]. Files that write a quarter turn as 1.57 are 6e-5 m
#: off at the ends of a cylinder of 0.15 m; the capsule grows by as much, so it holds all three.
CAPSULE_PARTS_TOLERANCE = 1e-4

#: How deep package folders are searched for below a search path, [folders]. Workspaces keep a
#: package at most four folders down (source, repository, group, package).
MAX_PACKAGE_DEPTH = 4

#: Largest mesh file that is read, [bytes]; the largest of real robots are below 64 MiB. Beyond it,
#: reading on would only fill the memory.
MAX_MESH_BYTES = 512 * 2**20

#: Most triangles of a scene that repeats its meshes, [-]: as many as a binary STL file of that size
#: holds, at 50 bytes each. A small file could otherwise ask for any number.
MAX_MESH_TRIANGLES = MAX_MESH_BYTES // 50

#: Largest coordinate of a mesh, [m]. Distances of triangles go through fourth and fifth powers,
#: which must stay finite; nothing real comes near.
MESH_REACH = 1e30

#: Rounding of a mesh distance, relative to the largest coordinate in play, [-]. A relative pose, a
#: vertex moved by it and a triangle distance are some thirty roundings one after another; twice
#: that is taken off before anything is pruned, and a gap below it counts as touching.
MESH_ROUNDING = 64 * EPS

#: Height over longest side below which a triangle counts as flat, [-]. Its edges then stand
#: for it, and that loses no more than the height, which is less than MESH_ROUNDING.
FLAT_TRIANGLE = 16 * EPS

#: Gap between the upper and the lower bound of a triangle distance, relative to its square, below
#: which the search ends early, [-]: a few roundings of the squares compared.
CLOSEST_TOLERANCE = 16 * EPS

#: The same for two rectangles, relative to the distance itself, [-]. What the search gives up here
#: only makes a lower bound lower.
RECTANGLE_TOLERANCE = 1e-12

#: How much a fitted swept rectangle is grown so that rounding leaves no vertex outside, relative
#: to the largest coordinate of its mesh, [-]: a vertex is projected on three axes and back.
RSS_GROWTH = 16 * EPS

#: Triangles from which on the tree of a mesh is kept on disk, [-]. Building takes 2 µs a triangle
#: and reading 0.2, and a file that is not in memory costs some milliseconds: below this, building
#: takes no longer than finding out whether there is a file.
KEPT_TREE_TRIANGLES = 4096

#: Distance of a ray from an edge below which it counts as grazing, relative to the coordinates in
#: play, [-]. Another direction is tried then, so a generous value costs little.
GRAZING_TOLERANCE = 1e-10

#: How far apart two vertices of an open mesh may be and still become one, as a part of the diagonal
#: of its bounds, [-]: what a program that wrote the file lost to rounding. No vertex moves by more
#: than this, 60 times less than a single-precision number of that size is rounded by.
WELD_TOLERANCE = 1e-9

#: Winding number, either way round, from which on a point counts as inside a mesh, [-]. About a
#: closed mesh it is a whole number up to rounding; about an open one it is a half where as much is
#: in the way as not, such as on one flat sheet. Less a little, as what is in doubt is inside.
INSIDE_WINDING = 0.5 - 1e-9

#: How far a vertex may stand out of the plane of a face of a mesh that still counts as convex,
#: relative to the mesh's diagonal, [-]. Single-precision files are about 1e-7 off.
CONVEX_TOLERANCE = 1e-6
#: GJK stops when its duality gap is below this part of the cylinders' size, [-]. Polytopes end
#: exactly; a curved support converges step by step, and 1e-6 is what is promised.
GJK_TOLERANCE = 1e-9

#: Rounding of one support step in units of ``EPS`` times the sizes of both bodies and the distance
#: of their origins, [-]: two transforms, two subtractions and a dot product of three, each a few
#: half ulps, once for the point taken and once for the best of those passed over, together less
#: than 16; and twice ``HULL_OUTSIDE`` for the points that a hull leaves out.
GJK_ROUNDING = 32.0

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

#: Largest free span of bodies that may meet at all, [units of time], and the largest distance it is
#: computed from, [m]: the largest float64, so that no intermediate result is infinite.
LARGEST_SPAN = 1.7976931348623157e308

#: Rounding of the inequality between both ends of a segment, relative to all its terms, [-]: four
#: sums and two products, of half a unit each.
ENDS_ROUNDING = 8 * EPS

#: How far the length of a normal may be from 1 before it is refused, [-]. One that went through a
#: float32 is 1e-7 off; it is brought to length 1, and a longer way off it is no normal.
NORMAL_TOLERANCE = 1e-6
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

#: The thickness below which points are flat, as a part of the largest extent, [-]: two sides nearer
#: than this cannot be told apart. Also how far a vertex may stand out of a face given with it.
HULL_TOLERANCE = 1e-10

#: The same in units of ``EPS`` times the largest coordinate, [-], for bodies far from their own
#: origin: points that went through a rigid motion there are off by some roundings of it.
HULL_ROUNDING = 512.0

#: How near to the hull of the others a point is left out of it, in units of ``EPS`` times the
#: largest coordinate, [-]: a point of a face that went through a rotation is off by as much.
HULL_INSIDE = 4.0

#: How far outside its hull a point may lie in the end, in the same units, [-]. The grid on which
#: this is measured moves point and face by 7 more at most. ``GJK_ROUNDING`` holds both, so that a
#: distance less its slack is one to all points given.
HULL_OUTSIDE = 8.0

#: Largest coordinate of a vertex, [m]. Beyond it a rounding is a tenth of a micrometre, and squares
#: of squares are still far from overflow.
COORDINATE_LIMIT = 1e9
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

#: Relative gain in volume at which fitting a capsule ends, [-]: while planes are only compared, and
#: for the capsules that are kept. A per cent decides between planes; 1e-5 is below what is shown.
COVER_ROUGH = 1e-3
COVER_FINE = 1e-5

#: Smallest radius, or length of a cylinder, [m]. Fourth powers of lengths from here to
#: COORDINATE_LIMIT stay far from underflow and overflow; a body beyond is a slip.
SMALLEST_SIZE = 1e-9

#: A length that may be 0 is 0 below this, [m]: its square would lose digits to underflow.
ZERO_LENGTH = 1e-100

#: Most pairs of vertex and triangle looked at to tell whether an inward part of a mesh is a cavity,
#: [-]; a few seconds' worth.
MAX_CAVITY_TESTS = 50_000_000

#: Visits after which the marks of an index are cleared and counted from 1 again, [-]: those of an
#: unsigned number of 32 bits, as in paper 000.
VISIT_WRAP = 2**32 - 1

#: Levels an octree may have below its root, [-]; the way to a neighbour is kept in three bits a
#: level of one 64-bit number, and a cube of 1 km has leaves of 1 mm there.
DEEPEST_LEVEL = 20

#: Links an octree may have for each item before it is made a level coarser instead of larger, [-],
#: and how many it may always have: 16 and 4,096, of 32 bytes. Trees that follow the scene need 2
#: to 4; more than N boxes that overlap would otherwise be split down to the smallest node, millions
#: of them where that is a millimetre.
LINKS_PER_ITEM = 16
LEAST_LINKS = 4_096

#: The same for the region octree, [-], which puts an item into every smallest node that the faces
#: of its box meet: some hundreds where a box is eight of them long.
REGION_LINKS_PER_ITEM = 512
LEAST_REGION_LINKS = 65_536

#: Levels of the region octree of a monitor where no smallest node is asked for, [-]: 1/64 of the
#: scene. Each level more makes four times as many nodes.
REGION_INDEX_LEVELS = 6

#: Most cells along the edge of a grid, [-]: 2 million cells of 112 bytes.
LARGEST_GRID = 128

#: How much wider than computed a box is made, in units of ``EPS`` times the sum of its coordinates
#: and extents, [-]. A pair whose boxes do not meet is never looked at again, so the box holds what
#: the distance kernels see of the body, the slack of their results included.
BOX_ROUNDING = 256.0

#: How far beyond its limit a body may seem to have moved before it counts as a jump, [-]: the
#: rounding of two poses, and of the clock that says how long it took.
JUMP_ROUNDING = 1e-6

#: What a body is taken to be capable of where neither its joints nor anybody else says, [m/s];
#: beyond the tool speed of any industrial arm.
USUAL_SPEED_LIMIT = 10.0

#: How much wider than extended a mover is registered, as a part of the half extents of its box,
#: [-]. Wider: registered anew less often, but more pairs near each other; flat between 0.5 and 1.
RESERVE_FRACTION = 0.6

#: Parts of the reserve, [-]: on the side where a mover is heading, on those beside its way, and
#: behind, where it must leave room for what trembles.
AHEAD, ASIDE, BEHIND = 2.2, 0.5, 0.4

#: Part of the reserve, [-]: who has no more left is registered anew before it leaves, in a cycle
#: with little to do. Wider: more even, and more often than need be.
EARLY = 0.1

#: What the last cycle counts for in how many are usually registered anew, [-]: some 20 cycles.
USUAL_SHARE = 0.05

#: Room around everything for the root cube that is chosen where none is given, [-]: as a part of
#: its edge.
ROOT_MARGIN = 0.05

#: A reading is late when it comes after more than this many periods, [-].
LATE_PERIODS = 1.5

#: Distances that may be measured to certify one pair from one reading to the next, [-]. Moves of a
#: cycle take one to three, jumps of a radian past an edge about 30; a pair that slides along its
#: threshold takes them all, some 50 µs, and is warned of.
BETWEEN_TESTS = 128

#: How far rounding can move a body at an instant between two readings, relative to its coordinates
#: and to reach times angle of each joint that carries it, [-]: the instant's own joints, the
#: kinematics of up to 100 frames, a turn by a part of an angle. Far above all of them together.
INSTANT_ROUNDING = 1e-12

#: How much nearer than reported two bodies that are too close may get on the way, [m]: below it the
#: search for the nearest instant ends.
NEAREST_INSTANT = 1e-4

#: Sine of the angle that is left to a half turn below which nobody knows which way a body turned,
#: [-]; its axis would be rounding noise.
HALF_TURN_SINE = 1e-6

#: The buffer of what moves where nothing else is said, [m].
USUAL_BUFFER = 0.03

#: The largest count that people may give, [-]: far beyond any use, and far from overflow.
LARGEST_COUNT = 2**32

#: How much smaller than its edge a node may be, [-]: its faces are rounded, far from the origin
#: more than near. Boxes whose faces move by as much as what is left are inserted from the root.
EDGE_ROUNDING = 1e-6

#: Joint values that differ by less are the same, [rad or m]: files are written with six digits or
#: so.
LIMIT_ROUNDING = 1e-6

#: How far off a joint is read at most, [rad or m]: a step of a 16-bit encoder, or the last digit of
#: a driver that rounds. A joint is beyond its limits only if it is beyond by more; proofs that a
#: pair is apart within the limits reach as far.
ENCODER_TOLERANCE = 1e-4

#: By how much of the larger one a velocity that is given and the change of position over the time
#: since the last reading may differ, [-], besides what acceleration, the stated error and encoders
#: explain: stamps that are off by a third of the time between two readings.
VELOCITY_MISMATCH = 0.5

#: What rounding can hide of where a body is on a path and of how far its velocity takes it, [-],
#: relative to all lengths that enter: its coordinates, reach times angle and reach times turn of
#: each joint that carries it, its coordinates times the whole turn. A frame adds some 10 roundings
#: of 1e-16 to a place and as many to a velocity, a polynomial of degree 5 some 20 to both; 100
#: frames in a row stay below a quarter of this.
PATH_ROUNDING = 1e-12

#: Part of the tolerance below which the rest of an interval's motion is not looked at any closer,
#: [-]: a pair that comes nearer than clearance + tolerance is called too close only once it cannot
#: get any farther away than this on the interval; what keeps more than this is proved free.
NEAR_PART = 1.0 / 16.0
#: Rounding of a polynomial of degree 5 by Horner's rule for 0 <= u <= 1, relative to the sum of the
#: magnitudes of its coefficients, [-]: ten operations of half a unit each, and one unit more for
#: the bound's own rounding and for coefficients that were rounded by a sum or a difference.
HORNER_ROUNDING = 6 * EPS

#: What underflow can add to a result whose rounding is otherwise relative, [rad] or [m]: a few of
#: the smallest float64, with room for the factors that follow.
UNDERFLOW = 1e-300

#: By how much the positions at the end of one piece of a motion and at the start of the next may
#: differ, [rad] or [m]. Files in single precision are off by 2e-7 at 3 rad; such a gap counts as a
#: deviation of both pieces, so that it is certified too. A longer one is a jump.
LONGEST_GAP = 1e-6

#: Rounding of a piece of a motion that is cut out of another one, relative to the sum of the
#: magnitudes of its coefficients, [-]. The two ends, as fractions of the piece, are off by 2 units
#: each, which moves the position by up to 5 times as much; the coefficients' sums of up to six
#: products of three factors take another 9 units.
CUT_ROUNDING = 32 * EPS

#: Rounding of one coefficient of a polynomial for each power of the interval's length it was
#: multiplied by, relative to itself, [-]: half a unit for the length, half for the product.
SCALE_ROUNDING = EPS

#: Rounding of one step of de Boor's recursion, relative to the largest coefficient, [-]: a weight
#: is a quotient of two differences, its product is rounded and the sum is; 2.5 units, and a half
#: for terms of second order.
DE_BOOR_ROUNDING = 3 * EPS

#: Rounding of a coefficient of a Hermite polynomial, relative to the magnitudes of its terms, [-]:
#: an acceleration times the square of a length is off by 2 units, its weight by a half, and the sum
#: of five terms by 2.
HERMITE_ROUNDING = 5 * EPS

#: By how much a mimic joint in a trajectory may differ from what its master makes of it, [rad] or
#: [m]; as LONGEST_GAP, and counted as a deviation of the master.
LONGEST_MIMIC_GAP = LONGEST_GAP

#: How near to half a turn a step of a wrapped angle may be, [rad], before nobody knows which way it
#: goes: files of seven digits are off by as much.
HALF_TURN_ANGLE = 1e-6

#: Braking times that are nearer than this are one, relative to themselves, [-]: each is a quotient,
#: so equal ones are within 1 unit.
STANDSTILL_MERGING = 4 * EPS

#: Rounding of a braking motion, relative to the joint's position and its speed times the time to
#: standstill, [-]: 2 units from times that were merged, 1 from the sum of reaction and braking
#: time, 3 from the final position, 6 from the coefficients; half as much again for room.
BRAKING_ROUNDING = 18 * EPS

#: Largest trajectory file that is read, [bytes]: hours at 1 kHz; beyond it, reading on would only
#: fill the memory.
MAX_TRAJECTORY_BYTES = 256 * 2**20

#: How precisely the earliest contact on a segment is found where nothing else is asked for, as a
#: part of the segment, [-]: a micrometre on a motion of one metre.
CONTACT_PRECISION = 1e-6

#: What rounding can take from an interval of joint values at either side, relative to the two ends
#: of the joint's range, [-]. The centre is one product and one sum, the width of the range one
#: difference: each half a unit of less than both ends together; four times that.
JOINT_BOX_ROUNDING = 4 * EPS

#: Boxes of joint values that the proof of one pair may look at where nothing else is said, [-]:
#: about a second for convex bodies.
USUAL_APART_BUDGET = 1_000_000

#: Steps downhill from a configuration in search of a contact, [-]; most end after five. How far no
#: joint goes in one, [rad] or [m]: beyond it a slope says little. And how much farther than to the
#: contact a step aims, [-], so that it ends behind it and not just before.
DESCENT_STEPS = 24
DESCENT_STRIDE = 0.5
DESCENT_OVERSHOOT = 1.1
#: Largest certificate that is read, [bytes]: about two million proofs. Beyond it, reading on would
#: only fill the memory.
MAX_CERTIFICATE_BYTES = 512 * 2**20

#: What `verify` takes off every distance and adds to every speed for its own rounding, relative to
#: the lengths (speeds) it was computed from, once for each frame between the world and the body and
#: twice for the part and its support, [-]. A frame is a product of rotations and a sum, less than
#: 20 units of rounding (5e-15), and the rotation of a pose given may itself be off by as much
#: (`ROTATION_EXACT` / 2). Far below the checker's own margin, so that what is free there is free
#: here.
VERIFY_ROUNDING = 1e-14

#: By how much `verify` lengthens a reach, relative to it and to the length of the chain, [-]. Where
#: two tangents of a profile meet is a difference of two nearly equal numbers, 100 units of rounding
#: a joint; 100 joints stay below this.
VERIFY_REACH_ROUNDING = 1e-11

#: By how much `verify` raises its sums of reaches and speeds, relative to themselves, [-]: 100
#: joints are 400 products and sums of half a unit each.
VERIFY_SUM_ROUNDING = 1e-13

#: By how much a distance that a certificate claims may exceed the one found by `verify`, relative
#: to the sizes and the distance of the two bodies, [-]. It decides nothing, as the smaller of the
#: two is used; a claim beyond it is another one than the checker's, whose search for the distance
#: of cylinders ends at `GJK_TOLERANCE`.
CLAIM_TOLERANCE = 1e-8

#: How far a part may stand out of the bounding sphere or box that a certificate gives, relative to
#: sizes and coordinates, [-]; the sphere or box is grown by as much as is missing. For rounding
#: alone: what stands out farther is not held.
HOLDING_TOLERANCE = 1e-12

#: By how far the pose of a gliding body at the end of a piece may miss that at the start of the
#: next, relative to its coordinates and angle, [-]: a turn by an angle is off by some roundings.
GLIDE_GAP = 1e-12

#: How far from its motion the configuration of a witness may be, relative to the motion's
#: coefficients, [-]: it is evaluated in two ways, at an instant that was itself rounded.
WITNESS_TOLERANCE = 1e-9

#: How far apart two bodies may be that a witness shows in contact, and how much nearer than shown,
#: relative to their sizes and the distance of their origins, [-]: two searches for one distance
#: both end before it.
WITNESS_DISTANCE = 1e-6

#: How much nearer than claimed Coal may find two bodies before a certificate is refused, relative
#: to sizes and coordinates, [-], and in any case, [m]. Its search ends at 1e-6, and it takes boxes
#: within 1e-6 m for touching.
COAL_TOLERANCE = 1e-6
COAL_CONTACT = 2e-6

#: How many times as far apart as they are wide the balls around two bodies may be for their exact
#: distance to be asked for, [-]. Measured on an arm of capsules among boxes: 1.0 has half as many
#: intervals more, 1.4 a fifth more distances; 1.1 to 1.4 cost the same.
NEAR_BALLS = 1.2
#: What smaller volumes of a mesh might gain in distance over the two that hold them, as parts of
#: the radii and of the diameters of these, [-]: where that would not make up for what a proof
#: lacks, the interval is halved and the volumes are not split. Measured on the scenes of paper 001:
#: without such a limit checks take 5 to 15 times as long, with 0 about three times; parts of 0.1 to
#: 0.5 of the radii differ by some 10 %, and a hundredth of the diameters gains as much among large
#: obstacles as it loses in cages of wires.
LOOSE_RADIUS = 0.25
LOOSE_DIAMETER = 0.005
#: Where an experiment asks for contact itself, a checker that needs a tolerance above 0 is given
#: this one, [m]: a thousandth of the smallest distance that the experiments tell apart.
CONTACT_TOLERANCE = 1e-6

#: Rounding of the parabola that a stop is laid out as, relative to the joint's position and its
#: speed times the time to standstill, [-]: values of the braking motion of some 5 units each, their
#: differences over NODE² with weights up to 11, sums of three, Horner's rule; and a bound of its
#: own error that is rounded as often.
STOP_ROUNDING = 256 * EPS

#: Pieces that a stop is laid out in, [-]. Each costs a look at all that is near; with one piece the
#: parabolas are 2 % of the braking time's square times the deceleration off, with two a quarter of
#: that, which is less than what a cycle's change of velocity adds.
STOP_PIECES = 2

#: Nearer than this to its clearance a pair may be called too close rather than free, where nothing
#: else is asked for, [m]: a millimetre, as paper 001 has it for robots of a metre or two.
USUAL_TOLERANCE = 1e-3

#: [m] A motion on which a body may get farther than this either way from the middle is not looked
#: at as a whole but halved first: little could be proved of it. Tuned on a Panda's edges of 1 to
#: 3 rad; any value is right.
LONG_WAY = 0.6
#: The least part of what it replaces that a shortcut must save, [-]. A corner of 0.09 rad saves as
#: much at best; without it, corners would be rounded off by ever more and shorter edges.
SHORTCUT_GAIN = 1e-3

#: Rounding of the gap of two balls at a time ahead, relative to all lengths that enter: distance
#: now, way at the present velocity, radii and what an acceleration adds, [-]. A coordinate of the
#: relative position is off by 2 units of it (its difference, a product, a sum), its length by 2,
#: radii and half A t² by 3, the difference by 1; a time that is off by one unit moves the gap by 2
#: more. 16 is a half as much again.
URGENCY_ROUNDING = 16 * EPS

#: By how much a step to the earliest time of contact is shortened, relative to itself, [-]: two
#: products, two sums, a root and a quotient of half a unit each, a root of the sum of squares.
URGENCY_STEP = 8 * EPS

#: What is added to a closing speed by which a gap is divided, [m/s], for what its square may have
#: lost to underflow: less than 1e-153. It only makes contact earlier, and such a speed is a
#: standstill for the age of the universe.
URGENCY_UNDERFLOW = 1e-150

#: Steps to the earliest time of contact, [-]. Each at least halves what is left to a contact in
#: passing, 52 for all bits; any number is sound, as every step ends before the contact.
URGENCY_STEPS = 64

#: Steps that all pairs of a block take, [-]: after 4, one in eight goes on alone, after 5, one in
#: 140. And the pairs of a block where nothing else is said: its ten rows stay in the first cache.
URGENCY_BLOCK_STEPS = 5
URGENCY_BLOCK = 64

#: The search for the earliest contact ends with a step shorter than this, relative to the time,
#: [-]. Steps square what is left, so the time is then right to all its digits; two bodies that pass
#: each other within 1e-20 of their distance may be said to touch there.
URGENCY_TOLERANCE = 1e-6

#: By how much longer than its period a predictor takes a step to be, [-]: times that are written
#: down in decimals differ by a period only within their rounding, and such a step is not late.
PERIOD_SLACK = 1e-6

#: The same for the rounding of the times themselves, in units of ``EPS`` times the largest of them,
#: [-]: two of them, their difference, and the sum of all differences.
CLOCK_ROUNDING = 4.0

#: Periods after which a predictor begins its clock anew, [-]: up to then the rounding above is
#: 1.6e-5 of a period beside that of the first time, and no count of units is near its end.
CLOCK_PERIODS = 2.0**34

#: What the rounding of stamps is counted in, [s]: a part of any, so that one more is no matter.
CLOCK_INSTANT = 1e-15

#: How far beyond its bounds a body may seem to have moved, relative to what they allow, [-]: speeds
#: that are sums of many small steps, and the clock. PERIOD_SLACK is a thousand times as much.
BOUND_ROUNDING = 1e-9

#: The same in units of ``EPS`` times its coordinates, [-]: a few roundings of two readings. There
#: is one more for each step between them, as positions may be sums of small steps.
READING_ROUNDING = 64.0

#: Alarms that the first step of a predictor lists, [-]. All pairs are looked at in it, and where
#: the slowest of them come round once in a day all are alarmed.
LISTED_ALARMS = 1 << 20

#: Slots of the wheel of deadlines, [periods]. Pairs that cannot touch for longer are looked at
#: again after so many; a power of two.
WHEEL_SLOTS = 4096

#: How far ahead in the wheel a step with tests to spare looks for more, [periods].
WHEEL_AHEAD = 64

#: One test in so many steps is kept for a pair that is overdue, [-]: none waits without end. More
#: would leave more of those that are due without a test, and one that is cleared is soon due again.
OVERDUE_STEPS = 8

#: Spheres that a cell is covered by at most, [-]: the pairs of so many take 200 MB, and as much
#: again those of them that need no watching.
MOST_SPHERES = 5_000

#: How much wider than computed the ball is that a body cannot leave within a horizon, relative to
#: its coordinates and its radius, [-]: four roundings of each, and as many of the test of two.
BALL_ROUNDING = 16 * EPS

#: Halvings in search of the nearest instant of two bodies, [-]: as many as a float64 has bits, and
#: a few for times near 0.
NEAREST_HALVINGS = 60

#: Rounding of how far a turning point gets, relative to all lengths that enter, [-]: some twelve
#: sums and products, sines, a root and a logarithm, and cosines whose differences carry their own.
TURNING_ROUNDING = 64 * EPS

#: Steps of a search for the best turn, [-], and the angle at which it ends, [rad], which is also
#: how far before the contact it aims, as a part of the distance. An angle that is off makes the
#: bound lower by its square.
TURNING_STEPS = 12
TURNING_TOLERANCE = 1e-6

#: The last step of such a search from which on it has found what it looked for, [rad]: the bound is
#: lower by 1e-4 of itself at most then.
TURNING_NEAR = 0.01

#: The lengths of a turn itself, in units of the turning radius V²/A, [-]: an angle of up to pi/2,
#: its sine, and the squares of speeds of up to twice the bound.
TURNING_LENGTHS = 8.0

#: Longest step of the search for the direction of a turn, [rad]; the part of the angle at which the
#: motion without a bound on speed reaches the rim that the search begins with, [-]; for a contact
#: in the turn, how many guesses there are and how much each part is less than the one before, [-].
#: Of 1,500 such contacts 1,485 are right to 0.01 % with these, and all to 0.5 %.
TURNING_STRIDE = 0.5
TURNING_GUESS = 0.8
TURNING_GUESSES = 4
TURNING_LESS = 0.03

#: Steps towards the best time to stop counting on acceleration and count on speed, [-]; any time is
#: sound, and `turning_time` is sharper in all but a few cases.
SPEED_BOUND_STEPS = 3

#: How much thicker than the capsule that they hold spheres may be, [-]: 15 % puts them 1.1 radii
#: apart. And the largest radius of spheres on what moves and on what stands still, where nothing
#: else is said, [m]: half of an arm's thickness or so, and a compromise for tables and walls.
SPHERE_GROWTH = 1.15
SPHERE_RADIUS = 0.1
STATIC_SPHERE_RADIUS = 0.25

#: Weights of joints in a planner's distance, [-]: squares of them times squares of angles are added
#: up, and stay between the smallest and the largest float64 with these.
LEAST_WEIGHT = 1e-100
LARGEST_WEIGHT = 1e100

#: Coordinates [m] and velocities [m/s] of a body that a predictor reads add up to less; beyond,
#: squares of them are infinite, and it counts as a body whose place is not known.
LARGEST_READING = 1e140

#: How far off its plane a corner of a contact body's face may be, relative to the body's extent,
#: [-]: triangles of a hull that are nearer than this to one plane are one face. Points of a face
#: that went through a file with ten digits are off by as much.
CONTACT_FLAT = 1e-9

#: By how much the spheres of a contact octree are widened, relative to the body's largest
#: coordinate, [-]: centre, radius and the distance of a feature are some 20 roundings each, a
#: transform to another frame 20 more; far below what would touch more features.
CONTACT_SPHERE_ROUNDING = 1e-13

#: Deepest contact octree that is built, [levels]: a surface has some 6 * 4^8 = 400,000 nodes then.
CONTACT_MAX_LEVELS = 8

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
CONTACT_MERGE_COSINE = 1e-12

#: Sine of the angle between two edges, as seen along the direction that parts the bodies, below
#: which they are parallel and do not cross, [-]. Their ends are vertices on faces.
CONTACT_PARALLEL = 1e-9

#: How far the normal of two crossing edges may be from those that belong to the edges (between
#: their faces' normals), [rad]. A box that rests flat and sticks out over another leans by some
#: 1e-3 rad to either side; its contacts at the rim must not come and go with the sign of it.
CONTACT_CONE = 1e-2

#: Share of an edge's length by which a crossing may miss the part of it that is inside, [-].
CONTACT_SHARE = 1e-12

#: A pair is looked at between two steps when it moved by more than this part of the inner radius of
#: the thinner piece, [-]: below it, nothing can have passed through.
CONTACT_FAST = 0.5

#: The search for the first touch between two steps ends this near to it, relative to the sizes,
#: [-], and after so many steps at the latest, [-]; then the pair counts as touching.
CONTACT_FIRST_TOUCH = 1e-6
CONTACT_ADVANCES = 64

#: Levels that are tried at most to find the best depth of an octree, [-]; the number of poses at
#: which each is timed, [-]; and how far the bounding spheres of the two bodies overlap at the
#: deepest of them, relative to their radius, [-]: polyhedra touch from some 0.2 on.
CONTACT_AUTO_LEVELS = 5
CONTACT_AUTO_POSES = 64
CONTACT_AUTO_DEPTH = 1.0

#: A deeper octree is taken where it is quicker by this part, [-]: times on a busy
#: machine differ by as much from run to run, though each is the best of several.
CONTACT_AUTO_GAIN = 0.05
#: How far the ends of an edge must stand off a triangle, on either side, for the edge to go through
#: it, relative to the mesh's diagonal, [-]. Single-precision files are about 1e-7 off, and a vertex
#: that merely lies on a neighbour's edge is not to count.
CROSSING_TOLERANCE = 1e-6

#: How much larger or smaller than the others a part must be to be asked about its unit, [-]: an
#: inch is 25 mm, and parts of one machine differ by as much; a metre is 1000.
UNIT_RATIO = 300.0
#: Rounding of a projected point and of all that is measured on it, relative to the part's reach:
#: its farthest point from the scene's origin, [-]. In units of EPS: the product of basis and
#: rotation 3, the point by it and the position 5, both for two coordinates; a basis that is 8 off
#: orthonormal, a pose that is 45 off a rotation (ROTATION_EXACT); 8 of the height by which the hull
#: may leave out a point unseen (`planar_hull.left_out`); 8 for circles, directions and differences.
#: Together 85.
PROJECTION_ROUNDING = 128 * EPS

#: Rounding of twice the area of a triangle, relative to the square of its larger extent, [-]: two
#: products of two differences each, less than 2 units of either, and as much again for room.
INNER_ROUNDING = 8 * EPS

#: How far the normal of a half space may be from lying in a plane for its projection to be a half
#: plane, [-]: what turned walls leave by rounding. Nothing is lost by it, as the tilt is taken off
#: what is proved; beyond, the half space covers the plane.
HALF_SPACE_TILT = 1e-12

#: How much of the distance of two convex polygons may be missing when the search for it ends, [-].
#: It ends at a corner or an edge in any case, after some rounds; what is missing only makes a lower
#: bound lower.
POLYGON_TOLERANCE = 1e-12

#: Rounds of that search, [-]: of a million random pairs none needed more than 9 to be told apart or
#: not, 2 on average, and none more than 14 for its distance. One that has not ended proves nothing.
POLYGON_STEPS = 32

#: Sides of the prism that stands for a cylinder in projections, [-]. Its corners are 0.12 % of the
#: radius outside the cylinder, and none of the cylinder is outside the prism.
PRISM_SIDES = 64

#: How far the true outline of a mesh is grown, relative to half of its larger extent, [-]: what
#: joining, rounding and simplifying polygons may take away is a thousand times less, and triangles
#: thinner than a quarter of it are joined as the lines they look like. A gap or a hole narrower
#: than twice this is lost, and no other.
OUTLINE_GROWTH = 1e-9

#: By what part of its growth the outline may be simplified, [-]. A point that is as deep inside as
#: the growth stays inside then: dropped corners are within a quarter of it from the new edge, so
#: the old border passes within two quarters of every point that the border sweeps over.
OUTLINE_SIMPLIFYING = 0.25

#: How often a true outline is made, each time grown ten times as far, before the convex hull stands
#: for it, [-]. Each is checked to cover every triangle; of 2,565 random ones all did at once.
OUTLINE_TRIES = 3

#: How near to one another two normals may be and count as one plane, [rad].
SAME_PLANE = 1e-9

#: Most planes of one comparison, [-]; beyond some tens they find hardly anything more.
MAX_PLANES = 1024
#: What rounding may do to the distance of a node of a region octree and a body, in units of ``EPS``
#: times all coordinates and sizes in play, [-]. A corner of the node is three roundings, the body's
#: frame eight, a nearest point and its plane some twenty; twice as many, so that what is white is
#: white and what is black is black.
REGION_ROUNDING = 64.0

#: Rounding of a distance between nodes counted in whole cells, relative to it, [-]: three squares,
#: their sum, and the quotient of the distance and the edge of a cell.
CELL_ROUNDING = 8 * EPS

#: Steps between the nearest points of a node and a body before the node counts as crossed, [-].
#: Spheres need one, capsules two; boxes edge to edge are within 1 % of their distance after eight.
REGION_STEPS = 8

#: Most leaves of a region octree, [-]: 600 MB of them. A surface has four times as many on each
#: level more, so whoever asks for more has slipped a digit, and would only fill the memory.
MOST_REGION_LEAVES = 1 << 26

#: Smallest and largest number of levels that a comparison of parts by region octrees chooses where
#: no resolution is asked for, [-]: 1/32 and 1/256 of the scene, and how many cells the smallest
#: part is to be long, [-].
USUAL_REGION_LEVELS = (5, 8)
USUAL_REGION_CELLS = 16.0

#: An open mesh may be meant as a solid. A part of which more than this part of all directions, seen
#: from one of its points, ends at the mesh may be inside what was meant, [-]. One flat sheet ends
#: half of them at most, however near, so a part on one side of a sheet is no doubt; a point inside
#: a convex solid that lacks some of one face has more than half, wherever it is.
ENCLOSING_PART = 0.5

#: Lines along which that is looked at, both ways, [-]: 64 rays tell apart what covers 2 % more than
#: half of the directions.
ENCLOSING_LINES = 32

#: From how many points of a part at least and at most, and for how many triangles together, [-]: 50
#: ms where a mesh of 35,000 triangles is open.
ENCLOSING_POINTS = (4, 64)
ENCLOSING_TRIANGLES = 1 << 19

#: How long a watch goes without a word from a joint before it is STALE, where nobody says, [s], and
#: how many periods that is at least, [-]: one reading lost is no silence.
USUAL_MAX_AGE = 0.1
MAX_AGE_PERIODS = 3.0

#: Messages of one publisher by which a watch tells how often it speaks, [-]: some that are lost, or
#: come in a bunch, change their mean little.
AGE_WINDOW = 64

#: Times beyond this are none, [s]: 272 years from 1970, with a resolution of 2 us.
TIME_LIMIT = 2.0**33

#: Good readings in a row that end a fault, [-]: two could be chance.
USUAL_RECOVER = 3

#: How far a tracker may have a held body from where its link has it, [m]: at 1 m/s it is 0.1 m
#: behind if it takes 0.1 s.
USUAL_SLIP = 0.1

#: By how much the clock of a source may run faster or slower than ours, [s/s]: the crystals of
#: computers are good to 1e-4, and a delay that grows faster than this is a delay.
CLOCK_DRIFT = 2e-4

#: How often a watch that hears nothing says that it is still there, [s].
HEARTBEAT = 0.1

#: A message that is offered to slow subscribers waits for them for so long before it is dropped,
#: [s]: one cycle is late by that, once. An offer that took half as long may have been dropped.
OFFER_WAIT = 0.01

#: A thread that brings a message this soon after it has looked at another may have more of them
#: before it, [ns]; at 1 kHz it sleeps for half a millisecond between two.
ON_THE_HEELS = 100_000

#: Messages of one source that wait to be looked at, [-]: a quarter of a second at 1 kHz. What is
#: older is dropped for the newer, and told.
INBOX_DEPTH = 256

#: Messages of one instant of a recording that are looked at, [-]: a robot for each topic of a large
#: bag. And events, which nothing may be left out of, that wait to be carried out.
INSTANT_MOST = 1024
MOST_EVENTS = 1024

#: Reports that wait for one sink, [-]: some seconds at 1 kHz.
OUTBOX_DEPTH = 4096

#: How long a replay waits for a sink that is full, and the end of a watch for one that has not yet
#: written all, before what is left counts as lost, [s].
SINK_PATIENCE = 5.0

#: How long the end of a watch waits for its command, to tell whether that failed, [s].
COMMAND_MOMENT = 1.0

#: Different lists of names that one source may have, [-]: one for each publisher of a topic. A
#: source with more makes names up, and they would fill the memory.
MOST_VOICES = 64

#: Readings that a replay hands to one compiled call, [-]: what prepares them costs as much as some
#: hundred; and so many are read one by one where a call ended early.
STRETCH = 4096
STRETCH_BREAK = 32

#: A record is on the disk no later than this after it was made, [s].
RECORD_FLUSH = 0.25

#: Largest part of a record, while a disk takes nothing, that is kept in memory, [bytes].
RECORD_SPOOL = 64 * 2**20

#: Inputs of one block of a record, [-], at most: larger ones are not read.
RECORD_BLOCK = 1 << 16

#: Lists of names that a record refers back to, [-]; after as many it repeats them.
RECORD_NAMES = 256

#: Chunks that the index of a record lists, [-]: a day, and 15 MB. A longer one has no index, and is
#: read from its start.
RECORD_INDEXED = 4 * 86_400

#: Largest record of an MCAP file that is taken for one of ours, [bytes].
RECORD_LARGEST = 256 * 2**20

#: Seconds between two pictures of the cell in a record, [s]: its joints and its state for people,
#: where nothing changes. All readings are in it besides.
RECORD_SHOWN = 0.02
#: Seconds of a watch between two lines in which nothing happened, [s]: enough to see that it lives,
#: and a day is 86,400 lines.
QUIET_LINE_PERIOD = 1.0

#: Seconds between two updates of a line that is renewed in place, [s]: faster is not read.
TERMINAL_PERIOD = 0.1

#: Of one core, what looking for the nearest pair may take for a line on the terminal, [-].
NEAREST_SHARE = 0.05
#: More pairs of primitives than these are not looked through for it, [-]: one search would take
#: tens of milliseconds from the watch.
NEAREST_PAIRS = 50_000

#: Most lines that a terminal gets in one second of a watch, [-]. A state that flickers at 1 kHz
#: would otherwise scroll away all that could be read, and a slow terminal hold up its queue.
TERMINAL_LINES = 10

#: Seconds between two states on a topic while nothing changes, [s], at least: each is of a cycle.
STATE_PERIOD = 0.01

#: How long a cell must have been SAFE before the next warning runs the command again, [s]: one
#: encounter that flickers about its threshold is one.
REARM_AFTER = 10.0

#: Distances between which robots are slowed down, where none are given, [m]: at a stand before
#: they touch; the upper end is the threshold of each pair.
USUAL_STOP_DISTANCE = 0.005

#: How much farther apart a pair must be for its speed to rise again, [m]: ten times the noise of
#: distances from joint readings, which are good to some tenths of a millimetre.
USUAL_HYSTERESIS = 0.003

#: Columns of the history of a watch, [-]: two on each pixel of a wide screen. Each is as wide in
#: time as it takes for all to fit.
HISTORY_COLUMNS = 4096

#: Width of such a column at first, [s]: a cycle of the fastest watch.
HISTORY_STEP = 0.001

#: Spells (of a pair that is too close, of a fault) that a history keeps, the worst of them, [-],
#: and different ones of which it counts each apart, [-]: what is beyond is counted together.
HISTORY_SPELLS = 500
HISTORY_KINDS = 2000

#: Spells of the same that are less far apart are one, [s]: it flickered.
SPELL_GAP = 0.25
#: Longest line of a stream of text, and largest message of a bag or a network that is taken apart,
#: [bytes]. A reading of 1,000 joints is 50 kB; beyond this somebody floods the memory.
MAX_STREAM_MESSAGE = 1 << 20

#: Most joints of one reading, and most bodies of one message, [-].
MAX_STREAM_NAMES = 1000

#: Largest chunk of a bag, unpacked, and largest record that is kept in memory, [bytes]. Recorders
#: close a chunk after 1 to 4 MB, or after one image or point cloud that is larger: 25 MB in 4K.
MAX_STREAM_CHUNK = 64 << 20

#: Messages of a bag without chunks that are put into order of time together, [-].
STREAM_BLOCK = 1024

#: Topics and types of a bag that are kept, [-]; beyond, the file is noise.
MAX_STREAM_TOPICS = 10_000

#: How often a lost connection is tried again, [ms]: first, and at the longest.
RECONNECT_FIRST = 100
RECONNECT_LONGEST = 1000

#: Messages at the beginning of a file from which a watch takes how often it speaks, [-].
PEEK_MESSAGES = 500

#: From the fastest to the slowest time between two readings that a watch believes a file, [s].
PEEK_PERIODS = (1e-4, 1.0)
#: When a link counts as brought to a pose, [m] and [rad]: far below what a drawing or a hand shows.
REACH_POSITION = 1e-5
REACH_ANGLE = 1e-5

#: How long a turn of one radian counts when positions and turns are weighed, [m]: a hand's length.
REACH_TURN_LENGTH = 0.2

#: Damping of inverse kinematics, [m/rad]: near a singular pose a joint moves no faster than half of
#: what is left over this. Larger is calmer there and slower elsewhere.
REACH_DAMPING = 0.02

#: The farthest that one step of inverse kinematics looks ahead, [m]: joints turn by about as many
#: radians, and beyond that the linear model misleads.
REACH_LONGEST_STEP = 0.2

#: Sine of a turn below which its axis is not known from the skew part of the matrix, [-].
SMALL_TURN = 1e-8

#: By how much a buffer has to change before the page draws it anew, [m]: nobody sees less.
BUFFER_SHOWN = 0.001

#: The step of a joint's slider, [rad] or [m].
SLIDER_STEP = 0.001

#: How near links of one robot may come on a page that is driven by hand, [m]. Beside each other
#: they are nearer than any buffer by the way they are built, a Panda's hand and wrist 8 mm.
PAGE_SELF = 0.005

#: A pair whose distance is proved to vary by no more, wherever a joint is, keeps it, [m].
STILL_PAIR = 0.001

#: Intervals of a proof that are drawn one by one, [-]: there are no more pixels.
BAND_INTERVALS = 400
#: How far beside a point of one piece of a body another piece may be and still hold it, relative to
#: the body's radius, [-], and by how much less than 1 the cosine of two normals may be that are one
#: there: pieces that a mesh was cut into meet within what single precision leaves.
CONTACT_SEAM = 1e-6

#: How many times as deep as contacts of the same two bodies a new pair of their pieces may be along
#: the normal of these and is parted that way, [-]: pieces side by side are as deep, but for how
#: far one stands out over the other.
CONTACT_STEP = 2.0

#: How many times as deep as the shortest way out contacts may be before two pieces are parted that
#: way rather than along last step's, [-], where it does not lead out at the back.
CONTACT_OUTGROWN = 4.0

#: By what part the deepest contact of two pieces may be less deep than their way out before the
#: rest is added as a contact of the pieces as a whole, [-]: a normal may lean by CONTACT_CONE, and
#: so much of the depth with it.
CONTACT_SHALLOW = 1e-2

#: Largest component of a velocity, [m/s] and [rad/s]; nothing is faster than light, and squares of
#: anything that is far slower than this stay finite.
CONTACT_FASTEST = 1e9

#: How far apart by rounding alone two points that are one may be, relative to the coordinates and
#: radii in play, [-]: a transform, a crossing and a transform back are some 30 roundings.
CONTACT_MERGE_ROUNDING = 64 * EPS

#: How near to the centre of a sphere a vertex or an edge is in it, relative to the radius, [-]:
#: nearer, the direction from one to the other is rounding, and that of the faces around is taken.
CONTACT_CENTRED = 1e-9

#: Instants of a motion on a page that are nearer than this are one, [s]: far above the rounding of
#: times that are added up, far below what any two readings are apart.
SAME_INSTANT = 1e-7
