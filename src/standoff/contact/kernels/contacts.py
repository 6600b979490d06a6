"""The table of contacts: one more, which of several at one point stays, which go on from the last
step.
"""

from __future__ import annotations

from standoff.compiled.jit import kernel
from standoff.contact.kernels.scene_tables import BALL

#: Two contacts nearer than CONTACT_MERGE whose normals differ by less than the square root of twice
#: this are one, [rad²].
CONTACT_MERGE_COSINE = 1e-12


@kernel
def append(state, a, b, kept, at, n, depth):
    """A contact of two features, each its piece, kind and number: world point, normal from b to a,
    depth. Returns its row. Where the table is full it is only counted, and the last row is written
    over: the caller makes room and begins anew."""
    rows = state.contacts.shape[0]
    k = min(state.step.contacts, rows - 1)
    state.step.contacts += 1
    contact = state.contacts[k]
    contact.a, contact.kind_a, contact.feature_a = a
    contact.b, contact.kind_b, contact.feature_b = b
    contact.kept, contact.left_out, contact.depth = kept, 0, depth
    point, normal = contact.point, contact.normal
    point[0], point[1], point[2] = at
    normal[0], normal[1], normal[2] = n
    return k


@kernel
def merge(state, first, next_, near):
    """Of contacts from ``first`` on that lie within ``near`` of each other and have the same normal
    one stays, the deepest, or of equals the first; the others are left out. Those before ``next_``
    are merged already."""
    contacts, count = state.contacts, state.step.contacts
    if count > contacts.shape[0]:
        return
    for k in range(next_, count):
        if contacts[k].left_out == 1:
            continue
        for o in range(first, k):
            if contacts[o].left_out == 0 and at_one_point(contacts[k], contacts[o], near):
                contacts[o if contacts[k].depth > contacts[o].depth else k].left_out = 1
                break


@kernel
def at_one_point(one, other, near):
    """Whether two contacts are within ``near`` of each other and have the same normal."""
    a, b, n, m = one.point, other.point, one.normal, other.normal
    return (
        abs(a[0] - b[0]) <= near
        and abs(a[1] - b[1]) <= near
        and abs(a[2] - b[2]) <= near
        and n[0] * m[0] + n[1] * m[1] + n[2] * m[2] >= 1.0 - CONTACT_MERGE_COSINE
    )


@kernel
def drop_left_out(state):
    """Takes the contacts that are left out from the table; the others keep their order."""
    contacts, end = state.contacts, 0
    for k in range(state.step.contacts):
        if contacts[k].left_out == 1:
            continue
        if end < k:
            contacts[end] = contacts[k]
        end += 1
    state.step.contacts = end


@kernel
def deepest(state, first):
    """The deepest contact from ``first`` on; -1 where there is none, or no room for it."""
    contacts, best, depth = state.contacts, -1, 0.0
    for k in range(first, min(state.step.contacts, contacts.shape[0])):
        if contacts[k].depth > depth:
            best, depth = k, contacts[k].depth
    return best


@kernel
def were_there(state, i, j):
    """Whether two bodies were both placed at the last step."""
    return state.was_there[i] == 1 and state.was_there[j] == 1


@kernel
def comes_before(scene, state, k, p, q):
    """Whether contact ``k`` of the last step belongs to a pair of pieces before (p, q): first by
    the bodies, then by the pieces."""
    pieces, old = scene.pieces, state.old[k]
    a, b, i, j = pieces[old.a].body, pieces[old.b].body, pieces[p].body, pieces[q].body
    if a != i:
        return a < i
    if b != j:
        return b < j
    if old.a != p:
        return old.a < p
    return old.b < q


@kernel
def end_of_pair(state, start, p, q):
    """Where the contacts of pieces ``p`` and ``q`` end that begin in row ``start`` of the last
    step's."""
    end = start
    while end < state.step.old and state.old[end].a == p and state.old[end].b == q:
        end += 1
    return end


@kernel
def find_old(state, start, end, kind_a, a, kind_b, b):
    """The contact of the last step with these features, from row ``start`` to before ``end``, which
    are those of one pair of pieces; or -1."""
    for k in range(start, end):
        old = state.old[k]
        same_a = old.kind_a == kind_a and old.feature_a == a
        if same_a and old.kind_b == kind_b and old.feature_b == b:
            return k
    return -1


@kernel
def same_earlier(state, k, start):
    """The contact of the last step with the features of contact ``k``, from ``start`` on, where the
    contacts of its two pieces begin; or -1. A ball has one contact with a piece, whatever it rolls
    onto."""
    new = state.contacts[k]
    end = end_of_pair(state, start, new.a, new.b)
    if end > start and (new.kind_a == BALL or new.kind_b == BALL):
        return start
    return find_old(state, start, end, new.kind_a, new.feature_a, new.kind_b, new.feature_b)
