"""Which faces of a surface have to be turned for neighbours to agree about the outside."""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel


@entry("int64(int64[:, ::1], int64[::1], int64[::1])")
def agree_on_sides(pairs, part, side):
    """Faces that share edges, brought to one side each; returns how many edges cannot be agreed on.

    A row of ``pairs`` is two faces with an edge in common and 1 where exactly one of them has to be
    turned, 0 where both or neither. Written are, for each face, the least face of its connected
    ``part`` and its ``side``: 1 where it has to be turned for the part to be as that face is.

    A union-find whose links carry a parity: ``side`` is that of a face against its link.
    """
    for f in range(len(part)):
        part[f] = f
        side[f] = 0
    refused = 0
    for i in range(len(pairs)):
        a, b = pairs[i, 0], pairs[i, 1]
        _shorten(part, side, a)
        _shorten(part, side, b)
        odd = side[a] ^ side[b] ^ pairs[i, 2]
        a, b = part[a], part[b]
        if a == b:
            refused += odd
        elif a < b:
            part[b] = a
            side[b] = odd
        else:
            part[a] = b
            side[a] = odd
    for f in range(len(part)):
        _shorten(part, side, f)
    return refused


@kernel
def _shorten(part, side, f):
    """Link ``f``, and all on its way, straight to the root."""
    root = f
    odd = 0
    while part[root] != root:
        odd ^= side[root]
        root = part[root]
    while part[f] != root and f != root:
        link, step = part[f], side[f]
        part[f] = root
        side[f] = odd
        odd ^= step
        f = link
