"""From where a page looks at first, the ground it stands on, and the light."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.geometry.primitives import HalfSpace
from standoff.geometry.shape import Shape
from standoff.view.live import style

if TYPE_CHECKING:
    import viser


#: Where the eye is, seen from the middle: in front, to one side, a little above.
_EYE = np.array([1.0, -0.72, 0.68]) / np.linalg.norm([1.0, -0.72, 0.68])

#: The angle that the page is high, [rad].
_FOV = 0.75

#: What stands as near to the robots as this part of their extent is to be seen with them.
_BESIDE = 0.35

#: The panel hides a part of the page on the right: the middle of what is to be seen is moved to the
#: left by this part of its extent.
_ASIDE = 0.18


def bounds(cell: Cell, frames: Array) -> tuple[Array, Array]:
    """Corners of a box around the robots, what moves and what stands near; around everything where
    nothing moves."""
    model = cell.model
    near: list[Array] = []
    rest: list[Array] = []
    for frame, parts in zip(model.frame, model.parts, strict=True):
        for shape, at in parts:
            if shape.bounded:
                corners = _corners(shape, frames[frame] @ at)
                (near if frame else rest).append(corners)
    if not near:
        near, rest = rest or [np.array([[-1.0, -1.0, 0.0], [1.0, 1.0, 1.0]])], []
    points = np.concatenate(near)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = _BESIDE * float((high - low).max())
    for corners in rest:
        middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        if (middle > low - margin).all() and (middle < high + margin).all():
            near.append(corners)
    points = np.concatenate(near)
    return points.min(axis=0), points.max(axis=0)


def _corners(shape: Shape, place: Array) -> Array:
    low, high = shape.bounds()
    sides = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    return np.asarray((low + sides * (high - low)) @ place[:3, :3].T + place[:3, 3])


def set_stage(server: viser.ViserServer, low: Array, high: Array, *, ground: bool) -> None:
    """Aim the camera at a box, light it, and lay a grid below it."""
    middle, size = 0.5 * (low + high), max(float(np.linalg.norm(high - low)), 0.5)
    right = np.cross((0.0, 0.0, 1.0), _EYE)
    aim = middle + _ASIDE * size * right / np.linalg.norm(right)
    camera = server.initial_camera
    camera.look_at = aim
    # The ball about the box fills the page, nearly: sin(fov / 2) = (size / 2) / distance.
    camera.position = aim + 0.54 * size / np.sin(0.5 * _FOV) * _EYE
    camera.fov = _FOV
    _light(server.scene, middle, size)
    if ground:
        lay_ground(server.scene, "/ground", middle, min(0.0, float(low[2])), 6.0 * size)


def _light(scene: viser.SceneApi, middle: Array, size: float) -> None:
    scene.set_up_direction("+z")
    scene.world_axes.visible = False
    scene.configure_environment_map(None)
    scene.configure_default_lights(False)
    scene.add_light_hemisphere(
        "/light/sky", sky_color=(255, 255, 255), ground_color=(170, 175, 185), intensity=1.9
    )
    scene.add_light_directional(
        "/light/sun", color=(255, 250, 240), intensity=1.9, cast_shadow=True,
        position=middle + size * np.array([0.6, -0.5, 1.6]),
    )  # fmt: skip
    scene.add_light_directional(
        "/light/fill", color=(215, 228, 255), intensity=0.5, cast_shadow=False,
        position=middle + size * np.array([-1.0, 1.0, 0.4]),
    )  # fmt: skip


def lay_ground(scene: viser.SceneApi, node: str, middle: Array, height: float, far: float) -> None:
    """A grid, a metre and a quarter of it."""
    scene.add_grid(
        node, 12.0, 12.0, plane="xy", cell_size=0.25, section_size=1.0,
        cell_color=(222, 226, 231), section_color=(196, 202, 210),
        plane_color=style.FLOOR, plane_opacity=1.0, shadow_opacity=0.2, fade_distance=far,
        position=(float(middle[0]), float(middle[1]), height),
    )  # fmt: skip


def has_floor(cell: Cell) -> bool:
    """Whether some half space is the ground."""
    return any(isinstance(s, HalfSpace) for parts in cell.model.parts for s, _ in parts)
