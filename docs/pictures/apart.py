"""Where two links of a Panda can meet, over the two joints between them."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import ListedColormap
from style import AMBER, INK, PALE, RED, keep, panels

import standoff as so
from standoff.paths.joint_maps import joint_map

LINKS = ("panda/panda_link5", "panda/panda_hand")


def main() -> None:
    """The map that a proof leaves, and where the two really touch."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="panda")
    found = joint_map(cell.model, [LINKS], 0.0)
    assert found is not None
    figure, axes = panels(1, 4.2)
    one, two = (np.linspace(*span, 33) for span in zip(found.low, found.high))
    axes.pcolormesh(one, two, found.cells.T, cmap=ListedColormap([PALE, AMBER]), ec="white", lw=0.3)

    fine = [np.linspace(*span, 121) for span in zip(found.low, found.high)]
    gaps = np.array([[gap(cell, found.joints, (a, b)) for a in fine[0]] for b in fine[1]])
    axes.contourf(*fine, gaps, levels=[-9, 0], colors=[RED], alpha=0.7)
    axes.contour(*fine, gaps, levels=[0], colors=[INK], linewidths=0.8)
    axes.set(
        xlabel=f"{cell.joints[found.joints[0]]} [rad]",
        ylabel=f"{cell.joints[found.joints[1]]} [rad]",
    )
    axes.set_title("pale: proved apart; amber: not proved; red: they touch, by samples")
    keep(figure, "apart")


def gap(cell: so.Cell, joints: tuple[int, ...], values: tuple[float, float]) -> float:
    """The distance of the two links, [m]."""
    q = cell.q.copy()
    q[list(joints)] = values
    parts = [
        [
            (e.shape, cell.pose(name, q) @ e.origin)
            for e in cell.robots["panda"].robot.links[name[6:]].elements
        ]
        for name in LINKS
    ]
    return min(so.distance(*a, *b).distance for a in parts[0] for b in parts[1])


if __name__ == "__main__":
    main()
