"""Which bodies may touch: naive, grid, N-objects and region octree behind one small protocol."""

from standoff.broadphase.grid import Grid
from standoff.broadphase.index import Index, IndexFigures
from standoff.broadphase.naive import Naive
from standoff.broadphase.octree import Octree
from standoff.broadphase.region_octree import Region

__all__ = ["Grid", "Index", "IndexFigures", "Naive", "Octree", "Region"]
