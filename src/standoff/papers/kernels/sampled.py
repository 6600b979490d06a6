"""The segment check by samples, paper 001's section 2: bisect breadth first down to a resolution.

It proves nothing: a contact between two samples is missed. It is here as what most planners do, to
be compared with. What it shares with `pairwise` stands here too: the table of pairs, the placing of
all bodies at an instant, and the test of one pair.

``pairs``, int64 (n, 5): the two primitives (the first one moves), their rows in the tables of
`motion.kernels.bound` (0: static), and the last frame that carries both.
"""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.geometry.narrowphase.greedy_pair import FARTHER
from standoff.geometry.narrowphase.layout import FLAGS, KIND, MESH, NODE0, OPEN_SOLID, SLACK
from standoff.geometry.narrowphase.rss import RADIUS
from standoff.geometry.narrowphase.unpacked import (
    call_greedy,
    call_nested,
    closed_form,
    general_pair,
)
from standoff.robots.kernels.kinematics import place_frames

#: What became of a segment.
FREE = 0
HIT = 1
UNDECIDED = 2

#: Entries of ``at``, the addresses of kernels that are compiled by themselves: `pair_distance`,
#: `greedy_pair` and `nested_pair`.
GENERAL = 0
GREEDY = 1
NESTED = 2
ADDRESSES = 3

#: Columns of ``pairs``.
PRIM_A = 0
PRIM_B = 1
BODY_A = 2
BODY_B = 3
COMMON = 4
PAIR_COLUMNS = 5

#: Columns of ``found``: status, pair of the hit, configurations placed, pairs tested.
STATUS = 0
HIT_PAIR = 1
CONFIGURATIONS = 2
DISTANCES = 3
FOUND_COLUMNS = 4

#: Not apart by more than was asked.
NEAR = -1.0


@kernel
def instant(qa, qb, t, q):
    """``q`` at ``t``; exact at both ends."""
    for j in range(qa.shape[0]):
        q[j] = qb[j] if t == 1.0 else qa[j] + t * (qb[j] - qa[j])


@kernel
def place_movers(poses, movers, frame, local, rows):
    """The pose columns of the rows of all primitives that move."""
    for k in range(movers.shape[0]):
        i = movers[k]
        f = frame[i]
        for r in range(0, 12, 4):
            a, b, c = poses[f, r], poses[f, r + 1], poses[f, r + 2]
            rows[i, r] = a * local[i, 0] + b * local[i, 4] + c * local[i, 8]
            rows[i, r + 1] = a * local[i, 1] + b * local[i, 5] + c * local[i, 9]
            rows[i, r + 2] = a * local[i, 2] + b * local[i, 6] + c * local[i, 10]
            rows[i, r + 3] = poses[f, r + 3] + (
                a * local[i, 3] + b * local[i, 7] + c * local[i, 11]
            )


@kernel
def apart(
    at, rows, refs, i, j, points, faces, nodes, gints, delta, wanted, effort, work, iwork, out
):
    """A lower bound on the distance of two primitives, above ``delta``; NEAR where they are not
    farther apart than that beyond doubt. Meshes count as surfaces here, see `contained`; for
    ``wanted`` and ``effort`` see `greedy_walk`."""
    if closed_form(rows, refs, i, points, rows, refs, j, points, out, 0):
        distance = out[0, 0] - out[0, SLACK]
    elif refs[i, KIND] == MESH or refs[j, KIND] == MESH:
        status = call_greedy(
            at[GREEDY], at[GENERAL], rows, refs, i, points, faces, nodes, gints,
            rows, refs, j, points, faces, nodes, gints, delta, wanted, effort, work, iwork, out, 0,
        )  # fmt: skip
        return out[0, 0] if status == FARTHER else NEAR
    else:
        general_pair(
            at[GENERAL], rows, refs, i, points, faces, nodes, gints,
            rows, refs, j, points, faces, nodes, gints, work, iwork, out, 0,
        )  # fmt: skip
        distance = out[0, 0] - out[0, SLACK]
    return distance if distance > delta else NEAR


