"""Coulomb's friction with memory: what sticks stays, what slides is slowed by mu g."""

import numpy as np
import pytest

import standoff as so
from standoff.contact import Scene
from tests.worlds.contact_worlds import RIGID, RigidBody

G = 9.81
MU = 0.4
SIZE = (0.2, 0.2, 0.1)


def _box_on_slope(angle, speed, duration, dt=2e-4, friction=0.0):
    """A box of 1 kg on a slope that falls towards x: way along it and speed by step. The slope is
    the plane z = 0, and the weight leans."""
    scene = Scene()
    scene.add("slope", so.Box((20, 2, 1)), pose=so.pose((0, 0, -0.5)), moving=False, stiffness=4e4,
              damping=200.0, friction=friction, coulomb=MU, levels=0)  # fmt: skip
    scene.add("box", so.Box(SIZE), stiffness=RIGID, levels=0)
    sag = G * np.cos(angle) / (4 * 4e4)
    box = RigidBody("box", 1.0, SIZE, so.pose((0, 0, 0.05 - sag)))
    box.v = np.array((speed, 0.0, 0.0))
    pull = G * np.array((np.sin(angle), 0.0, -np.cos(angle)))
    ways = []
    for _ in range(int(duration / dt)):
        step = scene.step({"box": box.pose}, {"box": np.append(box.v, box.w)})
        box.kick(step.forces["box"] + pull, step.moments["box"], 0.0, dt)
        box.drift(dt)
        ways.append((box.pose[0, 3], box.v[0]))
    return np.array(ways), dt


def test_a_sliding_box_slows_down_by_mu_g_and_stops():
    ways, dt = _box_on_slope(0.0, speed=1.0, duration=0.5)
    slowing = -(ways[1000, 1] - ways[200, 1]) / (800 * dt)
    assert slowing == pytest.approx(MU * G, rel=0.01)
    assert ways[-1, 0] == pytest.approx(1.0 / (2 * MU * G), rel=0.02)
    assert abs(ways[-1, 1]) < 1e-4


def test_a_box_on_a_slope_below_the_angle_of_friction_stays():
    angle = 0.8 * np.arctan(MU)
    ways, _ = _box_on_slope(angle, speed=0.0, duration=0.8)
    assert np.ptp(ways[2000:, 0]) < 1e-7
    assert ways[-1, 0] < 2 * G * np.sin(angle) / (4 * 4e4)


@pytest.mark.parametrize("friction", [0.0, 5.0])
def test_a_box_on_a_steeper_slope_slides_as_the_book_says(friction):
    """Viscous friction beside it changes nothing, as both together end at Coulomb's limit."""
    angle = 1.5 * np.arctan(MU)
    ways, dt = _box_on_slope(angle, speed=0.0, duration=0.3, friction=friction)
    gain = (ways[1400, 1] - ways[400, 1]) / (1000 * dt)
    assert gain == pytest.approx(G * (np.sin(angle) - MU * np.cos(angle)), rel=0.01)


def test_a_spring_across_is_that_of_the_depth():
    """By poses alone: 10 N of normal force hold up to 4 N, at a stretch of 0.4 mm."""
    scene = Scene()
    scene.add("b", so.Box((1, 1, 1)), pose=so.pose((0, 0, -0.5)), moving=False, stiffness=1e4,
              coulomb=MU, levels=0)  # fmt: skip
    scene.add("a", so.Sphere(0.1), stiffness=RIGID)
    expected = [(0.0, 0.0), (0.1e-3, -1.0), (0.3e-3, -3.0), (0.2e-3, -2.0), (1e-3, -4.0)]
    # It slid by 0.6 mm: back by 0.4 mm it is not stretched, and by 1 mm the other way round.
    expected += [(0.6e-3, 0.0), (0.4e-3, 2.0), (-1e-3, 4.0)]
    for x, force in expected:
        step = scene.step({"a": so.pose((x, 0, 0.099))})
        assert np.allclose(step.forces["a"], (force, 0, 10.0), atol=1e-9), x


def test_a_ball_that_rolls_is_not_held_back():
    scene = Scene()
    scene.add("b", so.Box((4, 1, 1)), pose=so.pose((0, 0, -0.5)), moving=False, stiffness=1e4,
              coulomb=MU, levels=0)  # fmt: skip
    scene.add("a", so.Sphere(0.1), stiffness=RIGID)
    for angle in np.linspace(0.0, 3.0, 301):
        # About the contact, which is half a depth below the table's top.
        place = so.pose((0.0995 * angle, 0, 0.099), rpy=(0, angle, 0))
        force = scene.step({"a": place}).forces["a"]
        assert np.allclose(force, (0, 0, 10.0), atol=0.1)


def test_what_turns_together_keeps_its_friction():
    """A box pulled aside on a table, then both turned about: the force turns with them."""
    scene = Scene()
    scene.add("table", so.Box((1, 1, 1)), stiffness=1e4, coulomb=MU, levels=0)
    scene.add("box", so.Box((0.2, 0.2, 0.2)), stiffness=RIGID, levels=0)
    scene.step({"box": so.pose((0, 0, 0.599))})
    for angle in np.linspace(0.0, 1.5, 16):
        turn = so.pose(rpy=(angle, 0.3 * angle, angle))
        step = scene.step({"table": turn, "box": turn @ so.pose((2e-4, 0, 0.599))})
        assert np.allclose(turn[:3, :3].T @ step.forces["box"], (-8.0, 0, 40.0), atol=1e-6)


def test_the_coefficient_of_a_pair_is_the_mean_or_the_one_given():
    for first, second, force in ((0.4, 0.8, 3.0), (0.4, None, 2.0), (None, 0.8, 4.0)):
        scene = Scene()
        scene.add("a", so.Sphere(0.1), friction=20.0, coulomb=first, stiffness=1e3)
        scene.add("b", so.Sphere(0.1), friction=20.0, coulomb=second, stiffness=1e3)
        step = scene.step({"a": so.pose((0, 0, 0.19))}, {"a": (100, 0, 0, 0, 0, 0)})
        assert np.allclose(step.forces["a"], (-force, 0, 5.0), atol=1e-9)


def test_coulomb_alone_is_friction():
    scene = Scene()
    for name in "ab":
        scene.add(name, so.Sphere(0.1), coulomb=0.5, stiffness=1e3)
    scene.step({"a": so.pose((0, 0, 0.19))})
    step = scene.step({"a": so.pose((0.05, 0, 0.17))})
    (contact,) = step.contacts
    normal = contact.force @ contact.normal
    across = contact.force - normal * contact.normal
    assert np.linalg.norm(across) == pytest.approx(0.5 * normal, rel=1e-9)
    assert across @ (1, 0, 0) < 0.0
