"""Two pieces in one step: both stages, from the octrees to the contacts."""

from __future__ import annotations

import math

from numba.core import types

from standoff.compiled.by_address import called
from standoff.compiled.jit import entry, kernel
from standoff.contact.kernels.contacts import append, deepest, were_there
from standoff.contact.kernels.directions import (
    beside_others,
    new_direction,
    note_parted,
    old_direction,
    still_parted,
)
from standoff.contact.kernels.edge_edge import edges_on_edges
from standoff.contact.kernels.edges_inside import cut, edges_inside, meeting_edges, wholly_inside
from standoff.contact.kernels.first_touch import (
    first_touch,
    is_fast,
    motion_bound,
    nearest,
    place_now,
)
from standoff.contact.kernels.scene_tables import WHOLE, SceneTables, ScratchTables, StateTables
from standoff.contact.kernels.solids import overlap_along, to_world
from standoff.contact.kernels.spheres import ball_on_ball, ball_on_piece
from standoff.contact.kernels.vertex_face import vertices_on_faces
from standoff.geometry.narrowphase.bvh_walk import relative_pose
from standoff.geometry.narrowphase.rows import rotate, unrotate
from standoff.tolerances import CONTACT_OUTGROWN, CONTACT_TOUCH

#: By what part the deepest contact of two pieces may be less deep than their way out before the
#: rest is added as a contact of the pieces as a whole, [-]: a normal may lean by CONTACT_CONE, and
#: so much of the depth with it.
CONTACT_SHALLOW = 1e-2


TOUCH = types.int64(
    SceneTables.numba_type, StateTables.numba_type, ScratchTables.numba_type, *[types.int64] * 4
)


@entry(TOUCH)
def touch_pair(scene, state, scratch, p, q, first_old, end_old):
    """The contacts of pieces ``p`` and ``q``; those of the last step are rows ``first_old`` to
    ``end_old`` of OLD. Returns how many contacts there are then. It is called by its address, as
    it is most of a step, and takes long to compile."""
    pair, one, other = scratch.pair, scene.pieces[p], scene.pieces[q]
    pair.p, pair.q, pair.first_old, pair.end_old = p, q, first_old, end_old
    pair.slack = CONTACT_TOUCH * (one.radius + other.radius)
    before, balls = state.step.contacts, one.is_ball + other.is_ball
    overlap = False
    if balls == 2:
        overlap = ball_on_ball(scene, state, scratch)
    elif balls == 1:
        overlap = ball_on_piece(scene, state, scratch)
    elif may_overlap(scene, state, scratch):
        polyhedra(scene, state, scratch)
    if not overlap and state.step.contacts == before and state.step.continuous == 1:
        note_passing(scene, state, scratch)
    return state.step.contacts


touch_pair_at = called(TOUCH)


@kernel
def may_overlap(scene, state, scratch):
    """Whether two polyhedra are not surely apart, by the direction kept or by their octrees; then
    some edges are marked, see `reached_edges`."""
    pair = scratch.pair
    if pair.first_old == pair.end_old and still_parted(scene, state, scratch, pair.p, pair.q):
        return False
    return reached_edges(scene, state, scratch) > 0


@kernel
def reached_edges(scene, state, scratch):
    """How many edges of two polyhedra may be inside the other, marked: those that meeting leaves
    name, or some of the piece that is wholly inside the other. None: they are apart."""
    p, q, X = scratch.pair.p, scratch.pair.q, state.poses
    relative_pose(X, scene.pieces[q].body, X, scene.pieces[p].body, scratch.rel)
    scratch.pair.epoch += 1
    count = meeting_edges(scene, state, scratch, p, q)
    if count > 0:
        return count
    return wholly_inside(scene, scratch, p, q)


@kernel
def polyhedra(scene, state, scratch):
    """The contacts of two polyhedra of which some edges are marked. Along the direction of last
    step's contacts, if there are any and it is not `outgrown`; where that gives none, along the
    shortest way to part them, the one they came, or that of other pieces of their bodies. What the
    deepest of them lacks of the way out, or all of it where there is none, is one contact of the
    pieces as a whole: the push is no less than the way out. None where they do not overlap."""
    p, q, before = scratch.pair.p, scratch.pair.q, state.step.contacts
    i, j, n = scene.pieces[p].body, scene.pieces[q].body, scratch.apart.normal
    had_contacts = scratch.pair.end_old > scratch.pair.first_old
    if had_contacts and along_old(scene, state, scratch):
        return
    if not new_direction(scene, state, scratch):
        return
    if had_contacts:
        reached_edges(scene, state, scratch)
    relative_pose(state.poses, j, state.poses, i, scratch.rel)
    beside_others(scene, state, scratch)
    x, y, z = unrotate(state.poses, j, n[0], n[1], n[2])
    elemental(scene, state, scratch, x, y, z, scratch.pair.first_old)
    way = overlap_along(scene, scratch.rel, p, q, x, y, z)
    lacking(scene, state, scratch, before, n[0], n[1], n[2], way)


@kernel
def along_old(scene, state, scratch):
    """The contacts of two polyhedra along the direction of those of the last step; returns whether
    that is all: they are apart, or there are some and it is not `outgrown`."""
    pair, j, before = scratch.pair, scene.pieces[scratch.pair.q].body, state.step.contacts
    x, y, z = old_direction(scene, state, pair)
    length = math.sqrt(x * x + y * y + z * z)
    if not length > 0.0:
        return False
    x, y, z = unrotate(state.poses, j, x / length, y / length, z / length)
    if overlap_along(scene, scratch.rel, pair.p, pair.q, x, y, z) <= 0.0:
        note_parted(scene, state, pair.p, pair.q, x, y, z)
        return True
    if elemental(scene, state, scratch, x, y, z, pair.end_old) == 0:
        return True
    if state.step.contacts > before:
        if not outgrown(scene, state, scratch, before, x, y, z):
            return True
        state.step.contacts = before
    return False


