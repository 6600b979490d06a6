"""Which teams of links a piece need not look at: it passes through no cell of their map where they
may come too close. Maps are made by `paths.joint_maps`.

A piece stays in a box of joint values. How many marked cells that box meets is told by the sums
``N`` of marked cells before each corner: for two joints ``N(b, d) - N(a, d) - N(b, c) + N(a, c)``.
"""

from __future__ import annotations

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import kernel
from standoff.kernels.paths import layout as p


@kernel
def settle_teams(CF, CW, SF, SW):
    """Set S_SETTLED for the present piece, unless that is done."""
    header = wholes(SW, p.S_HEADER)
    if header[0, p.SETTLED] != 0:
        return
    header[0, p.SETTLED] = 1
    joints, ranges, settled = (
        reals(SF, SW, p.S_JOINTS), reals(CF, CW, p.C_RANGES), wholes(SW, p.S_SETTLED)
    )  # fmt: skip
    within = True
    for j in range(joints.shape[1]):
        within &= joints[p.LOW, j] >= ranges[0, j] and joints[p.HIGH, j] <= ranges[1, j]
    for team in range(settled.shape[1]):
        settled[0, team] = 0
    if not within:
        return
    for team in range(wholes(CW, p.C_COUNTS)[0, p.UNMAPPED], settled.shape[1]):
        settled[0, team] = 1
    maps = wholes(CW, p.C_MAPS)
    for m in range(maps.shape[0]):
        settled[0, maps[m, p.TEAM]] = int(marked_cells(CF, CW, SF, SW, m) == 0)


@kernel
def marked_cells(CF, CW, SF, SW, m):
    """How many marked cells of a map the piece may pass through."""
    joints, scales = reals(SF, SW, p.S_JOINTS), reals(CF, CW, p.C_SCALES)
    maps, sums, ends = wholes(CW, p.C_MAPS), wholes(CW, p.C_SUMS), wholes(SW, p.S_CORNERS)
    count, side = maps[m, p.MAPPED], maps[m, p.SIDE]
    for i in range(count):
        j, lower, scale = maps[m, p.JOINT0 + i], scales[m, 2 * i], scales[m, 2 * i + 1]
        first, last = (
            int((joints[p.LOW, j] - lower) * scale),
            int((joints[p.HIGH, j] - lower) * scale),
        )
        # What is beyond by no more than rounding counts as the first cell, or the last.
        ends[0, i], ends[1, i] = min(max(first, 0), side - 1), min(max(last, 0), side - 1) + 1
    total = 0
    for corner in range(1 << count):
        at, sign = 0, 1
        for i in range(count):
            upper = (corner >> i) & 1
            at = at * (side + 1) + ends[upper, i]
            sign = sign if upper else -sign
        total += sign * sums[0, maps[m, p.SUM0] + at]
    return total
