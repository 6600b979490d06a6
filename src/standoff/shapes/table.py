"""Many shapes in one table, as kernels take them; see `kernels.layout`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from standoff.kernels import layout
from standoff.shapes.pose import Array
from standoff.shapes.shape import EMPTY, Geometry, IntArray, Shape


def pack(shapes: Sequence[Shape]) -> tuple[Array, IntArray, Geometry]:
    """Rows (poses left 0), refs and the joint geometry of the shapes.

    A shape that occurs several times (the same object) has its points and trees stored once.
    """
    rows = np.zeros((len(shapes), layout.ROW_COLUMNS))
    refs = np.zeros((len(shapes), layout.REF_COLUMNS), dtype=np.int64)
    parts: list[Geometry] = []
    first = np.zeros(4, dtype=np.int64)  # points, faces, nodes, ints so far
    known: dict[int, IntArray] = {}
    for i, shape in enumerate(shapes):
        rows[i, layout.SIZE :] = shape.size_row
        if id(shape) not in known:
            known[id(shape)] = _ref(shape, first)
            if shape.geometry is not EMPTY:
                parts.append(shape.geometry)
                first = first + _counts(shape.geometry)
        refs[i] = known[id(shape)]
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


def _counts(geometry: Geometry) -> IntArray:
    parts = (geometry.points, geometry.faces, geometry.nodes, geometry.ints)
    return np.array([len(part) for part in parts], dtype=np.int64)


def _ref(shape: Shape, first: IntArray) -> IntArray:
    ref = np.zeros(layout.REF_COLUMNS, dtype=np.int64)
    ref[layout.KIND] = shape.kind
    ref[layout.POINT0], ref[layout.FACE0], ref[layout.NODE0], ref[layout.INT0] = first
    ref[layout.POINTS] = len(shape.geometry.points)
    ref[layout.FACES] = len(shape.geometry.faces)
    ref[layout.FLAGS] = shape.flags
    return ref
