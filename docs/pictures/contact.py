"""A body in spheres, level by level, and the contacts of two that overlap (paper 003)."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import Circle, Polygon
from style import AMBER, BLUE, GREY, INK, RED, keep, panels

import standoff as so
from standoff.contact import Body, Scene

PRISM = so.Cylinder(0.1, 0.08)
SIDES = 9


def outline(body: Body, pose: np.ndarray) -> np.ndarray:
    """The body seen from above, as the corners of its upper face."""
    points = body.pieces[0].vertices @ pose[:3, :3].T + pose[:3, 3]
    ring = points[points[:, 2] > pose[2, 3]][:, :2]
    away = ring - ring.mean(axis=0)
    return ring[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]


def main() -> None:
    figure, axes = panels(3, 3.3)
    body = Body(PRISM, sides=SIDES, levels=3)
    (tree,) = body.trees
    for panel, level in zip(axes[:2], (1, 3)):
        panel.add_patch(Polygon(outline(body, np.eye(4)), fc=BLUE, alpha=0.25, ec=BLUE, lw=1.5))
        # a node at this height, as its sphere is cut there
        for x, y, z, radius in tree.spheres[tree.level == level]:
            if abs(z - 0.02) < radius:
                cut = np.sqrt(radius**2 - (z - 0.02) ** 2)
                panel.add_patch(Circle((x, y), cut, fill=False, ec=GREY, lw=0.7))
        panel.set_title(f"level {level}: {(tree.level == level).sum()} spheres hold the surface")
    a, b = (
        so.pose((0.0, 0.0, 0.0)),
        so.pose((0.165, 0.02, 0.0), (np.cos(0.2), 0.0, 0.0, np.sin(0.2))),
    )
    scene = Scene()
    scene.add("a", Body(PRISM, sides=SIDES), stiffness=1e3)
    scene.add("b", Body(PRISM, sides=SIDES), stiffness=1e3)
    step = scene.step({"a": a, "b": b})
    for name, pose, colour in (("a", a, BLUE), ("b", b, RED)):
        axes[2].add_patch(Polygon(outline(body, pose), fc=colour, alpha=0.25, ec=colour, lw=1.5))
        middle, force = pose[:2, 3], step.forces[name][:2]
        axes[2].annotate(
            "", middle + 0.0015 * force, middle, arrowprops={"arrowstyle": "->", "color": INK}
        )
    for contact in step.contacts:
        axes[2].plot(*contact.point[:2], "o", color=AMBER, ms=5)
    kinds = ", ".join(sorted({contact.kind for contact in step.contacts}))
    axes[2].set_title(f"{len(step.contacts)} contacts ({kinds}) and their forces")
    for panel, middle in zip(axes, (0.0, 0.0, 0.08)):
        panel.set(
            aspect="equal",
            xlim=(middle - 0.21, middle + 0.21),
            ylim=(-0.21, 0.21),
            xticks=[],
            yticks=[],
        )
    keep(figure, "contact")


if __name__ == "__main__":
    main()
