"""Faces of a piece that another piece of the same body lies on: they are inside the body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from standoff.constants import CONTACT_SEAM
from standoff.contact.features import Features
from standoff.contact.pieces import Ball, Piece
from standoff.shapes.pose import Array

BoolArray = NDArray[np.bool_]


def covered_faces(pieces: Sequence[Piece], radius: float) -> tuple[BoolArray, ...]:
    """By piece, and by face of it, whether one other piece holds all its corners, within
    ``CONTACT_SEAM`` of the body's radius, and goes on beyond it. Empty for a sphere."""
    near = CONTACT_SEAM * radius
    boxes = np.array([_bounds(piece) for piece in pieces])
    result = []
    for number, piece in enumerate(pieces):
        faces = np.zeros(len(piece.planes) if isinstance(piece, Features) else 0, dtype=np.bool_)
        result.append(faces)
        if not isinstance(piece, Features) or len(pieces) == 1:
            continue
        meets = (boxes[:, 0] <= boxes[number, 1] + near) & (boxes[number, 0] <= boxes[:, 1] + near)
        for other in np.flatnonzero(meets.all(axis=1)).tolist():
            if other != number:
                faces |= _covers(pieces[other], piece, near)
    return tuple(result)


def _bounds(piece: Piece) -> Array:
    """Lower and upper corner, (2, 3)."""
    if isinstance(piece, Ball):
        return np.array([piece.centre - piece.radius, piece.centre + piece.radius])
    return np.array([piece.vertices.min(axis=0), piece.vertices.max(axis=0)])


def _covers(other: Piece, piece: Features, near: float) -> BoolArray:
    """By face of ``piece``, whether ``other`` holds its corners and goes on beyond it."""
    normals, offsets = piece.planes[:, :3], piece.planes[:, 3]
    if isinstance(other, Ball):
        held = np.linalg.norm(piece.vertices - other.centre, axis=1) <= other.radius + near
        top = normals @ other.centre + other.radius
    else:
        heights = piece.vertices @ other.planes[:, :3].T - other.planes[:, 3]
        held = heights.max(axis=1) <= near
        top = (normals @ other.vertices.T).max(axis=1)
    whole = np.array([bool(held[ring].all()) for ring in piece.loops])
    result: BoolArray = whole & (top > offsets + near)
    return result
