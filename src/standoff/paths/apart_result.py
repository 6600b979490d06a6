"""What came out of trying to prove pairs apart."""

from __future__ import annotations

from dataclasses import dataclass

from standoff.cell import Cell
from standoff.errors import PathError
from standoff.shapes.pose import Array


@dataclass(frozen=True)
class ProvedApart:
    """Two bodies that are never as near as the clearance.

    Attributes:
        clearance: that was asked for, [m].
        separation: what was proved, [m]: more than the clearance, less than the smallest distance.
        boxes: of joint values that the proof looked at.
        proof: the `Cell.proof_word` of what was proved.
    """

    a: str
    b: str
    clearance: float
    separation: float
    boxes: int
    proof: str

    @property
    def reason(self) -> str:
        """Why the pair may be allowed."""
        gap = f"more than {1e3 * self.clearance:g} mm " if self.clearance > 0.0 else ""
        count = f"{self.boxes:,} box" + ("" if self.boxes == 1 else "es")
        return f"proved {gap}apart within the joint limits by {count}"


@dataclass(frozen=True, eq=False)
class CanTouch:
    """Two bodies that come as near as the clearance, or touch, and where.

    Attributes:
        q: a configuration within the limits, in the order of ``cell.joints``; joints that do not
            move the two against each other are where the cell has them.
        joints: names of those that do.
        distance: at ``q``, the first configuration found, and not the smallest that there is, [m];
            negative where they overlap, above 0 where they only come as near as the clearance.
        point_a, point_b: where, in the world.
    """

    a: str
    b: str
    q: Array
    joints: tuple[str, ...]
    distance: float
    point_a: Array
    point_b: Array


@dataclass(frozen=True, eq=False)
class StaysOpen:
    """Two bodies of which nothing is known, and why; they are to be watched.

    Attributes:
        boxes: that were looked at.
        nearest: the smallest distance that was found, [m], at ``q``; None where none was measured.
        joints: names of the joints that move the two against each other.
    """

    a: str
    b: str
    reason: str
    boxes: int = 0
    nearest: float | None = None
    q: Array | None = None
    joints: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Apart:
    """All pairs that were asked about, in the order in which they are watched.

    Attributes:
        clearance: that apart means, [m].
    """

    clearance: float
    apart: tuple[ProvedApart, ...]
    touching: tuple[CanTouch, ...]
    open: tuple[StaysOpen, ...]

    def allow(self, cell: Cell) -> None:
        """Allow every pair that was proved apart, with the proof as the reason.

        Each is allowed for as long as it is what was proved: a change of a shape, of a joint
        between the two or of its limits has it watched again. An allowed pair is not looked at,
        however near it comes beyond the clearance of the proof. Beyond `Cell.proof_limits` the
        monitor has a fault, and a path checker refuses the motion.

        Raises:
            PathError: a pair of this cell is not what was proved; nothing is allowed then.
        """
        for pair in self.apart:
            known = {pair.a, pair.b} <= set(cell.world.index)
            if not known or cell.proof_word(pair.a, pair.b) != pair.proof:
                raise PathError("not what was proved apart", value=(pair.a, pair.b))
        for pair in self.apart:
            cell.allow(pair.a, pair.b, pair.reason, proof=pair.proof)

    def __repr__(self) -> str:
        return (
            f"<Apart: {len(self.apart)} pairs proved, {len(self.touching)} can touch, "
            f"{len(self.open)} open>"
        )
