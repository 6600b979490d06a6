"""What proves a stretch free, noted for whoever asks for a certificate."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.layout import OUT_COLUMNS, SLACK
from standoff.paths.kernels import path_tables as p


@kernel
def prove(search, method, a, b, back, ahead):
    """Note which sides of this instant are free (those that are negative), by the distance in the
    answer, less its slack, and its direction. Counts on where the table is full."""
    proofs, header, out, now = search.proofs, search.header, search.answer, search.now
    for side in range(2):
        left = back if side == 0 else ahead
        if not left < 0.0:
            continue
        k = header.proofs_used
        header.proofs_used = k + 1
        if k >= len(proofs):
            continue
        proof = proofs[k]
        proof.piece, proof.at, proof.method = now.piece, now.t, method
        proof.start = now.t - now.half if side == 0 else now.t
        proof.end = now.t if side == 0 else now.t + now.half
        proof.a, proof.b = a, b
        proof.distance = out[0, p.DISTANCE] - out[0, SLACK]
        for e in range(3):
            proof.normal[e] = out[0, p.NORMAL + e]


@kernel
def prove_ball(cell, search, a, b, back, ahead):
    """Note what the balls prove, whose places are known."""
    one, other, out = search.centres[a], cell.balls[b], search.answer
    x, y, z = one.x - other.x, one.y - other.y, one.z - other.z
    if b < cell.counts.movers:
        second = search.centres[b]
        x, y, z = one.x - second.x, one.y - second.y, one.z - second.z
    apart = math.sqrt(x * x + y * y + z * z)
    out[0, p.DISTANCE], out[0, SLACK] = apart - cell.balls[a].radius - other.radius, 0.0
    out[0, p.NORMAL], out[0, p.NORMAL + 1], out[0, p.NORMAL + 2] = x / apart, y / apart, z / apart
    prove(search, p.BY_BALL, a, b, back, ahead)


@kernel
def prove_group(search, a, group):
    """Note that mover ``a`` does not reach the box ``group`` on either side."""
    out = search.answer
    for k in range(OUT_COLUMNS):
        out[0, k] = 0.0
    prove(search, p.BY_GROUP, a, group, -1.0, -1.0)
