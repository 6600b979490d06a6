"""Standoff: the arms as robots from a URDF, free movers as moving bodies, boxes as static ones."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import standoff as so
from peers.engine import Pairs
from peers.scene import BASES, BUFFER, LENGTH, LINKS, RADIUS, Scene

VERSION = f"Standoff {so.__version__}"

SIDES = ("left", "right")


class Standoff:
    """`Monitor.update` as it comes, and `Cycle.pairs`: names and distance of each warning."""

    def __init__(self, scene: Scene) -> None:
        cell = so.Cell()
        if scene.joints is None:
            names = [f"mover{i}" for i in range(scene.count)]
            for name, pose in zip(names, scene.movers[0]):
                cell.add_body(name, so.Capsule(RADIUS, LENGTH), pose=pose, moving=True)
            self.joints = np.zeros((scene.loop, 0))
            self.poses = list(scene.movers)
        else:
            names = [f"{side}/link{i}" for side in SIDES for i in range(LINKS)]
            add_arms(cell)
            self.joints = scene.joints
            self.poses = [None] * scene.loop
        boxes = [f"box{i}" for i in range(len(scene.boxes))]
        for name, size, pose in zip(boxes, scene.sizes, scene.boxes):
            cell.add_body(name, so.Box(size), pose=pose)
        self.number = {name: i for i, name in enumerate([*names, *boxes])}
        self.monitor = so.Monitor(cell, buffer=BUFFER)

    def cycle(self, k: int) -> list[tuple[str, str, float]]:
        cycle = self.monitor.update(self.joints[k], self.poses[k])
        if cycle.faults:
            raise RuntimeError(f"faults at cycle {k}: {cycle.faults}")
        return cycle.pairs

    def pairs(self, answer: list[tuple[str, str, float]]) -> Pairs:
        found: Pairs = {}
        for a, b, distance in answer:
            i, j = sorted((self.number[a], self.number[b]))
            found[i, j] = distance
        return found


def add_arms(cell: so.Cell) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arm.urdf"
        file.write_text(urdf())
        for side, x in zip(SIDES, BASES):
            cell.add_robot(file, name=side, base=so.pose((x, 0.0, 0.0)))


def urdf() -> str:
    links = "".join(
        f'<link name="link{i}"><collision><origin xyz="0 0 {LENGTH / 2}"/>'
        f'<geometry><capsule radius="{RADIUS}" length="{LENGTH}"/></geometry></collision></link>'
        for i in range(LINKS)
    )
    joints = "".join(
        f'<joint name="joint{i}" type="revolute">'
        f'<parent link="{f"link{i - 1}" if i else "base"}"/><child link="link{i}"/>'
        f'<origin xyz="0 0 {LENGTH if i else 0}"/><axis xyz="{"0 1 0" if i % 2 else "0 0 1"}"/>'
        '<limit lower="-3" upper="3" velocity="2" effort="100"/></joint>'
        for i in range(LINKS)
    )
    return f'<robot name="arm"><link name="base"/>{links}{joints}</robot>'
