"""One pair at one instant between two readings: where both stand, and how far apart."""

from __future__ import annotations

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import kernel
from standoff.kernels.kinematics import place_frames
from standoff.kernels.layout import REF_COLUMNS, ROW_COLUMNS
from standoff.kernels.monitor import layout as m
from standoff.kernels.monitor.way import place_row, turn_row
from standoff.kernels.pairs.dispatch import closed_form
from standoff.kernels.pairs.general import general_pair


@kernel
def measure(general, F, W, rows, refs, a, b, out, k):
    """Row ``k`` of ``out``: the distance of rows ``a`` and ``b``."""
    points = reals(F, W, m.T_POINTS)
    if closed_form(rows, refs, a, points, rows, refs, b, points, out, k):
        return
    faces, solids, ints = wholes(W, m.T_FACES), reals(F, W, m.T_SOLIDS), wholes(W, m.T_INTS)
    work, iwork = reals(F, W, m.T_WORK), wholes(W, m.T_IWORK)
    general_pair(
        general, rows, refs, a, points, faces, solids, ints.reshape(ints.size),
        rows, refs, b, points, faces, solids, ints.reshape(ints.size),
        work.reshape(work.size), iwork.reshape(iwork.size), out, k,
    )  # fmt: skip


@kernel
def take_two(rows, refs, a, b, two, two_refs):
    """Make a table of the pair alone: what they are, and where they are now."""
    for c in range(ROW_COLUMNS):
        two[0, c], two[1, c] = rows[a, c], rows[b, c]
    for c in range(REF_COLUMNS):
        two_refs[0, c], two_refs[1, c] = refs[a, c], refs[b, c]


@kernel
def place_two(F, W, a, b, t):
    """Both at instant ``t`` (0 the last reading; not 1), into ``two``."""
    start, two, movers = reals(F, W, m.T_START), reals(F, W, m.T_TWO), wholes(W, m.T_COUNTS)
    for k in range(2):
        i = a if k == 0 else b
        if i >= movers[0, m.MOVERS]:
            continue
        if t == 0.0:
            for c in range(12):
                two[k, c] = start[i, c]
        elif wholes(W, m.T_FRAME)[i, 0] < movers[0, m.TREE_FRAMES]:
            place_tree(F, W, t)
            f, local = wholes(W, m.T_FRAME)[i, 0], reals(F, W, m.T_LOCAL)
            place_row(reals(F, W, m.T_AT_FRAMES), f, local, i, two, k)
        else:
            sway, rows = reals(F, W, m.T_SWAY), reals(F, W, m.T_ROWS)
            x, y, z = sway[i, m.AXIS], sway[i, m.AXIS + 1], sway[i, m.AXIS + 2]
            turn_row(start, i, x, y, z, t * sway[i, m.ANGLE], two, k)
            for c in range(3, 12, 4):
                two[k, c] = start[i, c] + t * (rows[i, c] - start[i, c])


@kernel
def place_tree(F, W, t):
    """The tree at instant ``t``, unless that is where it stands."""
    scales, way = reals(F, W, m.T_SCALES), reals(F, W, m.T_WAY)
    if scales[0, m.INSTANT] == t:
        return
    for j in range(way.shape[1]):
        way[m.AT, j] = way[m.FROM, j] + t * (way[m.TO, j] - way[m.FROM, j])
    flat, frames = way.reshape(way.size), reals(F, W, m.T_AT_FRAMES)
    place_frames(
        reals(F, W, m.T_TREE), wholes(W, m.T_LINKAGE), flat, flat, m.AT * way.shape[1],
        reals(F, W, m.T_TURNS), frames, frames, 0, False,
    )  # fmt: skip
    scales[0, m.INSTANT] = t


@kernel
def note_stop(stops, k, t, two, frames, c):
    """Stop ``k``: the instant, where both stand, and how the frame ``c`` that carries both is
    turned; the row of results is for `measure`."""
    stops[k, m.TIME] = t
    for r in range(3):
        for column in range(3):
            stops[k, m.TURN + 3 * r + column] = frames[c, 4 * r + column]
    for e in range(12):
        stops[k, m.POSE_A + e] = two[0, e]
        stops[k, m.POSE_B + e] = two[1, e]
