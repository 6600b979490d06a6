"""The N-objects octree around two arms, cut at one height (paper 000)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.patches import Rectangle
from style import AMBER, GREY, INK, RED, keep, panels

import standoff as so
from standoff.broadphase.kernels import tables as x

HEIGHT = 0.45  # [m]
SPLIT = 4  # the paper's N, smaller than usual so that there is something to see


def cell() -> so.Cell:
    """Two arms, and posts around them."""
    made = so.Cell()
    made.add_robot("builtin:panda", name="left")
    made.add_robot("builtin:panda", name="right", base=so.pose((0.0, -0.6, 0.0)))
    rng = np.random.default_rng(3)
    for k in range(18):
        across, along = rng.uniform((-0.6, -1.6), (1.2, 1.0))
        if not (-0.3 < across < 0.95 and -0.95 < along < 0.35):
            size = rng.uniform(0.06, 0.2, 2)
            made.add_body(f"post{k}", so.Box((*size, 1.0)), so.pose((across, along, 0.5)))
    return made


def draw(axes: Any, monitor: so.Monitor) -> None:
    """Leaves by how many primitives they hold, and the boxes of these from above."""
    index = monitor.index
    tree, nodes, boxes = (index.tables.arrays[name] for name in ("tree", "nodes", "boxes"))
    leaves = np.flatnonzero(tree[:, x.FIRST] == x.NONE)
    leaves = leaves[np.isin(leaves, index._live_nodes())]
    for node in leaves[(nodes[leaves, 2] <= HEIGHT) & (nodes[leaves, 5] > HEIGHT)]:
        low, size = nodes[node, :2], nodes[node, 3:5] - nodes[node, :2]
        share = min(1.0, tree[node, x.COUNT] / 10.0)
        axes.add_patch(Rectangle(low, *size, fc=(0.10, 0.46, 0.82, 0.5 * share), ec=GREY, lw=0.6))
    still = {tuple(np.round(body.pose[:2, 3], 9)) for body in monitor.cell.bodies.values()}
    for item in np.flatnonzero(index.tables.items[:, x.STATE] == x.INSIDE):
        low, size = boxes[item, :2], boxes[item, 3:5] - boxes[item, :2]
        static = tuple(np.round(low + size / 2, 9)) in still
        axes.add_patch(Rectangle(low, *size, fill=False, ec=INK if static else RED, lw=0.9))
    axes.set(aspect="equal", xlim=(-0.7, 1.3), ylim=(-1.6, 1.0), xticks=[], yticks=[])


def main() -> None:
    """Two states of one cell, the second one too close."""
    figure, both = panels(2, 5.4)
    ready = np.array([0.0, 0.9, 0.0, -0.9, 0.0, 1.8, 0.0, 0.0])
    for axes, turn, title in zip(both, (0.3, -0.55), ("apart", "too close")):
        thresholds = so.Thresholds(self_collision=0.005)
        monitor = so.Monitor(cell(), 0.03, so.Octree(SPLIT), thresholds=thresholds)
        q = np.concatenate([ready, ready])
        q[0] = turn
        cycle = monitor.update(q)
        draw(axes, monitor)
        for warning in cycle.warnings[:1]:
            ends = np.array([warning.point_a, warning.point_b])[:, :2]
            axes.plot(*ends.T, "o-", color=AMBER, mec=INK, lw=4, ms=8, zorder=5)
            title = f"{title}: {1e3 * warning.distance:.0f} mm"
        axes.set_title(title)
    keep(figure, "octree")


if __name__ == "__main__":
    main()
