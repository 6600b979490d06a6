"""The worst pair at an instant: where two primitives are too close, others may overlap."""

from __future__ import annotations

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import kernel
from standoff.kernels.layout import KIND, MESH, SLACK
from standoff.kernels.pairs.dispatch import DONE
from standoff.kernels.paths import layout as p
from standoff.kernels.paths.links import links_of
from standoff.kernels.paths.pair import keep_result, measure
from standoff.kernels.paths.statics import packed, skipped


@kernel
def note_worst(general, CF, CW, SF, SW, piece, t, first, count):
    """Measure all pairs of the pool from ``first`` on at the instant that everything is placed at,
    and keep in S_RESULT, which has one that is too close, the first that overlaps, or else the
    nearest. A pair that is not there is proved free at this instant."""
    pool, links, movers = wholes(SW, p.S_POOL), wholes(CW, p.C_LINKS), wholes(CW, p.C_MOVERS)
    for e in range(first, first + count):
        code = pool[e, 0]
        if code < 0:
            begin, end, _ = links_of(CW, code)
            for k in range(begin, end):
                clearance = reals(CF, CW, p.C_LINK_CLEARANCE)[k, 0]
                a, b = links[k, 0], links[k, 1]
                note_if_worse(general, CF, CW, SF, SW, piece, t, a, b, clearance)
            continue
        a, b = packed(code)
        clearance = reals(CF, CW, p.C_SETTINGS)[0, p.CLEARANCE]
        for k in range(movers[a, p.MEMBER0], movers[a, p.MEMBERS]):
            if not skipped(CW, k, b):
                note_if_worse(general, CF, CW, SF, SW, piece, t, k, b, clearance)


@kernel
def note_if_worse(general, CF, CW, SF, SW, piece, t, a, b, clearance):
    """Measure a pair and keep it where it overlaps and nothing else does, or is nearer."""
    refs, out, result = wholes(CW, p.C_REFS), reals(SF, SW, p.S_OUT), reals(SF, SW, p.S_RESULT)
    if result[0, p.KIND] == p.CONTACT or measure(general, CF, CW, SF, SW, a, b) != DONE:
        return
    d, slack = out[0, 0], out[0, SLACK]
    meshed = refs[a, KIND] == MESH or refs[b, KIND] == MESH
    kind = p.NOTHING
    if d + slack < min(clearance, 0.0) or (meshed and d <= 0.0):
        kind = p.CONTACT
    else:
        nearer = d - clearance < result[0, p.DISTANCE] - result[0, p.REQUIRED]
        if nearer and d + slack < clearance + reals(CF, CW, p.C_SETTINGS)[0, p.TOLERANCE]:
            kind = p.NEAR
    if kind != p.NOTHING:
        keep_result(SF, SW, kind, piece, t, a, b)
        result[0, p.REQUIRED] = clearance
