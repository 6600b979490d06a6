"""Where the greedy distance keeps what it works on: offsets into ``work`` and ``iwork``.

It begins with the places of the exact mesh distance (`pairs.mesh_work`), so that one pair of
arrays serves both, and adds the front: the pairs that are known to be farther than asked for.
"""

from __future__ import annotations

from standoff.kernels.pairs.mesh_work import MESH_IWORK, MESH_WORK

#: Pairs kept on the front. One walk in a hundred leaves more; those beyond are not refined.
FRONT_PAIRS = 256

#: Lower bounds of the pairs on the front, a heap with the least first.
FRONT = MESH_WORK
GREEDY_WORK = FRONT + FRONT_PAIRS

#: The pairs themselves, three numbers each; see `greedy_front`.
IFRONT = MESH_IWORK
#: How many pairs of volumes, and of triangles, the last call has tested.
VISITS = IFRONT + 3 * FRONT_PAIRS
GREEDY_IWORK = VISITS + 2
