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


def _stack(offsets, duration, *, damping, dt, gap=0.001, **material):
    """Boxes of 1 kg, one upon the other: the bodies, the last step, and by step and box its place
    [m] and its speed [m/s]."""
    scene = Scene()
    material = {"stiffness": 2e4, "damping": damping, "levels": 0} | material
    scene.add("floor", so.Box((4, 4, 1)), pose=so.pose((0, 0, -0.5)), moving=False, **material)
    boxes = []
    for k, (x, y) in enumerate(offsets):
        place = so.pose((x, y, 0.1 + 0.2 * k + gap * (k + 1)))
        scene.add(f"box{k}", so.Box(SIZE), pose=place, **material)
        boxes.append(RigidBody(f"box{k}", 1.0, SIZE, place))
    places, speeds = [], []
    for _ in range(round(duration / dt)):
        step = scene.step(
            {b.name: b.pose for b in boxes}, {b.name: np.append(b.v, b.w) for b in boxes}
        )
        for b in boxes:
            b.kick(step.forces[b.name], step.moments[b.name], G, dt)
            b.drift(dt)
        places.append([b.pose[:3, 3].copy() for b in boxes])
        speeds.append([np.linalg.norm(b.v) for b in boxes])
    return boxes, step, np.array(places), np.array(speeds)


def _check_loads(boxes, step, offsets):
    for k, b in enumerate(boxes):
        assert np.allclose(b.pose[:3, 3], (*offsets[k], 0.1 + 0.2 * k), atol=5e-3)
        weight = G * (len(boxes) - k)
        below = [c for c in step.contacts if c.b == b.name]
        assert sum(c.force[2] for c in below) == pytest.approx(-weight, rel=0.02)
        assert len(below) == 4


SET_OFF = [(0, 0), (0.02, 0.01), (-0.01, 0.03), (0.01, -0.02), (0, 0.01)]


@pytest.mark.parametrize("offsets", [[(0, 0)] * 5, SET_OFF], ids=["flush", "set off"])
def test_five_stacked_boxes_come_to_rest_and_stay(offsets):
    """Five seconds to settle, and then ten in which nothing moves by more than micrometres."""
    boxes, step, places, speeds = _stack(
        offsets, 15.0, damping=240.0, dt=1e-3, gap=0.0, coulomb=0.5
    )
    assert np.ptp(places[5000:], axis=0).max() < 5e-6
    by_second = speeds.reshape(15, 1000, -1).max(axis=(1, 2))
    assert by_second[4] < 0.1 * by_second[0] and by_second[9] < 1e-2 * by_second[1]
    assert by_second[14] < 1e-7
    _check_loads(boxes, step, offsets)


def test_with_viscous_friction_alone_a_flush_stack_rests():
    """Law (1) of the paper: nothing across holds it, and nothing across pulls."""
    offsets = [(0, 0)] * 5
    boxes, step, places, speeds = _stack(offsets, 1.5, damping=60.0, dt=5e-4, friction=60.0)
    assert speeds[-1].max() < 1e-3 and np.ptp(places[-1000:], axis=0).max() < 1e-3
    _check_loads(boxes, step, offsets)
