"""One step of a contact scene, in one call.

The poses and velocities that were given are checked, taken over, and kept for the next step. Where
only poses are given, velocities follow from two of them and the time between. The forces are those
of `contact.kernels.forces`.
"""

from __future__ import annotations

import math

from standoff.broadphase.kernels.sort_and_sweep import boxes_that_meet
from standoff.compiled.jit import entry, kernel
from standoff.contact.kernels.contacts import comes_before, drop_left_out, end_of_pair, merge
from standoff.contact.kernels.first_touch import turning
from standoff.contact.kernels.forces import apply_forces
from standoff.contact.kernels.piece_pair import touch_pair_at
from standoff.contact.kernels.scene_tables import scene_at, scratch_at, state_at
from standoff.contact.kernels.solids import ball_centre, reach
from standoff.geometry.narrowphase.batch import plain_pose
from standoff.tolerances import CONTACT_FASTEST, CONTACT_MERGE, EPS

#: How far apart by rounding alone two points that are one may be, relative to the coordinates and
#: radii in play, [-]: a transform, a crossing and a transform back are some 30 roundings.
CONTACT_MERGE_ROUNDING = 64 * EPS

#: By how much the box about a body is wider than its sphere, relative to radius and coordinates,
#: [-]: whether two spheres meet on their way is found with some 20 roundings of these.
CONTACT_BOX_ROUNDING = 64 * EPS

#: What `step` returns. All is done, and nothing touches or passed, or something does; a table is
#: too short; the body in ``state.step.refused`` has no plain pose or velocity, or no finite force.
NOTHING = 0
TOUCHING = 1
FULL = 2
NO_MOTION = 3
NO_FORCE = 4


@entry("int64(int64, int64, int64)")
def step(scene, state, scratch):
    """Contacts, forces and moments of the bodies at the poses given, into STATE, which also says
    how many there are. Unless all is done, what the last step left is not changed, so that the step
    can be taken again."""
    scene, state, scratch = scene_at(scene), state_at(state), scratch_at(scratch)
    now, cost, sweep = state.step, state.cost, scratch.sweep
    now.refused = first_bad(scene, state)
    if now.refused >= 0:
        return NO_MOTION
    place_bodies(scene, state)
    clear_counts(state, scratch)
    box_bodies(scene, state, sweep)
    if not boxes_that_meet(sweep):
        return FULL
    cost.pair_tests = sweep.state.tests
    for k in range(sweep.state.pairs):
        i, j = sweep.pairs[k].a, sweep.pairs[k].b
        if bodies_meet(scene, state, i, j):
            body_pair(scene, state, scratch, i, j)
    if now.contacts > state.contacts.shape[0] or now.passed > state.passed.shape[0]:
        return FULL
    for k in range(now.contacts):
        if state.contacts[k].left_out == 0:
            cost.kept += state.contacts[k].kept
            cost.new += 1 - state.contacts[k].kept
    apply_forces(scene, state)
    now.refused = first_endless(state)
    if now.refused >= 0:
        return NO_FORCE
    keep_step(state)
    drop_left_out(state)
    return NOTHING if now.contacts == 0 and now.passed == 0 else TOUCHING


@kernel
def clear_counts(state, scratch):
    """Nothing is found or counted yet."""
    cost = state.cost
    state.step.contacts = state.step.passed = scratch.pair.cursor = 0
    cost.pair_tests = cost.node_tests = cost.leaf_pairs = cost.edge_checks = 0
    cost.crossing_checks = cost.sphere_checks = cost.distances = cost.kept = cost.new = 0


@kernel
def is_swept(state, i):
    """Whether the way of a body since the last step is looked at."""
    return state.step.has_before * state.step.continuous * state.was_there[i] == 1


@kernel
def box_bodies(scene, state, sweep):
    """The box about the sphere of each body, now or on the way from the last step."""
    X, A, boxes = state.poses, state.before, sweep.boxes
    for i in range(X.shape[0]):
        radius, swept = scene.bodies[i].radius, is_swept(state, i)
        for c in range(3):
            now = X[i, 4 * c + 3]
            was = A[i, 4 * c + 3] if swept else now
            wide = radius + CONTACT_BOX_ROUNDING * (radius + abs(now) + abs(was))
            boxes[i, c], boxes[i, 3 + c] = min(now, was) - wide, max(now, was) + wide


@kernel
def bodies_meet(scene, state, i, j):
    """Whether the spheres about two bodies meet, now or on the way from the last step."""
    X = state.poses
    near = scene.bodies[i].radius + scene.bodies[j].radius
    x, y, z = X[i, 3] - X[j, 3], X[i, 7] - X[j, 7], X[i, 11] - X[j, 11]
    if x * x + y * y + z * z <= near * near:
        return True
    return meet_on_way(state, i, j, near)


@kernel
def meet_on_way(state, i, j, near):
    """Whether the centroids of two bodies came within ``near`` of each other since the last step,
    if that is looked at."""
    X, A = state.poses, state.before
    if not (is_swept(state, i) and is_swept(state, j)):
        return False
    x, y, z = X[i, 3] - X[j, 3], X[i, 7] - X[j, 7], X[i, 11] - X[j, 11]
    u, v, w = x - A[i, 3] + A[j, 3], y - A[i, 7] + A[j, 7], z - A[i, 11] + A[j, 11]
    return nearest_on_way(x, y, z, u, v, w) <= near * near


