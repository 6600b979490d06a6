"""The segment check by samples, paper 001's section 2: bisect breadth first down to a resolution.

It proves nothing: a contact between two samples is missed. It is here as what most planners do, to
be compared with. What it shares with `pairwise` stands here too: the tables of a cell in which
every watched pair is asked by itself, the placing of all bodies at an instant, the test of one
pair.
"""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import (
    ANY,
    Nested,
    Reals,
    Record,
    Records,
    Tables,
    Wholes,
    fields,
    viewer,
)
from standoff.geometry.narrowphase.bodies import Bodies
from standoff.geometry.narrowphase.dispatch import call_nested, general_pair
from standoff.geometry.narrowphase.layout import (
    DISTANCE,
    FLAGS,
    KIND,
    MESH,
    NODE0,
    OPEN_SOLID,
    OUT_COLUMNS,
    SLACK,
)
from standoff.geometry.narrowphase.rss import RADIUS
from standoff.motion.kernels.poses import place_row
from standoff.papers.kernels.greedy import NEAR, GreedyScratch, greedy_distance
from standoff.robots.kernels.kinematics import place_frames

#: What became of a segment; FULL: no room for another entry, to be run again with longer tables.
FREE, HIT, UNDECIDED, FULL = range(4)

#: Two primitives (the first one moves), their rows in the tables of `motion.kernels.bound` (0:
#: static), and the last frame that carries both.
PAIR = fields(a=int, b=int, mover_a=int, mover_b=int, common=int)

#: What became of a segment: status, pair and instant of the hit (-1: none), configurations placed,
#: pairs tested.
FOUND = fields(status=int, pair=int, t=float, configurations=int, distances=int)

#: Addresses of `pair_distance` and `nested_pair`; the latter is 0 where there is no mesh.
CALLS = fields(general=int, nested=int)


class Watched(Tables):
    """A cell, every watched pair of primitives by itself; all bodies at many instants (slots)."""

    calls = Record(CALLS)
    reals = Reals(16, "the tree, see `robots.kernels.kinematics`")
    ints = Wholes(4, "the tree")
    turns = Reals(ANY, "scratch of the tree")
    movers = Wholes(doc="primitives that move")
    frame = Wholes(doc="of each primitive")
    local = Reals(12, "pose of each primitive in its frame")
    pairs = Records(PAIR, "that are watched")
    bodies = Nested(Bodies, "the primitives, slot after slot")
    poses = Reals(12, "of the frames, slot after slot")
    twists = Reals(6, "of the frames, slot after slot")
    q = Reals(doc="the configuration")
    scratch = Nested(GreedyScratch)
    out = Reals(OUT_COLUMNS)


class Samples(Tables):
    """A search by samples."""

    watched = Nested(Watched)
    settings = Record(fields(epsilon=float, ends=int, budget=int))
    scale = Reals(doc="of each joint: the metric is max |dq| scale")
    found = Records(FOUND, "of each segment")


samples_at = viewer(Samples)


@kernel
def place_at(watched, way, t, dq, slot, moving):
    """Everything at the instant ``t`` of a ``way`` between two configurations, exact at both ends,
    into a slot; with velocities where it is ``moving``."""
    qa, qb = way
    q, poses, rows = watched.q, watched.poses, watched.bodies.rows
    for j in range(qa.shape[0]):
        q[j] = qb[j] if t == 1.0 else qa[j] + t * (qb[j] - qa[j])
    first_frame = slot * watched.reals.shape[0]
    place_frames(
        watched.reals, watched.ints, q, dq, watched.turns, poses[first_frame:],
        watched.twists[first_frame:], moving,
    )  # fmt: skip
    movers, frame, local = watched.movers, watched.frame, watched.local
    placed = rows[slot * frame.shape[0] :]
    for k in range(movers.shape[0]):
        place_row(poses, first_frame + frame[movers[k]], local, movers[k], placed, movers[k])


