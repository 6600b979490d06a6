"""Which bodies may touch: naive, grid, N-objects and region octree behind one small protocol."""

from standoff.index.grid import Grid
from standoff.index.index import Index, IndexFigures
from standoff.index.naive import Naive
from standoff.index.octree import Octree
from standoff.index.region import Region

__all__ = ["Grid", "Index", "IndexFigures", "Naive", "Octree", "Region"]
