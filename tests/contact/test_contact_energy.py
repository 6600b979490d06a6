"""Boxes in motion: on a flat floor they keep their energy without damping, and lose it with damping
until all is at rest."""

import numpy as np
import pytest

import standoff as so
from standoff.contact import Scene
from tests.worlds.contact_worlds import RIGID, RigidBody

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
            spring = 0.5 * stiffness * sum(row["depth"] ** 2 for row in step._rows)
            touching = True
        box.kick(force, moment, G, dt / 2)
        if steps % 7 == 0 or lowest <= 0.0:
            worst = max(worst, abs(box.energy(G) + spring - first))
    assert bounces == 20
    assert worst <= 0.01 * drop


def _stack(offsets, duration, *, damping, dt, gap=0.0, calm=0.0, **material):
    """Boxes of 1 kg, one upon the other, each by ``gap`` above where four contacts carry it: the
    bodies, the last step, and by step and box its place [m] and its speed [m/s]. For ``calm``
    seconds they move as in honey; these are left out."""
    scene = Scene()
    material = {"stiffness": 2e4, "damping": damping, "levels": 0} | material
    scene.add("floor", so.Box((4, 4, 1)), pose=so.pose((0, 0, -0.5)), moving=False, **material)
    boxes = []
    for k, (x, y) in enumerate(offsets):
        rest = [G * (len(offsets) - j) / (4 * material["stiffness"] / 2) for j in range(k + 1)]
        place = so.pose((x, y, 0.1 + 0.2 * k - sum(rest) + gap * (k + 1)))
        scene.add(f"box{k}", so.Box(SIZE), pose=place, **material)
        boxes.append(RigidBody(f"box{k}", 1.0, SIZE, place))
    places, speeds = [], []
    for number in range(-round(calm / dt), round(duration / dt)):
        step = scene.step(
            {b.name: b.pose for b in boxes}, {b.name: np.append(b.v, b.w) for b in boxes}
        )
        for b in boxes:
            b.kick(step.forces[b.name], step.moments[b.name], G, dt)
            b.drift(dt)
            if number < 0:
                b.v, b.w = 0.98 * b.v, 0.98 * b.w
        if number < 0:
            continue
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
def test_five_stacked_boxes_at_rest_stay(offsets):
    """For ten seconds nothing moves by more than micrometres, and nothing gets faster."""
    boxes, step, places, speeds = _stack(
        offsets, 10.0, damping=60.0, dt=1e-3, calm=2.0, coulomb=0.5
    )
    assert np.ptp(places, axis=0).max() < 2e-6
    by_second = speeds.reshape(10, 1000, -1).max(axis=(1, 2))
    assert by_second[-1] <= 0.5 * by_second[0] or by_second[-1] < 1e-9
    _check_loads(boxes, step, offsets)


def test_five_stacked_boxes_come_to_rest():
    """Let go a millimetre too high each: what moves loses half its speed and more in a second."""
    boxes, step, _, speeds = _stack(SET_OFF, 4.0, damping=160.0, dt=5e-4, gap=0.001, coulomb=0.5)
    by_second = speeds.reshape(4, 2000, -1).max(axis=(1, 2))
    assert (by_second[1:] < 0.75 * by_second[:-1]).all() and by_second[-1] < 5e-3
    _check_loads(boxes, step, SET_OFF)


def test_with_viscous_friction_alone_a_flush_stack_rests():
    """Law (1) of the paper: nothing across holds it, and nothing across pulls."""
    offsets = [(0, 0)] * 5
    boxes, step, places, speeds = _stack(
        offsets, 1.5, damping=60.0, dt=5e-4, gap=0.001, friction=60.0
    )
    assert speeds[-1].max() < 1e-3 and np.ptp(places[-1000:], axis=0).max() < 1e-3
    _check_loads(boxes, step, offsets)