@kernel
def apart(watched, i, j, delta, wanted):
    """A lower bound on the distance of two placed bodies, above ``delta``; NEAR where they are not
    farther apart than that beyond doubt. Of two meshes it is the greedy one: they count as surfaces
    there, see `contained`, and for ``wanted`` see `papers.kernels.greedy`."""
    bodies, out = watched.bodies, watched.out
    if bodies.refs[i, KIND] == MESH and bodies.refs[j, KIND] == MESH:
        ask = watched.scratch.ask
        ask.delta, ask.wanted, ask.effort = delta, wanted, 0
        return greedy_distance(bodies, i, bodies, j, watched.scratch)
    general_pair(watched.calls.general, bodies, i, bodies, j, watched.scratch.pair, out, 0)
    distance = out[0, DISTANCE] - out[0, SLACK]
    return distance if distance > delta else NEAR


@kernel
def contained(watched, i, j, d, first):
    """Whether one of two bodies whose surfaces are ``d`` or more apart is inside the other, a mesh.
    At the ``first`` instant of a motion along which they stay apart that tells for all of it, but
    for an open mesh, which has to be asked at every instant.

    No point inside a closed mesh is farther from its surface than the radius of the swept sphere
    around it all: along the rectangle's normal that is where the volume ends."""
    bodies, a, b = watched.bodies, i, j
    refs, nodes = bodies.refs, bodies.solids.nodes
    if refs[a, KIND] != MESH:
        a, b = b, a
    flags = refs[a, FLAGS] | refs[b, FLAGS]
    opened = flags & OPEN_SOLID != 0
    if refs[a, KIND] != MESH or flags == 0 or not (first or opened):
        return False
    deepest = nodes[refs[a, NODE0], RADIUS]
    if refs[b, KIND] == MESH:
        deepest = max(deepest, nodes[refs[b, NODE0], RADIUS])
    if d > deepest and not opened:
        return False
    return call_nested(watched.calls.nested, bodies, a, bodies, b, watched.scratch.pair)


@kernel
def begin(found):
    """Nothing is known of a segment."""
    found.status, found.pair, found.t = FREE, -1, -1.0
    found.configurations = found.distances = 0


@entry("void(int64, float64[:,::1], float64[:,::1])")
def sampled_segments(samples, QA, QB):
    """``found`` for the segments from ``QA[s]`` to ``QB[s]``: the ends first where ``ends`` is set,
    then the middle, the middles of both halves, and so on, until the parts are shorter than
    ``epsilon`` by the metric ``max |dq| scale``. No more than ``budget`` configurations are looked
    at: beyond it a segment is UNDECIDED."""
    search = samples_at(samples)
    for s in range(QA.shape[0]):
        begin(search.found[s])
        _bisect(search, QA[s], QB[s], search.found[s])


@kernel
def _bisect(search, qa, qb, found):
    watched, settings = search.watched, search.settings
    length = 0.0
    for j in range(qa.shape[0]):
        length = max(length, abs(qb[j] - qa[j]) * search.scale[j])
    parts = 0 if settings.ends else 1
    while parts == 0 or length >= settings.epsilon * parts:
        for k in range(parts if parts > 0 else 2):
            if found.configurations >= settings.budget:
                found.status = UNDECIDED
                return
            t = float(k) if parts == 0 else (k + 0.5) / parts
            place_at(watched, (qa, qb), t, watched.q, 0, False)
            found.configurations += 1
            if _touches(watched, found, parts == 0):
                found.status, found.t = HIT, t
                return
        if length == 0.0:
            return
        parts = max(1, 2 * parts)


@kernel
def _touches(watched, found, solid):
    """Whether any pair touches, the first of which is noted. That a body is inside a closed one is
    looked for only where ``solid`` is set: on the way from outside to there the surfaces meet."""
    for p in range(watched.pairs.shape[0]):
        i, j = watched.pairs[p].a, watched.pairs[p].b
        found.distances += 1
        distance = apart(watched, i, j, 0.0, 0.0)
        if distance == NEAR or contained(watched, i, j, distance, solid):
            found.pair = p
            return True
    return False
