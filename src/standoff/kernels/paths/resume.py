"""Open intervals that go on where an earlier search left them."""

from __future__ import annotations

from standoff.kernels.arena import wholes
from standoff.kernels.jit import entry
from standoff.kernels.paths import layout as p
from standoff.kernels.paths.heap import push_node, requeue


@entry("void(float64[::1], int64[::1], int64, float64[:, ::1], int64[:, ::1], int64[::1])")
def put_back(SF, SW, piece, spans, lists, codes):
    """Put nodes back on the heap of a piece: ``spans`` (n, 3) as S_NODES, ``lists`` (n, 2) how many
    pairs each has and how many of them are with statics, ``codes`` the pairs of all, one after
    another. A node with a count of -1 is fresh. There is room for all."""
    pool, header = wholes(SW, p.S_POOL), wholes(SW, p.S_HEADER)
    taken = 0
    for n in range(spans.shape[0]):
        first, count = header[0, p.POOL_USED], lists[n, 0]
        if count < 0:
            first, count = -1, 0
        for e in range(count):
            pool[first + e, 0] = codes[taken + e]
        taken += count
        header[0, p.POOL_USED] += count
        push_node(
            SF, SW, piece, spans[n, p.START], spans[n, p.END], spans[n, p.PRESSING],
            first, count, lists[n, 1],
        )  # fmt: skip
    requeue(SF, SW, piece)
