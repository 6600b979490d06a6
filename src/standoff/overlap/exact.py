"""The exact answer: distances of the shapes themselves, over the trees of meshes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import dispatch, layout, unpacked
from standoff.geometry.table import pack
from standoff.overlap.boxes import WorldBoxes, box_gap
from standoff.overlap.depth import Depths
from standoff.overlap.finding import Gap, Overlap
from standoff.overlap.part import Part


class ExactMethod:
    """Judges pairs of parts by their distance.

    World boxes come first: a pair that they keep apart is a gap at the distance of the boxes, which
    is a lower bound. For the others the signed distance of `standoff.distance` decides, with its
    containment: a part wholly inside a solid overlaps it, one in a cavity of it does not. The
    error bound of a distance counts against a gap, so that no rounding hides an overlap; where an
    iteration did not converge, the pair overlaps unless its proved lower bound exceeds the
    clearance, and is not certain.

    Attributes:
        tests: pairs kept apart by "boxes", and those that took a "distance" or a "depth".
    """

    def __init__(self, parts: Sequence[Part], *, clearance: float = 0.0) -> None:
        self._parts = tuple(parts)
        self._clearance = clearance
        self._boxes = WorldBoxes(self._parts)
        self._rows, self._refs, self._geometry = pack([part.shape for part in self._parts])
        for row, part in zip(self._rows, self._parts):
            row[: layout.SIZE] = part.pose[:3].reshape(12)
        self._work = np.zeros(dispatch.WORK)
        self._iwork = np.zeros(dispatch.IWORK, dtype=np.int64)
        self._out = np.zeros((1, layout.OUT_COLUMNS))
        self._depths = Depths(self._parts, self._rows, self._refs, self._geometry)
        self.tests = {"boxes": 0, "distance": 0, "depth": 0}

    @cached_property
    def _general(self) -> int:
        """Compiled when the first pair without a closed form is judged."""
        return dispatch.general_address()

    def judge(self, i: int, j: int) -> Overlap | Gap:
        """The pair ``i``, ``j``: a gap where it is farther apart than the clearance for sure."""
        apart = self._boxes.gap(i, j)
        if apart > self._clearance:
            self.tests["boxes"] += 1
            return box_gap(self._parts, i, j, "exact", apart)
        return self.measure(i, j)

    def measure(self, i: int, j: int) -> Overlap | Gap:
        """The same by the distance of the shapes, however far apart their boxes are."""
        self.tests["distance"] += 1
        value, slack, done = self._distance(i, j)
        a, b = self._parts[i].name, self._parts[j].name
        # the true distance >= value - slack
        if value - slack > self._clearance:
            if done:
                return Gap(a, b, "exact", value, None, self._between(i, j), exact=True)
            return Gap(a, b, "exact", value - slack, None, "proved lower bound on the distance")
        low, high = self._boxes.shared(i, j, self._clearance)
        certain = done and value <= self._clearance
        touching = False
        if not done:
            distance, said = None, "the iteration did not converge: not proved to be apart"
        elif value > self._clearance:
            what = "as near as the clearance" if self._clearance else "touching"
            distance, said = value, f"{what}, as far as rounding can tell"
        elif value > 0.0:
            distance, said = value, f"nearer than the clearance of {_mm(self._clearance)}"
        else:
            self.tests["depth"] += 1
            distance, said, touching = self._depths.depth(i, j, value)
        return Overlap(a, b, "exact", certain, distance, low, high, said, touching)

    def _between(self, i: int, j: int) -> str:
        """What a distance is one of. In the box of an open mesh a part may be where a solid would
        have had its inside, and nobody can tell."""
        for outer, inner in ((i, j), (j, i)):
            part, low, high = self._parts[outer], self._boxes.low, self._boxes.high
            within = (low[inner] >= low[outer]).all() and (high[inner] <= high[outer]).all()
            if within and isinstance(part.shape, Mesh) and not part.shape.closed:
                return f"distance of the surfaces; {part.name} is open and has no inside"
        return "distance of the shapes"

    def _distance(self, i: int, j: int) -> tuple[float, float, bool]:
        """Signed distance, what it may be too long by, and whether the iteration came to an end."""
        kinds = int(self._refs[i, layout.KIND]), int(self._refs[j, layout.KIND])
        g = self._geometry
        # The address is looked at for pairs without a closed form only.
        address = 0 if dispatch.has_closed_form(*kinds) else self._general
        pair = np.array([[i, j]], dtype=np.int64)
        failed = unpacked.distances(
            address, self._rows, self._refs, g.points, g.faces, g.nodes, g.ints, pair,
            self._work, self._iwork, self._out,
        )  # fmt: skip
        return float(self._out[0, 0]), float(self._out[0, layout.SLACK]), failed < 0


def _mm(distance: float) -> str:
    return f"{1e3 * distance:.4g} mm"
