"""Notes of what proves a stretch free, for whoever asks for a certificate."""

from __future__ import annotations

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import kernel
from standoff.kernels.layout import SLACK
from standoff.kernels.paths import layout as p


@kernel
def prove(SF, SW, piece, t, h, back, ahead, method, a, b, row):
    """Note which sides of the instant ``t`` are free (those that are negative); ``row`` of S_OUT
    has the distance, of which the slack is taken off, and the direction. Counts on where the table
    is full."""
    proofs, header, out = (
        reals(SF, SW, p.S_PROOFS), wholes(SW, p.S_HEADER), reals(SF, SW, p.S_OUT)
    )  # fmt: skip
    for side in range(2):
        left = back if side == 0 else ahead
        if not left < 0.0:
            continue
        k = header[0, p.PROOFS_USED]
        header[0, p.PROOFS_USED] = k + 1
        if k >= proofs.shape[0]:
            continue
        proofs[k, 0] = piece
        proofs[k, 1] = t - h if side == 0 else t
        proofs[k, 2] = t if side == 0 else t + h
        proofs[k, 3], proofs[k, 4] = t, method
        proofs[k, 5], proofs[k, 6] = a, b
        proofs[k, 7] = out[row, 0] - out[row, SLACK]
        proofs[k, 8], proofs[k, 9], proofs[k, 10] = out[row, 7], out[row, 8], out[row, 9]


@kernel
def prove_ball(CF, CW, SF, SW, piece, t, h, back, ahead, a, b, apart, x, y, z):
    """Note what the balls prove; (x, y, z) is the way from b's centre to a's, ``apart`` long."""
    balls, out = reals(CF, CW, p.C_BALLS), reals(SF, SW, p.S_OUT)
    out[1, 0], out[1, SLACK] = apart - balls[a, 3] - balls[b, 3], 0.0
    out[1, 7], out[1, 8], out[1, 9] = x / apart, y / apart, z / apart
    prove(SF, SW, piece, t, h, back, ahead, p.BY_BALL, a, b, 1)


@kernel
def prove_group(SF, SW, piece, t, h, a, group):
    """Note that mover ``a`` does not reach the box ``group`` on either side."""
    out = reals(SF, SW, p.S_OUT)
    out[1, 0] = out[1, SLACK] = out[1, 7] = out[1, 8] = out[1, 9] = 0.0
    prove(SF, SW, piece, t, h, -1.0, -1.0, p.BY_GROUP, a, group, 1)
