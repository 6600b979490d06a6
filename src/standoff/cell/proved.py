"""What a proof that two bodies never touch rests on, as one digest that changes with any of it.

A pair that was proved apart is allowed for as long as its digest is the same: whatever changes the
pair (another model of a link, another grip, a robot's file that was edited, a limit that was
widened) has it watched again. Whoever reads the cell need not know how it was proved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import numpy as np

from standoff.cell.allowed import Pair, ordered
from standoff.cell.model import Model
from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape
from standoff.robots.kernels import kinematics
from standoff.robots.tree import Tree
from standoff.tolerances import ENCODER_TOLERANCE

#: Counted up when proofs of an older version are not to be trusted any more.
_VERSION = 2

#: Digits of a digest: 128 bits.
_DIGITS = 32


def proof_digest(tree: Tree, model: Model, a: str, b: str) -> str:
    """The digest of two bodies: the joints that move them against each other, with limits, and
    all shapes and where they are fixed. Empty where nothing could be proved: one of them is not
    there or moves freely. To the bit: robots whose files were read on another machine may have
    another one."""
    found = [model.index.get(name, -1) for name in ordered(a, b)]
    ends = [model.frame[k] for k in found]
    if min(found) < 0 or max(ends) >= tree.frames:
        return ""
    digest = hashlib.sha256(f"standoff apart {_VERSION}".encode())
    root = tree.common(*ends)
    place: dict[int, int] = {}
    for body, end in zip(found, ends, strict=True):
        chain = list(_between(tree, end, root))
        for frame in chain:
            kind, index = tree.ints[frame, [kinematics.JOINT_KIND, kinematics.INDEX]].tolist()
            limits = tree.lower[index], tree.upper[index]
            digest.update(_bytes([kind, place.setdefault(index, len(place)), *limits]))
            digest.update(_bytes(tree.reals[frame]))
        digest.update(_bytes([len(chain), len(model.parts[body])]))
        for shape, pose in model.parts[body]:
            digest.update(_shape_digest(shape))
            digest.update(_bytes(pose))
    return digest.hexdigest()[:_DIGITS]


def proof_limits(tree: Tree, model: Model, pairs: Iterable[Pair]) -> tuple[Array, Array]:
    """Lowest and highest position of each joint (joints,) of which the proofs of these pairs speak:
    the limits, and as much beyond as a reading or a path may be; infinite for a joint that is
    between none of the pairs."""
    low, high = np.full(len(tree.joints), -np.inf), np.full(len(tree.joints), np.inf)
    for pair in pairs:
        ends = [model.frame_of(name) for name in pair]
        root = tree.common(*ends)
        moved = [
            int(tree.ints[frame, kinematics.INDEX])
            for end in ends
            for frame in _between(tree, end, root)
        ]
        low[moved], high[moved] = tree.lower[moved], tree.upper[moved]
    return low - ENCODER_TOLERANCE, high + ENCODER_TOLERANCE


def _between(tree: Tree, frame: int, root: int) -> Iterator[int]:
    """The frames from one inwards to, and without, one that carries it."""
    while frame != root:
        yield frame
        frame = int(tree.parent[frame])


def _shape_digest(shape: Shape) -> bytes:
    """Kept with the shape: a mesh may have a million points."""
    known: bytes | None = shape.__dict__.get("_proof_digest")
    if known is None:
        digest = hashlib.sha256(_bytes([shape.kind, shape.flags, *shape.size_row]))
        for table in (shape.geometry.points, shape.geometry.faces):
            digest.update(_bytes(table.shape))
            digest.update(_bytes(table))
        known = digest.digest()
        shape.__dict__["_proof_digest"] = known
    return known


def _bytes(values: object) -> bytes:
    """As float64; a zero has no sign."""
    return (np.ascontiguousarray(values, dtype=np.float64) + 0.0).tobytes()
