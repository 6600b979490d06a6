"""The direction that parts two pieces: kept from the last step, the shortest way out, or another
where the bodies came from elsewhere or touch through other pieces already.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.contact.kernels.contacts import were_there
from standoff.contact.kernels.first_touch import (
    first_touch,
    is_fast,
    motion_bound,
    nearest,
    place_now,
    set_normal,
)
from standoff.contact.kernels.scene_tables import FACE, VERTEX
from standoff.contact.kernels.solids import alone, overlap_along
from standoff.geometry.narrowphase.bvh_walk import relative_pose
from standoff.geometry.narrowphase.rows import rotate, unrotate
from standoff.geometry.narrowphase.vectors import turn
from standoff.tolerances import CONTACT_CONE, CONTACT_SEAM, CONTACT_TOUCH

#: How many times as deep as contacts of the same two bodies a new pair of their pieces may be along
#: the normal of these and is parted that way, [-]: pieces side by side are as deep, but for how
#: far one stands out over the other.
CONTACT_STEP = 2.0


@kernel
def note_parted(scene, state, p, q, n0, n1, n2):
    """Keeps a direction along which two pieces are apart, in the frame of q, for the next step."""
    pair = p * scene.pieces.shape[0] + q
    row = state.parted[pair % state.parted.shape[0]]
    row.pair = pair
    row.x, row.y, row.z = n0, n1, n2


@kernel
def still_parted(scene, state, scratch, p, q):
    """Whether two pieces are surely apart along the direction kept, if any; REL is written."""
    one, other = scene.pieces[p], scene.pieces[q]
    pair = p * scene.pieces.shape[0] + q
    row = state.parted[pair % state.parted.shape[0]]
    if row.pair != pair:
        return False
    relative_pose(state.poses, other.body, state.poses, one.body, scratch.rel)
    depth = overlap_along(scene, scratch.rel, p, q, row.x, row.y, row.z)
    return depth < -CONTACT_TOUCH * (one.radius + other.radius)


@kernel
def old_direction(scene, state, pair):
    """The mean normal of the contacts of the last step, weighted by how deep they were, as a world
    direction of any length: faces look where they look now."""
    X, planes, p, q = state.poses, scene.planes, scene.pieces[pair.p], scene.pieces[pair.q]
    x, y, z = 0.0, 0.0, 0.0
    for k in range(pair.first_old, pair.end_old):
        old = state.old[k]
        a, b, c = old.normal[0], old.normal[1], old.normal[2]
        if old.kind_a == VERTEX and old.kind_b == FACE:
            n = planes[q.face0 + old.feature_b]
            a, b, c = rotate(X, q.body, n.x, n.y, n.z)
        elif old.kind_a == FACE and old.kind_b == VERTEX:
            n = planes[p.face0 + old.feature_a]
            a, b, c = rotate(X, p.body, -n.x, -n.y, -n.z)
        x += old.depth * a
        y += old.depth * b
        z += old.depth * c
    return x, y, z


@kernel
def new_direction(scene, state, scratch):
    """A direction that parts two overlapping pieces, as the world normal of APART; false where they
    only touch. It is the shortest way, where that is the side they came from: where they were apart
    along it at the last step, and, if they were fast, it has a part along the normal at the first
    touch. Otherwise it is that normal."""
    pair, apart = scratch.pair, scratch.apart
    p, q, A = pair.p, pair.q, state.before
    i, j = scene.pieces[p].body, scene.pieces[q].body
    place_now(scene, state, scratch, p)
    place_now(scene, state, scratch, q)
    nearest(state, scratch, p, q)
    nx, ny, nz = apart.normal[0], apart.normal[1], apart.normal[2]
    if apart.distance >= 0.0:
        x, y, z = unrotate(state.poses, j, nx, ny, nz)
        note_parted(scene, state, p, q, x, y, z)
        return False
    is_new = pair.first_old == pair.end_old
    if not is_new or state.step.continuous == 0 or not were_there(state, i, j):
        return True
    relative_pose(A, j, A, i, scratch.rel)
    x, y, z = unrotate(A, j, nx, ny, nz)
    behind = overlap_along(scene, scratch.rel, p, q, x, y, z) > 0.0
    way = motion_bound(scene, state, p, q)
    if behind or is_fast(scene, p, q, way):
        touched = way > 0.0 and first_touch(scene, state, scratch, way, pair.first_old)
        along = nx * apart.normal[0] + ny * apart.normal[1] + nz * apart.normal[2]
        if not touched or (not behind and along > CONTACT_CONE):
            set_normal(scratch, nx, ny, nz)
    return True


@kernel
def beside_others(scene, state, scratch):
    """For two pieces that overlap and did not at the last step, with the direction that parts them
    in APART: another one, where their bodies are in contact through other pieces already, or where
    it would lead through a face that a piece of the same body covers.

    A box that slides over the seam of two tiles comes to the second tile from the side. But it is
    no deeper below its top than below that of the first: so it goes on being pushed upwards."""
    p, q, n = scratch.pair.p, scratch.pair.q, scratch.apart.normal
    if alone(scene, p) and alone(scene, q):
        return
    if along_others(scene, state, scratch):
        return
    if through_covered(scene, state, p, q, n[0], n[1], n[2]):
        through_open(scene, state, scratch, p, q)


@kernel
def along_others(scene, state, scratch):
    """Whether the bodies of two pieces are in contact through others, and one of these contacts has
    the direction in APART already, or one along which the pieces are at most CONTACT_STEP times as
    deep as it: then that is in APART. Contacts of this step, or of the last."""
    pair, out, pieces = scratch.pair, scratch.apart.normal, scene.pieces
    i, j = pieces[pair.p].body, pieces[pair.q].body
    least = math.inf
    b0, b1, b2 = 0.0, 0.0, 0.0
    k, end = pair.body_first, min(state.step.contacts, state.contacts.shape[0])
    while k < end + state.step.old - pair.body_old:
        contact = state.contacts[k] if k < end else state.old[pair.body_old + k - end]
        if pieces[contact.a].body != i or pieces[contact.b].body != j:
            break
        k += 1
        n = contact.normal
        if n[0] * out[0] + n[1] * out[1] + n[2] * out[2] >= 1.0 - CONTACT_SEAM:
            return True
        x, y, z = unrotate(state.poses, j, n[0], n[1], n[2])
        overlap = overlap_along(scene, scratch.rel, pair.p, pair.q, x, y, z)
        if 0.0 < overlap <= CONTACT_STEP * contact.depth and overlap < least:
            least = overlap
            b0, b1, b2 = n[0], n[1], n[2]
    if least < math.inf:
        set_normal(scratch, b0, b1, b2)
        return True
    return False


@kernel
def through_covered(scene, state, p, q, nx, ny, nz):
    """Whether a world direction from q to p leads through a covered face of either piece."""
    planes, covered = scene.planes, scene.covered
    for side in range(2):
        o, sign = (scene.pieces[p], -1.0) if side == 0 else (scene.pieces[q], 1.0)
        x, y, z = unrotate(state.poses, o.body, sign * nx, sign * ny, sign * nz)
        for f in range(o.face0, o.face0 + o.faces):
            along = planes[f].x * x + planes[f].y * y + planes[f].z * z
            if covered[f] == 1 and along >= 1.0 - CONTACT_SEAM:
                return True
    return False


@kernel
def through_open(scene, state, scratch, p, q):
    """The shortest way to part two pieces through a face that is not covered, into APART; where all
    are, it stays as it is."""
    rel, body, least = scratch.rel, scene.pieces[q].body, math.inf
    for side in range(2):
        o = scene.pieces[p if side == 0 else q]
        for f in range(o.face0, o.face0 + o.faces):
            if scene.covered[f] == 1:
                continue
            n = scene.planes[f]
            x, y, z = n.x, n.y, n.z
            if side == 0:
                x, y, z = turn(rel, -x, -y, -z)
            overlap = overlap_along(scene, rel, p, q, x, y, z)
            x, y, z = rotate(state.poses, body, x, y, z)
            if overlap < least and not through_covered(scene, state, p, q, x, y, z):
                least = overlap
                set_normal(scratch, x, y, z)
