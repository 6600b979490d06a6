"""Which bodies may touch: naive, grid and N-objects octree behind one small protocol."""

from standoff.index.grid import Grid
from standoff.index.index import Index, IndexFigures
from standoff.index.naive import Naive
from standoff.index.octree import Octree

__all__ = ["Grid", "Index", "IndexFigures", "Naive", "Octree"]
