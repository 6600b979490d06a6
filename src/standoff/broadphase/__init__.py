"""The broad phase, which bodies may touch: octrees, grid and naive behind one small protocol.

`Octree`, `RegionOctree`, `Grid` and `Naive` say which index and how; ``build`` makes an `Index`.
"""

from standoff.broadphase.index import Index, IndexFigures
from standoff.broadphase.kinds import Grid, IndexKind, Naive, Octree, RegionOctree

__all__ = ["Grid", "Index", "IndexFigures", "IndexKind", "Naive", "Octree", "RegionOctree"]