@kernel
def elemental(scene, state, scratch, x, y, z, end_old):
    """All contacts of vertices with faces and of edges with edges along a direction, with those of
    the last step up to row ``end_old`` going on; returns the number of edges that may be inside the
    other piece, 0 only where the two are apart."""
    inside = edges_inside(scene, state, scratch, x, y, z)
    if inside == 0:
        # Leaves met, but the surfaces do not: one may be wholly inside the other all the same.
        scratch.pair.epoch += 1
        wholly_inside(scene, scratch, scratch.pair.p, scratch.pair.q)
        inside = edges_inside(scene, state, scratch, x, y, z)
    if inside > 0:
        vertices_on_faces(scene, state, scratch, x, y, z, end_old)
        edges_on_edges(scene, state, scratch, x, y, z, end_old)
    return inside


@kernel
def outgrown(scene, state, scratch, first, n0, n1, n2):
    """Whether the direction of last step's contacts (``n``, in the frame of q) is to be given up:
    where the shortest way out does not lead out at the back, and the contacts found along ``n``,
    from ``first`` on, are more than CONTACT_OUTGROWN times as deep as it, or less deep.

    The first: the pieces have slid on, past each other's sides, as a box that came upon a tile from
    beside it and 0.1 mm below its top, and is now above it. Asked each time that the depth has
    doubled. The second: a vertex that grazes a side tells nothing of two sharp pieces. Asked where
    the deepest contact does not part them along its own normal; if it does, no way is shorter. At
    the back, what is lacking is added along ``n``."""
    pair, X, shortest = scratch.pair, state.poses, scratch.apart.normal
    p, q, body = pair.p, pair.q, scene.pieces[pair.q].body
    k, was = deepest(state, first), 0.0
    if k < 0:
        return False
    depth, m = state.contacts[k].depth, state.contacts[k].normal
    for o in range(pair.first_old, pair.end_old):
        was = max(was, state.old[o].depth)
    x, y, z = unrotate(X, body, m[0], m[1], m[2])
    enough = (1.0 - CONTACT_SHALLOW) * overlap_along(scene, scratch.rel, p, q, x, y, z)
    if depth >= enough and math.frexp(depth)[1] <= math.frexp(was)[1]:
        return False
    place_now(scene, state, scratch, p)
    place_now(scene, state, scratch, q)
    nearest(state, scratch, p, q)
    way = -scratch.apart.distance
    x, y, z = rotate(X, body, n0, n1, n2)
    if x * shortest[0] + y * shortest[1] + z * shortest[2] <= -0.5:
        lacking(scene, state, scratch, first, x, y, z, way)
        return False
    return depth > CONTACT_OUTGROWN * way or depth < (1.0 - CONTACT_SHALLOW) * way


@kernel
def lacking(scene, state, scratch, first, nx, ny, nz, way):
    """What the contacts from ``first`` on lack of the ``way`` out, as a contact of the pieces as a
    whole along the world normal ``n``."""
    k = deepest(state, first)
    short = way - (state.contacts[k].depth if k >= 0 else 0.0)
    if short > CONTACT_SHALLOW * way:
        whole_contact(scene, state, scratch, nx, ny, nz, short)


@kernel
def whole_contact(scene, state, scratch, nx, ny, nz, depth):
    """One contact in the middle of all edges' parts that are inside the other piece."""
    V, p, q = scene.vertices, scratch.pair.p, scratch.pair.q
    x, y, z, count = 0.0, 0.0, 0.0, 0.0
    for side in range(2):
        o = scene.pieces[p if side == 0 else q]
        for e in range(o.edge0, o.edge0 + o.edges):
            if scratch.edges[e].inside == scratch.pair.epoch:
                start, end = cut(scene, scratch, e, side == 0)
                if start > end:
                    continue
                s, t, h = 0.5 * (start + end), scene.edges[e].tail, scene.edges[e].head
                a, b, c = to_world(
                    state.poses,
                    o.body,
                    V[t, 0] + s * (V[h, 0] - V[t, 0]),
                    V[t, 1] + s * (V[h, 1] - V[t, 1]),
                    V[t, 2] + s * (V[h, 2] - V[t, 2]),
                )
                x, y, z, count = x + a, y + b, z + c, count + 1.0
    if count == 0.0:  # so shallow that the two methods disagree by rounding
        a, b = scratch.apart.point_p, scratch.apart.point_q
        x, y, z, count = a[0] + b[0], a[1] + b[1], a[2] + b[2], 2.0
    at = x / count, y / count, z / count
    append(state, (p, WHOLE, 0), (q, WHOLE, 0), 0, at, (nx, ny, nz), depth)


@kernel
def note_passing(scene, state, scratch):
    """Two pieces that are apart: into PASSED where they were fast and touched on the way; or, in
    contact at the last step, left another way than along the normal of this contact."""
    pair, passed = scratch.pair, state.passed
    p, q = pair.p, pair.q
    if not were_there(state, scene.pieces[p].body, scene.pieces[q].body):
        return
    way = motion_bound(scene, state, p, q)
    if not is_fast(scene, p, q, way):
        return
    if first_touch(scene, state, scratch, way, pair.end_old):
        k = state.step.passed
        state.step.passed = k + 1
        if k < passed.shape[0]:
            passed[k, 0], passed[k, 1] = p, q
