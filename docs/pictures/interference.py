"""Two parts on two planes, and the same two as region octrees (paper 002)."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import Polygon, Rectangle
from scipy.spatial import ConvexHull
from style import BLUE, GREY, RED, keep, panels

import standoff as so

# A bar behind a bent plate: their shadows overlap from the front, and do not from above.
PLATE = so.Box((0.5, 0.06, 0.3))
BAR = so.Box((0.08, 0.08, 0.6))
AT = so.pose((0.1, 0.16, 0.05), (np.cos(0.3), 0.0, np.sin(0.3), 0.0))


def corners(shape: so.Box, pose: np.ndarray | None) -> np.ndarray:
    points, _ = shape.core()
    return points if pose is None else points @ pose[:3, :3].T + pose[:3, 3]


def shadow(axes, points: np.ndarray, along: tuple[int, int], colour: str) -> None:
    flat = points[:, along]
    axes.add_patch(
        Polygon(flat[ConvexHull(flat).vertices], fc=colour, alpha=0.35, ec=colour, lw=1.5)
    )
    axes.plot(*flat.T, ".", color=colour, ms=3)


def main() -> None:
    figure, (front, above, trees) = panels(3, 3.3)
    for axes, along, title in (
        (front, (0, 2), "seen from the front: nothing is told"),
        (above, (0, 1), "from above: apart, and so in space"),
    ):
        shadow(axes, corners(PLATE, None), along, BLUE)
        shadow(axes, corners(BAR, AT), along, RED)
        axes.set(title=title, aspect="equal", xlim=(-0.3, 0.42), ylim=(-0.32, 0.4))
    root = ((0.0, 0.0, 0.0), 1.0)
    for shape, pose, colour in ((PLATE, None, BLUE), (BAR, AT, RED)):
        tree = so.interference.RegionTree.build(shape, pose, root=root, levels=6)
        boxes = tree.boxes()
        for box, sure in zip(boxes, tree.sure):
            low, high = box[:3], box[3:]
            if low[2] <= 0.01 < high[2]:
                trees.add_patch(
                    Rectangle(
                        low[:2],
                        *(high - low)[:2],
                        fc=colour,
                        alpha=0.6 if sure else 0.25,
                        ec=GREY,
                        lw=0.5,
                    )
                )
    trees.set(
        title="octrees, cut: solid is sure, pale is not",
        aspect="equal",
        xlim=(-0.3, 0.42),
        ylim=(-0.32, 0.4),
    )
    for axes in (front, above, trees):
        axes.set(xticks=[], yticks=[])
    keep(figure, "interference")


if __name__ == "__main__":
    main()
