"""Bodies as kernels take them; `geometry.narrowphase.layout` says what the columns mean.

A pair kernel is given each body as a set of `Bodies` and a row of it. Two sets may share their
`Solids`: what stands still and what moves have rows of their own and the same geometry.
"""

from __future__ import annotations

from standoff.compiled.tables import ANY, Nested, Reals, Tables, Wholes, viewer
from standoff.geometry.narrowphase.layout import REF_COLUMNS, ROW_COLUMNS
from standoff.geometry.narrowphase.rss import NODE_COLUMNS


class Solids(Tables):
    """Geometry of polyhedra and meshes, each in its own frame."""

    points = Reals(ANY, "vertices, [m]; four columns for points in groups, see `support`")
    faces = Wholes(3, "counted from the first point of their body")
    nodes = Reals(NODE_COLUMNS, "bounding volumes of trees")
    ints = Wholes(doc="children of the nodes, then what else a kind keeps")


class Bodies(Tables):
    """Placed bodies, a row each."""

    rows = Reals(ROW_COLUMNS, "pose and size")
    refs = Wholes(REF_COLUMNS, "kind, and where in the solids its geometry is")
    solids = Nested(Solids)


class PairScratch(Tables):
    """Room that any one pair needs; `dispatch.pair_scratch` makes it."""

    work = Reals()
    iwork = Wholes()


bodies_at = viewer(Bodies)
scratch_at = viewer(PairScratch)
