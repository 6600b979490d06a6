"""Handles to drag: one on each end of a robot and on each moving body."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import PoseError
from standoff.geometry.pose import Array, as_pose, pose
from standoff.robots.tree import WORLD, Tree
from standoff.view.live.follow import Follower
from standoff.view.live.poses import quaternions
from standoff.view.live.style import node_name

if TYPE_CHECKING:
    import viser


def tips(cell: Cell) -> dict[str, str]:
    """The end links, each with its robot. A link that carries nothing but single joints side by
    side (the fingers of a gripper) is an end itself; without such, the ends of the chains are."""
    tree = cell.tree
    children: dict[int, list[int]] = {}
    for frame in range(1, tree.frames):
        children.setdefault(int(tree.parent[frame]), []).append(frame)
    found: dict[str, str] = {}
    for frame in range(1, tree.frames):
        below = children.get(frame, [])
        fingers = len(below) > 1 and not any(child in children for child in below)
        beside = children[int(tree.parent[frame])]
        finger = (
            not below
            and len(beside) > 1
            and int(tree.parent[frame]) != WORLD
            and not any(child in children for child in beside)
        )
        if fingers or (not below and not finger):
            link = _last_link(tree, frame)
            found[link] = link.partition("/")[0]
    return found


def _last_link(tree: Tree, frame: int) -> str:
    """Of the links that a frame carries rigidly, the one written last: a flange or a hand."""
    return [name for name in tree.links if tree.link(name)[0] == frame][-1]


#: With more handles than this the page is a thicket: one is shown at a time, chosen by name.
FEW = 8

#: A drag without a message for so long is over, [s]: its page was closed.
_PATIENCE = 2.0

_ALL, _NONE = "all", "none"


class Handle:
    """A handle that asks for a pose while it is dragged, and follows otherwise."""

    def __init__(
        self,
        scene: viser.SceneApi,
        number: int,
        name: str,
        size: float,
        ask: Callable[[Array], None],
    ) -> None:
        self.name = name
        self._control = scene.add_transform_controls(
            f"/handles/{node_name(number, name)}", scale=size, depth_test=False, opacity=0.75,
            line_width=2.0, visible=False,
        )  # fmt: skip
        self._dragged = -np.inf

        async def moved(event: viser.TransformControlsEvent) -> None:
            # Async, so that the phases of a drag come in their order.
            self._dragged = -np.inf if event.phase == "end" else time.monotonic()
            wanted = _pose(event.target.wxyz, event.target.position)
            if wanted is not None:
                ask(wanted)

        self._control.on_update(moved)

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return bool(self._control.visible)

    @visible.setter
    def visible(self, visible: bool) -> None:
        self._control.visible = visible

    def follow(self, pose: Array) -> None:
        """Be at what it moves, unless somebody holds it."""
        if self.visible and time.monotonic() - self._dragged > _PATIENCE:
            self._control.wxyz = quaternions(pose[None, :3, :3])[0]
            self._control.position = pose[:3, 3]


def _pose(wxyz: Any, position: Any) -> Array | None:
    """What a page asked for; None where it is no pose within the limits."""
    try:
        return as_pose(pose(position, wxyz))
    except PoseError:
        return None


class Handles:
    """All handles of a cell."""

    def __init__(self, server: viser.ViserServer, follower: Follower) -> None:
        self._follower = follower
        cell = follower.cell
        self._links = [*tips(cell)]
        self._handles = []
        for k, link in enumerate(self._links):
            ask = partial(follower.ask_link, link)
            self._handles.append(Handle(server.scene, k, link, 0.22, ask))
        for k, name in enumerate(cell.moving):
            low, high = cell.bodies[name].shape.bounds()
            size = max(0.15, 0.75 * float((high - low).max()))
            number = len(self._links) + k
            ask = partial(follower.ask_body, k)
            self._handles.append(Handle(server.scene, number, name, size, ask))
        few = len(self._handles) <= FEW
        # Numbered, as a body may be called what the others are.
        self._named = [f"{k + 1}: {handle.name}" for k, handle in enumerate(self._handles)]
        choices = [_ALL] * few + [_NONE] + self._named
        self._choice = server.gui.add_dropdown("Handles", choices, initial_value=choices[0])

    def follow(self) -> None:
        """Show those that are chosen where they belong."""
        cell, q, chosen = self._follower.cell, self._follower.q, self._choice.value
        links = len(self._links)
        frames = cell.tree.forward(q) if links else None
        for k, handle in enumerate(self._handles):
            handle.visible = chosen in (_ALL, self._named[k])
            if not handle.visible:
                continue
            if k < links and frames is not None:
                frame, offset = cell.tree.link(handle.name)
                handle.follow(frames[frame] @ offset)
            else:
                handle.follow(self._follower.poses[k - links])
