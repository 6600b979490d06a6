"""Many shapes in one table, as kernels take them; see `geometry.narrowphase.layout`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from standoff.geometry.narrowphase import layout
from standoff.geometry.pose import Array
from standoff.geometry.shape import EMPTY, Geometry, IntArray, Shape


def pack(shapes: Sequence[Shape]) -> tuple[Array, IntArray, Geometry]:
    """Rows (poses left 0), refs and the joint geometry of the shapes.

    A shape that occurs several times (the same object) has its points and trees stored once.
    """
    rows = np.zeros((len(shapes), layout.ROW_COLUMNS))
    refs = np.zeros((len(shapes), layout.REF_COLUMNS), dtype=np.int64)
    parts: list[Geometry] = []
    first = [0, 0, 0, 0]  # points, faces, nodes, ints so far
    known: dict[int, list[int]] = {}
    columns: list[list[int]] = []
    for shape in shapes:
        if id(shape) not in known:
            known[id(shape)] = _ref(shape, first)
            if shape.geometry is not EMPTY:
                parts.append(shape.geometry)
                first = [a + b for a, b in zip(first, _counts(shape.geometry))]
        columns.append(known[id(shape)])
    if shapes:
        rows[:, layout.SIZE :] = [shape.size_row for shape in shapes]
        refs[:] = columns
    if not parts:
        return rows, refs, EMPTY
    return (
        rows,
        refs,
        Geometry(
            np.concatenate([p.points for p in parts]),
            np.concatenate([p.faces for p in parts]),
            np.concatenate([p.nodes for p in parts]),
            np.concatenate([p.ints for p in parts]),
        ),
    )


def _counts(geometry: Geometry) -> list[int]:
    return [len(p) for p in (geometry.points, geometry.faces, geometry.nodes, geometry.ints)]


def _ref(shape: Shape, first: list[int]) -> list[int]:
    """The columns of `geometry.narrowphase.layout`, in their order."""
    points, faces, nodes, ints = first
    sizes = len(shape.geometry.points), len(shape.geometry.faces)
    return [shape.kind, points, sizes[0], faces, sizes[1], nodes, ints, shape.flags]
