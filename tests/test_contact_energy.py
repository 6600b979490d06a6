"""Bodies in motion: energy is kept without damping, and lost with it until all is at rest."""

import numpy as np
import pytest

import standoff as so
from standoff.contact import Scene
from tests.contact_worlds import RIGID, RigidBody

G = 9.81
SIZE = (0.2, 0.2, 0.2)


@pytest.mark.parametrize("rpy", [(0, 0, 0), (0.4, 0.3, 0.2)], ids=["flat", "tilted"])
def test_a_dropped_box_keeps_its_energy_over_twenty_bounces(rpy):
    """1 kg from 0.5 m onto a table of 20 kN/m, velocity Verlet at 10 kHz."""
    stiffness, dt = 20e3, 1e-4
    scene = Scene()
    scene.add("table", so.Box((40, 40, 1)), pose=so.pose((0, 0, -0.5)), moving=False,
              stiffness=stiffness, levels=0)  # fmt: skip
    scene.add("box", so.Box(SIZE), stiffness=RIGID, levels=0)
    corners = so.Box(SIZE).core()[0]
    start = so.pose(rpy=rpy)
    start[2, 3] = 0.5 - (corners @ start[:3, :3].T)[:, 2].min()
    box = RigidBody("box", 1.0, SIZE, start)
    first = box.energy(G)
    drop = G * 0.5
    bounces, touching, worst, steps = 0, False, 0.0, 0
    force, moment = np.zeros(3), np.zeros(3)
    while bounces < 20 and steps < 400_000:
        box.kick(force, moment, G, dt / 2)
        box.drift(dt)
        lowest = (corners @ box.pose[:3, :3].T)[:, 2].min() + box.pose[2, 3]
        steps += 1
        if lowest > 0.0:
            # Apart, as every corner is above the table: nothing to ask.
            force, moment = np.zeros(3), np.zeros(3)
            spring = 0.0
            if touching:
                bounces += 1
                scene.forget()
                touching = False
        else:
            step = scene.step({"box": box.pose})
            force, moment = step.forces["box"], step.moments["box"]
            spring = 0.5 * stiffness * sum(row[6] ** 2 for row in step._rows)
            touching = True
        box.kick(force, moment, G, dt / 2)
        if steps % 7 == 0 or lowest <= 0.0:
            worst = max(worst, abs(box.energy(G) + spring - first))
    assert bounces == 20
    assert worst <= 0.01 * drop


def _settle(offsets, duration, dt=5e-4):
    scene = Scene()
    scene.add("floor", so.Box((4, 4, 1)), pose=so.pose((0, 0, -0.5)), moving=False, stiffness=2e4,
              damping=60.0, friction=60.0, levels=0)  # fmt: skip
    boxes = []
    for k, (x, y) in enumerate(offsets):
        name = f"box{k}"
        place = so.pose((x, y, 0.1 + 0.2 * k + 0.001 * (k + 1)))
        scene.add(name, so.Box(SIZE), pose=place, stiffness=2e4, damping=60.0, friction=60.0,
                  levels=0)  # fmt: skip
        boxes.append(RigidBody(name, 1.0, SIZE, place))
    history = []
    for _ in range(int(duration / dt)):
        step = scene.step(
            {b.name: b.pose for b in boxes}, {b.name: np.append(b.v, b.w) for b in boxes}
        )
        for b in boxes:
            b.kick(step.forces[b.name], step.moments[b.name], G, dt)
            b.drift(dt)
        history.append([b.pose.copy() for b in boxes])
    return boxes, step, np.array(history)


@pytest.mark.parametrize(
    "offsets",
    [[(0, 0)] * 5, [(0, 0), (0.02, 0.01), (-0.01, 0.03), (0.01, -0.02), (0, 0.01)]],
    ids=["flush", "set off"],
)
def test_five_stacked_boxes_come_to_rest_and_stay(offsets):
    boxes, step, history = _settle(offsets, duration=1.5)
    for b in boxes:
        assert np.linalg.norm(b.v) < 1e-3 and np.linalg.norm(b.w) < 1e-2
    late = history[-1000:]
    assert np.ptp(late[:, :, :3, 3], axis=0).max() < 1e-3
    for k, b in enumerate(boxes):
        assert np.allclose(b.pose[:3, 3], (*offsets[k], 0.1 + 0.2 * k), atol=5e-3)
        weight = G * (len(boxes) - k)
        below = [c for c in step.contacts if c.b == b.name]
        assert sum(c.force[2] for c in below) == pytest.approx(-weight, rel=0.02)
        assert len(below) == 4
