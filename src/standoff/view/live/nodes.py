"""The bodies of a cell as nodes of the page: made once, and then only what moved is sent; and
shapes as the page draws them, also extended by a buffer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from standoff.cell.cell import Cell
from standoff.cell.state import State
from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import layout
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Capsule, Cylinder, HalfSpace, Sphere
from standoff.geometry.shape import IntArray, Shape, directions, surface_points
from standoff.view.live import style
from standoff.view.live.poses import quaternions
from standoff.view.live.style import node_name
from standoff.view.render import swept, triangles

if TYPE_CHECKING:
    import viser


#: Directions about the vertices of what is extended: rings of a ball, and points of a ring.
_RINGS, _POINTS = 7, 12


@dataclass(frozen=True, eq=False)
class Solid:
    """Triangles with shared corners, and whether their faces are flat."""

    vertices: Array
    faces: IntArray
    flat: bool


def solid(shape: Shape) -> Solid:
    """A bounded shape in its own frame."""
    if isinstance(shape, (Mesh, Polyhedron)):
        return Solid(np.asarray(shape.vertices), np.asarray(shape.faces), True)
    return _joined(triangles(shape), flat=not isinstance(shape, (Sphere, Capsule)))


def extended(shape: Shape, margin: float) -> Solid:
    """All points within ``margin`` of a shape, [m]. Round things are drawn with flat facets, from
    inside; a mesh that is not convex is drawn with its corners moved outwards, which is near."""
    if isinstance(shape, Sphere):
        return solid(Sphere(shape.radius + margin))
    if isinstance(shape, Capsule):
        return solid(Capsule(shape.radius + margin, shape.length))
    if isinstance(shape, Cylinder):
        return _joined(swept(*_rounded(shape, margin)), flat=False)
    if isinstance(shape, Mesh):
        return _inflated(shape, margin)
    general = layout.is_general(shape.kind)
    corners = surface_points(shape, _POINTS) if general else shape.outline(0)
    hull = Polyhedron((corners[:, None] + margin * directions(_POINTS)).reshape(-1, 3))
    return Solid(np.asarray(hull.vertices), np.asarray(hull.faces), False)


def _rounded(shape: Cylinder, margin: float) -> tuple[Array, Array]:
    """The outline of a cylinder with rounded rims: distance from the axis, and height."""
    turn = np.linspace(-0.5 * math.pi, 0.0, _RINGS)
    radius = shape.radius + margin * np.cos(turn)
    height = margin * np.sin(turn) - 0.5 * shape.length
    return (
        np.concatenate([[0.0], radius, radius[::-1], [0.0]]),
        np.concatenate([height[:1], height, -height[::-1], -height[:1]]),
    )


def _inflated(shape: Mesh, margin: float) -> Solid:
    vertices, faces = np.asarray(shape.vertices), np.asarray(shape.faces)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    normals = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normals, faces[:, k], across)
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    outward = np.divide(normals, size, out=np.zeros_like(normals), where=size > 0.0)
    return Solid(vertices + margin * outward, faces, False)


def _joined(corners: Array, *, flat: bool) -> Solid:
    """Triangles (n, 3, 3) with equal corners made one."""
    rounded = np.round(corners.reshape(-1, 3), 9)
    vertices, index = np.unique(rounded, axis=0, return_inverse=True)
    faces = index.reshape(-1, 3)
    a, b, c = faces.T
    return Solid(vertices, faces[(a != b) & (b != c) & (c != a)], flat)


#: By how much a buffer has to change before the page draws it anew, [m]: nobody sees less.
BUFFER_SHOWN = 0.001


#: How much of what is behind an extended shape it hides, from 0 to 1.
_VEIL = 0.16

#: A floor is shown as a square of so many metres.
_FLOOR = 12.0


class CellNodes:
    """A cell as it is now; a change of the cell wants new nodes.

    What moves has one node a frame of the cell's world, and the shapes on that frame hang on it:
    one pose moves a link with all of its shapes.
    """

    def __init__(self, scene: viser.SceneApi, cell: Cell) -> None:
        self._scene, self._cell = scene, cell
        model = cell.model
        self._colour = {name: _colour(cell, name) for name in model.names}
        self._meshes: dict[str, list[viser.MeshHandle]] = {name: [] for name in model.names}
        self._buffers: dict[str, float] = {}
        self._veils: dict[str, list[viser.MeshHandle]] = {}
        self._veiled = False
        self._alarmed: frozenset[str] = frozenset()
        self._roots = [scene.add_frame("/cell", show_axes=False)]
        self._frames: dict[int, viser.FrameHandle] = {}
        for frame in sorted(model.groups):
            if frame:
                self._frames[frame] = scene.add_frame(f"/cell/frame {frame}", show_axes=False)
        for k, (name, frame) in enumerate(zip(model.names, model.frame, strict=True)):
            for j, (shape, at) in enumerate(model.parts[k]):
                self._add(f"{self._below(frame)}/{node_name(k, name)} {j}", name, shape, at)
        self._shown: dict[int, Array] = {}
        self.sent = 0

    def place(self, q: Array, poses: Array) -> Array:
        """Move what moved. Gives the poses of all frames of the world, (frames, 4, 4)."""
        frames = State(self._cell.model, q, poses.reshape(-1, 4, 4)).frames
        moved = [
            k for k in self._frames
            if k not in self._shown or not np.array_equal(self._shown[k], frames[k])
        ]  # fmt: skip
        if moved:
            turns = quaternions(frames[moved, :3, :3])
            for k, turn in zip(moved, turns, strict=True):
                node, before = self._frames[k], self._shown.get(k)
                # An assignment is compared and sent by itself, so most are spared here.
                if before is None or not np.array_equal(before[:3, :3], frames[k, :3, :3]):
                    node.wxyz = turn
                if before is None or not np.array_equal(before[:3, 3], frames[k, :3, 3]):
                    node.position = frames[k, :3, 3]
                self._shown[k] = frames[k]
        self.sent = len(moved)
        return frames

    def alarm(self, names: Iterable[str]) -> None:
        """Red for these and no others."""
        wanted = frozenset(names) & self._meshes.keys()
        for name in wanted ^ self._alarmed:
            alarmed = name in wanted
            for mesh in self._meshes[name]:
                mesh.color = self._alarm_colour(name) if alarmed else self._colour[name]
            for veil in self._veils.get(name, ()):
                veil.color = style.ALARM if alarmed else style.EXTENDED
        self._alarmed = wanted

    def extend(self, buffers: Mapping[str, float], visible: bool) -> None:
        """Show bodies extended by their buffers, [m], or hide that. A shape is drawn anew when its
        buffer has changed by more than BUFFER_SHOWN."""
        if visible:
            for name, buffer in buffers.items():
                if abs(self._buffers.get(name, 0.0) - buffer) > BUFFER_SHOWN:
                    self._veil(name, buffer)
        if visible != self._veiled:
            for veils in self._veils.values():
                for veil in veils:
                    veil.visible = visible
            self._veiled = visible

    def remove(self) -> None:
        """Take all nodes off the page."""
        for root in self._roots:
            root.remove()

    def _alarm_colour(self, name: str) -> style.Colour:
        """Red; paler for what stands still, which may be as large as a table."""
        return style.ALARM if self._cell.model.frame_of(name) else style.PALE_ALARM

    def _below(self, frame: int) -> str:
        return f"/cell/frame {frame}" if frame else "/cell"

    def _add(self, node: str, name: str, shape: Shape, at: Array) -> None:
        wxyz, position = quaternions(at[None, :3, :3])[0], at[:3, 3]
        if isinstance(shape, HalfSpace):
            self._scene.add_grid(
                node, _FLOOR, _FLOOR, plane="xy", cell_size=0.25, section_size=1.0,
                cell_color=(222, 226, 231), section_color=(196, 202, 210),
                plane_color=style.FLOOR, plane_opacity=1.0, shadow_opacity=0.2,
                fade_distance=_FLOOR, wxyz=wxyz, position=position,
            )  # fmt: skip
            return
        made = solid(shape)
        mesh = self._scene.add_mesh_simple(
            node, made.vertices, made.faces, color=self._colour[name], flat_shading=made.flat,
            wxyz=wxyz, position=position,
        )  # fmt: skip
        self._meshes[name].append(mesh)

    def _veil(self, name: str, buffer: float) -> None:
        model = self._cell.model
        k = model.index[name]
        self._buffers[name] = buffer
        for old in self._veils.pop(name, ()):
            old.remove()
        if buffer <= 0.0:
            return
        made = []
        for j, (shape, at) in enumerate(model.parts[k]):
            if not shape.bounded:
                continue
            grown = extended(shape, buffer)
            node = f"{self._below(model.frame[k])}/{node_name(k, name)} {j} extended"
            made.append(
                self._scene.add_mesh_simple(
                    node,
                    grown.vertices,
                    grown.faces,
                    flat_shading=grown.flat,
                    opacity=_VEIL,
                    color=style.ALARM if name in self._alarmed else style.EXTENDED,
                    cast_shadow=False,
                    receive_shadow=False,
                    visible=True,
                    wxyz=quaternions(at[None, :3, :3])[0],
                    position=at[:3, 3],
                )
            )
        self._veils[name] = made


def _colour(cell: Cell, name: str) -> style.Colour:
    body = cell.bodies.get(name)
    if body is not None:
        if body.attachment is not None:
            return style.HELD
        return style.MOVER if body.moving else style.STILL
    if cell.model.frame_of(name) == 0:
        return style.ROOT
    robot = list(cell.robots).index(name.partition("/")[0])
    return style.ROBOTS[robot % len(style.ROBOTS)]
