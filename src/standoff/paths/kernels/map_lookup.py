"""Which sphere pairs a piece need not look at: it passes through no cell of their joint map where
they may come too close. Maps are made by `paths.joint_maps`.

A piece stays in a box of joint values. How many marked cells that box meets follows from the sums
``N`` of marked cells before each corner: for two joints ``N(b, d) - N(a, d) - N(b, c) + N(a, c)``.
"""

from __future__ import annotations

from standoff.compiled.jit import kernel


@kernel
def settle_sphere_pairs(cell, search):
    """Set `Search.settled` for the present piece, unless that is done."""
    header, settled, maps = search.header, search.settled, cell.maps
    if header.settled != 0:
        return
    header.settled = 1
    low, high = search.low, search.high
    within = True
    for j in range(len(low)):
        within &= low[j] >= cell.map_low[j] and high[j] <= cell.map_high[j]
    for k in range(len(settled)):
        settled[k] = 0
    if not within:
        return
    for k in range(cell.counts.unmapped, len(settled)):
        settled[k] = 1
    for m in range(len(maps)):
        settled[maps[m].pair] = int(marked_cells(cell, search, m) == 0)


@kernel
def marked_cells(cell, search, m):
    """How many marked cells of a map the piece may pass through."""
    here, sums, first_cell, past_cell = cell.maps[m], cell.sums, search.first_cell, search.past_cell
    count, side = here.mapped, here.side
    for i in range(count):
        j, lower, scale = here.joints[i], here.low[i], here.scale[i]
        first = int((search.low[j] - lower) * scale)
        last = int((search.high[j] - lower) * scale)
        # What is beyond by no more than rounding counts as the first cell, or the last.
        first_cell[i] = min(max(first, 0), side - 1)
        past_cell[i] = min(max(last, 0), side - 1) + 1
    total = 0
    for corner in range(1 << count):
        at, sign = 0, 1
        for i in range(count):
            upper = (corner >> i) & 1
            at = at * (side + 1) + (past_cell[i] if upper else first_cell[i])
            sign = sign if upper else -sign
        total += sign * sums[here.first_sum + at]
    return total