@kernel
def contained(at, d, first, rows, refs, i, j, points, faces, nodes, gints, work, iwork):
    """Whether one of two primitives whose surfaces are ``d`` or more apart is inside the other, a
    mesh. At the ``first`` instant of a motion along which they stay apart that tells for all of it,
    but for an open mesh, which has to be asked at every instant.

    No point inside a closed mesh is farther from its surface than the radius of the swept sphere
    around it all: along the rectangle's normal that is where the volume ends."""
    a, b = i, j
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
    return call_nested(
        at[NESTED], rows, refs, a, points, faces, nodes, gints,
        rows, refs, b, points, faces, nodes, gints, work, iwork,
    )  # fmt: skip


@entry(
    "void(int64[::1], float64[:,::1], int64[:,::1], float64[:,::1], float64[:,::1], float64[:,::1],"
    " float64[::1], float64, boolean, int64, int64[::1], int64[::1], float64[:,::1],"
    " float64[:,::1], int64[:,::1], float64[:,::1], int64[:,::1], float64[:,::1], int64[::1],"
    " int64[:,::1], float64[::1], float64[:,::1], float64[::1], int64[::1], float64[:,::1],"
    " int64[:,::1], float64[::1])"
)
def sampled_segments(
    at, reals, ints, turns, QA, QB, scale, epsilon, ends, budget, movers, frame, local,
    rows, refs, points, faces, nodes, gints, pairs, q, poses, work, iwork, out, found, where,
):  # fmt: skip
    """Rows of ``found`` and ``where`` (the instant of the hit) for the segments from ``QA[s]`` to
    ``QB[s]``: the ends first where ``ends`` is set, then the middle, the middles of both halves,
    and so on, until the parts are shorter than ``epsilon`` by the metric ``max |dq| scale``. No
    more than ``budget`` configurations are looked at: beyond it a segment is UNDECIDED."""
    for s in range(QA.shape[0]):
        qa, qb = QA[s], QB[s]
        length = 0.0
        for j in range(qa.shape[0]):
            length = max(length, abs(qb[j] - qa[j]) * scale[j])
        found[s, STATUS], found[s, HIT_PAIR] = FREE, -1
        found[s, CONFIGURATIONS] = found[s, DISTANCES] = 0
        where[s] = -1.0
        parts = 0 if ends else 1
        while parts == 0 or length >= epsilon * parts:
            steps = 2 if parts == 0 else parts
            for k in range(steps):
                if found[s, CONFIGURATIONS] >= budget:
                    found[s, STATUS] = UNDECIDED
                    break
                t = float(k) if parts == 0 else (k + 0.5) / parts
                instant(qa, qb, t, q)
                place_frames(reals, ints, q, q, 0, turns, poses, poses, 0, False)
                place_movers(poses, movers, frame, local, rows)
                found[s, CONFIGURATIONS] += 1
                p = _first_hit(
                    at, rows, refs, points, faces, nodes, gints, pairs, parts == 0,
                    work, iwork, out, found, s,
                )  # fmt: skip
                if p >= 0:
                    found[s, STATUS], found[s, HIT_PAIR], where[s] = HIT, p, t
                    break
            if found[s, STATUS] != FREE or length == 0.0:
                break
            parts = max(1, 2 * parts)


@kernel
def _first_hit(
    at, rows, refs, points, faces, nodes, gints, pairs, solid, work, iwork, out, found, s
):
    """The first pair that touches, or -1. That a body is inside a closed one is looked for only
    where ``solid`` is set: on the way from outside to there the surfaces meet."""
    for p in range(pairs.shape[0]):
        i, j = pairs[p, PRIM_A], pairs[p, PRIM_B]
        found[s, DISTANCES] += 1
        distance = apart(
            at, rows, refs, i, j, points, faces, nodes, gints, 0.0, 0.0, 0, work, iwork, out
        )
        if distance == NEAR:
            return p
        if contained(
            at, distance, solid, rows, refs, i, j, points, faces, nodes, gints, work, iwork
        ):
            return p
    return -1
