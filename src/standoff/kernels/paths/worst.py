"""The worst pair at an instant: where two primitives are too close, others may overlap."""

from __future__ import annotations

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import kernel
from standoff.kernels.layout import KIND, MESH, SLACK
from standoff.kernels.pairs.dispatch import DONE
from standoff.kernels.paths import layout as p
from standoff.kernels.paths.pair import keep_result, measure
from standoff.kernels.paths.statics import PACK


@kernel
def note_worst(general, CF, CW, SF, SW, piece, t, first, count):
    """Measure all pairs of the pool from ``first`` on at the instant that everything is placed at,
    and keep in S_RESULT, which has one that is too close, the first that overlaps, or else the
    nearest. A pair that is not there is proved free at this instant."""
    pool, links, refs = wholes(SW, p.S_POOL), wholes(CW, p.C_LINKS), wholes(CW, p.C_REFS)
    out, result = reals(SF, SW, p.S_OUT), reals(SF, SW, p.S_RESULT)
    for e in range(first, first + count):
        code = pool[e, 0]
        if code >= 0:
            a, b = code // PACK, code % PACK
            clearance = reals(CF, CW, p.C_SETTINGS)[0, p.CLEARANCE]
        else:
            a, b = links[-1 - code, 0], links[-1 - code, 1]
            clearance = reals(CF, CW, p.C_LINK_CLEARANCE)[-1 - code, 0]
        if measure(general, CF, CW, SF, SW, a, b) != DONE:
            continue
        d, slack = out[0, 0], out[0, SLACK]
        meshed = refs[a, KIND] == MESH or refs[b, KIND] == MESH
        if d + slack < min(clearance, 0.0) or (meshed and d <= 0.0):
            keep_result(SF, SW, p.CONTACT, piece, t, a, b)
            return
        near = d - clearance < result[0, p.DISTANCE] - result[0, p.REQUIRED]
        if near and d + slack < clearance + reals(CF, CW, p.C_SETTINGS)[0, p.TOLERANCE]:
            keep_result(SF, SW, p.NEAR, piece, t, a, b)
            result[0, p.REQUIRED] = clearance