@kernel
def nearest_on_way(x, y, z, u, v, w):
    """Square of the least distance from the origin of the segment that ends at (x, y, z) after a
    way (u, v, w)."""
    square, along = u * u + v * v + w * w, x * u + y * v + z * w
    if along <= 0.0:
        return x * x + y * y + z * z
    share = min(along / square, 1.0)
    return (x - share * u) ** 2 + (y - share * v) ** 2 + (z - share * w) ** 2


@kernel
def body_pair(scene, state, scratch, i, j):
    """The contacts of two bodies, piece by piece, without doubles."""
    X, pair, first = state.poses, scratch.pair, state.step.contacts
    one, other = scene.bodies[i], scene.bodies[j]
    end = earlier_until(scene, state, pair.cursor, one.piece0, other.piece0)
    pair.body_first, pair.body_old = first, end
    # Of the smaller body, as corners of it that are farther apart are two; and for rounding.
    near = 2.0 * CONTACT_MERGE * min(one.radius, other.radius)
    reach_of_both = one.radius + other.radius
    for c in range(3, 12, 4):
        reach_of_both = max(reach_of_both, abs(X[i, c]), abs(X[j, c]))
    near += CONTACT_MERGE_ROUNDING * reach_of_both
    for p in range(one.piece0, one.piece0 + one.pieces):
        for q in range(other.piece0, other.piece0 + other.pieces):
            # Contacts of the last step stand in the order of pairs in which they were found.
            start = earlier_until(scene, state, end, p, q)
            end = end_of_pair(state, start, p, q)
            pair.cursor = end
            if end > start or pieces_meet(scene, state, p, q):
                found = state.step.contacts
                touch_pair_at(pair.touch_at, scene, state, scratch, p, q, start, end)
                merge(state, first, found, near)


@kernel
def earlier_until(scene, state, k, p, q):
    """The first contact of the last step, from row ``k`` on, that does not belong to a pair of
    pieces before (p, q)."""
    while k < state.step.old and comes_before(scene, state, k, p, q):
        k += 1
    return k


@kernel
def pieces_meet(scene, state, p, q):
    """Whether the spheres about two pieces meet; or may have, since the last step."""
    one, other = scene.pieces[p], scene.pieces[q]
    a0, a1, a2 = ball_centre(scene, state.poses, p)
    b0, b1, b2 = ball_centre(scene, state.poses, q)
    near = one.radius + other.radius
    if (a0 - b0) ** 2 + (a1 - b1) ** 2 + (a2 - b2) ** 2 <= near * near:
        return True
    return meet_on_way(state, one.body, other.body, reach(one) + reach(other))


@kernel
def first_bad(scene, state):
    """The first body whose pose is not plainly one or not that of before, though it stands still,
    or whose velocity is none (see CONTACT_FASTEST); or -1. A pose that was taken at the last step
    is good."""
    given, held, twists = state.given, state.held, state.twists
    for i in range(given.shape[0]):
        for c in range(16):
            if given[i, c] != held[i, c]:
                if scene.bodies[i].moves == 0 or not plain_pose(given[i].reshape((4, 4))):
                    return i
                break
        for c in range(6):
            if not abs(twists[i, c]) <= CONTACT_FASTEST:
                return i
    return -1


@kernel
def first_endless(state):
    """The first body with a force or a moment that is not finite, or -1."""
    total = state.forces
    for i in range(total.shape[0]):
        for c in range(3):
            if not math.isfinite(total[i, c]):
                return i % (total.shape[0] // 2)
    return -1


@kernel
def place_bodies(scene, state):
    """The poses of the bodies' centroid frames, from those given, of the shapes' own."""
    X, A = state.poses, state.given
    for i in range(X.shape[0]):
        at = scene.bodies[i].centroid
        for r in range(0, 12, 4):
            for c in range(4):
                X[i, r + c] = A[i, r + c]
            X[i, r + 3] += A[i, r] * at[0] + A[i, r + 1] * at[1] + A[i, r + 2] * at[2]


@kernel
def keep_step(state):
    """What the next step has to know of this one."""
    for i in range(state.poses.shape[0]):
        for c in range(12):
            state.before[i, c] = state.poses[i, c]
        for c in range(16):
            state.held[i, c] = state.given[i, c]
        state.was_there[i] = 1
    for k in range(state.step.contacts):
        state.old[k] = state.contacts[k]
    state.step.old = state.step.contacts
    state.step.has_before = 1


@entry("void(int64, int64, float64)")
def take_rates(scene, state, dt):
    """Velocities of all bodies from the poses held and given, ``dt`` seconds apart: the mean
    velocities of centroids and the mean angular velocities, turning the shorter way; 0 of bodies
    that were not there before."""
    scene, state = scene_at(scene), state_at(state)
    A, B, T = state.held, state.given, state.twists
    for i in range(T.shape[0]):
        if state.was_there[i] == 0:
            for c in range(6):
                T[i, c] = 0.0
            continue
        at = scene.bodies[i].centroid
        for r in range(3):
            way = B[i, 4 * r + 3] - A[i, 4 * r + 3]
            for c in range(3):
                way += (B[i, 4 * r + c] - A[i, 4 * r + c]) * at[c]
            T[i, r] = way / dt
        x, y, z, angle = turning(A, B, i)
        T[i, 3], T[i, 4], T[i, 5] = x * angle / dt, y * angle / dt, z * angle / dt
