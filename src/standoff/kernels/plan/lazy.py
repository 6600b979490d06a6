"""The test of a path of the roadmap: all its edges in one queue, the likeliest to collide first.

The queue is that of `kernels.paths.heap`. Edges that another path has left half proved go on where
they were; what is open of an edge when a path is given up stays with the edge.
"""

from __future__ import annotations

import math

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import kernel
from standoff.kernels.paths import layout as p
from standoff.kernels.paths.heap import push_node, requeue
from standoff.kernels.plan import roadmap as m


@kernel
def begin_path(MW, TF, TW):
    """Put the edges of M_PATH that are not proved into the queue; False where there is no room."""
    header, path, edges = wholes(MW, m.M_HEADER), wholes(MW, m.M_PATH), wholes(MW, m.M_EDGES)
    head, count = wholes(TW, p.S_HEADER), header[0, m.LENGTH]
    if head[0, p.NODES_USED] + count > reals(TF, TW, p.S_NODES).shape[0]:
        return False
    for k in range(count):
        e = path[0, k]
        if edges[0, e] == m.UNTESTED:
            push_node(TF, TW, e, 0.0, 1.0, math.inf, -1, 0, 0)
            edges[0, e] = m.BEGUN
            header[0, m.CHECKED] += 1
        if edges[0, e] == m.BEGUN:
            requeue(TF, TW, e)
    head[0, p.LOADED] = -1
    reals(TF, TW, p.S_RESULT)[0, p.KIND] = p.NOTHING
    header[0, m.STARTED] = head[0, p.DISTANCES] + head[0, p.INTERVALS]
    header[0, m.TESTED] += 1
    return True


@kernel
def end_path(MW, TF, TW):
    """Take what is left out of the queue, and note which edges are proved."""
    header, path, edges = wholes(MW, m.M_HEADER), wholes(MW, m.M_PATH), wholes(MW, m.M_EDGES)
    pieces = wholes(TW, p.S_PIECES)
    for k in range(header[0, m.LENGTH]):
        e = path[0, k]
        pieces[e, p.PLACE] = -1
        if pieces[e, p.ROOT] < 0:
            edges[0, e] = m.PROVED
    wholes(TW, p.S_HEADER)[0, p.QUEUED] = 0
