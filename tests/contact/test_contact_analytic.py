"""Contacts whose points, depths and forces are known, within 1e-9."""

import numpy as np
import pytest

import standoff as so
from standoff.contact import Body, Scene
from tests.worlds.contact_worlds import RIGID, fresh

NEAR = {"rtol": 0, "atol": 1e-9}
K = 20e3
QUARTER = np.pi / 4


def on_table(shape, pose, stiffness=K, **options):
    """A rigid shape and a table whose top is at z = 0."""
    scene = Scene()
    scene.add("table", so.Box((4, 4, 1)), pose=so.pose((0, 0, -0.5)), moving=False,
              stiffness=stiffness, levels=1)  # fmt: skip
    scene.add("body", shape, stiffness=RIGID, levels=options.pop("levels", 2), **options)
    return scene.step({"body": pose})


@pytest.mark.parametrize("levels", [0, 1, 2, 3])
@pytest.mark.parametrize("depth", [1e-6, 1e-3, 0.05])
def test_a_box_on_a_table(depth, levels):
    step = on_table(so.Box((0.2, 0.4, 0.6)), so.pose((0.3, -0.2, 0.3 - depth)), levels=levels)
    assert len(step.contacts) == 4
    for contact in step.contacts:
        assert contact.kind == "FV"
        assert np.allclose(contact.normal, (0, 0, -1), **NEAR)
        assert contact.depth == pytest.approx(depth, abs=1e-9)
        assert contact.point[2] == pytest.approx(-depth / 2, abs=1e-9)
    corners = {(round(c.point[0], 6), round(c.point[1], 6)) for c in step.contacts}
    assert corners == {(x, y) for x in (0.2, 0.4) for y in (-0.4, 0.0)}
    assert np.allclose(step.forces["body"], (0, 0, 4 * K * depth), rtol=1e-9, atol=1e-9)
    assert np.allclose(step.moments["body"], 0.0, **NEAR)
    assert np.allclose(step.moments["table"], np.cross((0.3, -0.2, 0.5), -step.forces["body"]))


def test_a_box_on_an_edge():
    depth, reach = 1e-3, 0.1 * np.sqrt(2)
    pose = so.pose((0, 0, reach - depth), rpy=(QUARTER, 0, 0))
    step = on_table(so.Box((0.6, 0.2, 0.2)), pose)
    assert [c.kind for c in step.contacts] == ["FV", "FV"]
    assert sorted(round(c.point[0], 9) for c in step.contacts) == [-0.3, 0.3]
    assert np.allclose(step.forces["body"], (0, 0, 2 * K * depth), **NEAR)
    assert np.allclose(step.moments["body"], 0.0, **NEAR)


def test_a_box_on_a_corner():
    depth, reach = 1e-3, 0.1 * np.sqrt(3)
    tilt = np.arctan(1 / np.sqrt(2))
    pose = so.pose((0, 0, reach - depth), rpy=(QUARTER, tilt, 0))
    lowest = (so.Box((0.2, 0.2, 0.2)).core()[0] @ pose[:3, :3].T + pose[:3, 3])[:, 2].min()
    assert lowest == pytest.approx(-depth, abs=1e-12)
    step = on_table(so.Box((0.2, 0.2, 0.2)), pose)
    assert [c.kind for c in step.contacts] == ["FV"]
    assert np.allclose(step.contacts[0].point, (0, 0, -depth / 2), **NEAR)
    assert np.allclose(step.forces["body"], (0, 0, K * depth), **NEAR)


def test_a_corner_on_a_corner():
    """The overlap is a box of 0.05 x 0.04 x 0.01: its four corners, two of them vertices and two
    crossings of edges, all 0.01 deep along z."""
    cube = so.Box((0.2, 0.2, 0.2))
    step = fresh(cube, so.pose((0.15, 0.16, 0.19)), cube, so.pose())
    assert sorted(c.kind for c in step.contacts) == ["EE", "EE", "FV", "VF"]
    points = sorted(tuple(np.round(c.point, 9)) for c in step.contacts)
    assert points == [(x, y, 0.095) for x in (0.05, 0.1) for y in (0.06, 0.1)]
    for contact in step.contacts:
        assert np.allclose(contact.normal, (0, 0, 1), **NEAR)
        assert contact.depth == pytest.approx(0.01, abs=1e-9)
    assert np.allclose(step.forces["a"], (0, 0, 0.04), **NEAR)


def test_two_crossed_edges():
    """Two bars, each on its edge, one across the other at an angle."""
    bar, reach, depth = so.Box((1.0, 0.2, 0.2)), 0.1 * np.sqrt(2), 2e-3
    for angle in (0.3, 0.9, np.pi / 2):
        turned = so.pose((0.05, -0.1, 2 * reach - depth)) @ so.pose(rpy=(0, 0, angle))
        step = fresh(bar, turned @ so.pose(rpy=(QUARTER, 0, 0)), bar, so.pose(rpy=(QUARTER, 0, 0)))
        (contact,) = step.contacts
        assert contact.kind == "EE"
        # The upper edge passes through (0.05, -0.1) and is above the lower one, at y = 0, there.
        x = 0.05 + 0.1 / np.tan(angle)
        assert np.allclose(contact.point, (x, 0.0, reach - depth / 2), **NEAR)
        assert np.allclose(contact.normal, (0, 0, 1), **NEAR)
        assert contact.depth == pytest.approx(depth, abs=1e-9)


@pytest.mark.parametrize("flat", [False, True])
def test_a_prism_lying_down(flat):
    sides, radius, depth = 12, 0.1, 0.02
    body = Body(so.Cylinder(radius, 0.5), sides=sides, levels=2)
    turn = np.pi / sides if flat else 0.0
    height = radius * np.cos(turn) - depth
    pose = so.pose((0, 0, height), rpy=(0, np.pi / 2, 0)) @ so.pose(rpy=(0, 0, turn))
    step = on_table(body, pose, levels=None)
    angles = turn + np.arange(sides) * 2 * np.pi / sides
    depths = radius * np.cos(angles) - height
    depths = np.sort(np.repeat(depths[depths > 0], 2))
    assert len(depths) == (4 if flat else 6)
    assert np.allclose(np.sort([c.depth for c in step.contacts]), depths, **NEAR)
    assert np.allclose(step.forces["body"], (0, 0, K * depths.sum()), rtol=0, atol=1e-6)
    assert np.allclose(step.moments["body"], 0.0, atol=1e-9)


BOX = so.Box((0.4, 0.4, 0.4))
SPHERE_CASES = {
    # centre of a sphere of 0.1 about a box of half extents 0.2: kind, depth, normal
    "face": ((0.05, -0.02, 0.29), "SF", 0.01, (0, 0, 1)),
    "edge": ((0.26, 0.05, 0.26), "SE", 0.1 - 0.06 * np.sqrt(2), (1, 0, 1)),
    "vertex": ((0.25, 0.25, 0.25), "SV", 0.1 - 0.05 * np.sqrt(3), (1, 1, 1)),
    "centre in the face": ((0.0, 0.01, 0.2), "SF", 0.1, (0, 0, 1)),
    "inside": ((0.15, 0.01, 0.02), "SF", 0.15, (1, 0, 0)),
    "deep inside": ((0.0, -0.03, 0.01), "SF", 0.27, (0, -1, 0)),
}


@pytest.mark.parametrize("case", SPHERE_CASES)
@pytest.mark.parametrize("levels", [0, 2, 4])
def test_a_sphere_on_each_feature(case, levels):
    centre, kind, depth, normal = SPHERE_CASES[case]
    normal = np.array(normal) / np.linalg.norm(normal)
    place = so.pose((1, 2, 3), rpy=(0.3, -0.5, 2.0))
    ball, solid = so.Sphere(0.1), Body(BOX, levels=levels)
    for swapped in (False, True):
        pair = [(ball, place @ so.pose(centre)), (solid, place)]
        (a, pose_a), (b, pose_b) = reversed(pair) if swapped else pair
        step = fresh(a, pose_a, b, pose_b)
        (contact,) = step.contacts
        assert contact.kind == (kind[::-1] if swapped else kind)
        sign = -1.0 if swapped else 1.0
        assert np.allclose(contact.normal, sign * place[:3, :3] @ normal, **NEAR)
        assert contact.depth == pytest.approx(depth, abs=1e-9)
        middle = np.array(centre) - (0.1 - depth / 2) * normal
        assert np.allclose(contact.point, place[:3, :3] @ middle + place[:3, 3], **NEAR)
        assert np.allclose(step.forces["a"], depth * contact.normal, **NEAR)


def test_a_sphere_just_apart_has_no_contact():
    for centre in ((0, 0, 0.3001), (0.272, 0, 0.272), (0.26, 0.26, 0.26)):
        assert len(fresh(so.Sphere(0.1), so.pose(centre), BOX, so.pose())) == 0


def test_two_spheres():
    step = fresh(so.Sphere(0.2), so.pose((0, 0, 0.25)), so.Sphere(0.1), so.pose())
    (contact,) = step.contacts
    assert contact.kind == "SS" and contact.depth == pytest.approx(0.05, abs=1e-12)
    assert np.allclose(contact.point, (0, 0, 0.075), **NEAR)
    assert np.allclose(step.forces["a"], (0, 0, 0.05), **NEAR)
    (contact,) = fresh(so.Sphere(0.2), so.pose(), so.Sphere(0.1), so.pose()).contacts
    assert contact.depth == pytest.approx(0.3) and np.allclose(contact.normal, (0, 0, 1))


def test_force_one_of_the_paper():
    """f = K d n - B v_n - g v_t, with the two materials in series."""
    scene = Scene()
    table = so.Box((4, 4, 1))
    scene.add("table", table, pose=so.pose((0, 0, -0.5)), moving=False, stiffness=3e4,
              damping=90.0, friction=4.0, levels=0)  # fmt: skip
    scene.add("ball", so.Sphere(0.1), stiffness=1e4, damping=160.0, friction=8.0)
    twist = (0.3, -0.4, -0.2, 1.0, 0.0, 0.0)
    step = scene.step({"ball": so.pose((0, 0, 0.098))}, {"ball": twist})
    (contact,) = step.contacts
    arm = np.array((0, 0, -0.098 - 0.001))
    v = np.array(twist[:3]) + np.cross(twist[3:], arm)
    assert np.allclose(contact.velocity, -v, **NEAR)  # of the table relative to the ball
    stiffness, damping = 0.75e4, 160 * 0.75**2 + 90 * 0.25**2
    force = np.array((-6.0 * v[0], -6.0 * v[1], stiffness * 0.002 - damping * v[2]))
    assert np.allclose(step.forces["ball"], force, **NEAR)
    assert np.allclose(step.moments["ball"], np.cross(arm, force), **NEAR)


def test_a_normal_force_pulls_only_when_asked():
    for pulls in (False, True):
        scene = Scene(pulls=pulls)
        scene.add("b", so.Sphere(0.1), stiffness=100.0, damping=50.0)
        scene.add("a", so.Sphere(0.1), stiffness=RIGID)
        step = scene.step({"a": so.pose((0, 0, 0.19))}, {"a": (0, 0, 1, 0, 0, 0)})
        assert step.forces["a"][2] == pytest.approx(1.0 - 50.0 if pulls else 0.0)


def test_coulomb_limits_the_tangential_force():
    scene = Scene()
    scene.add("b", so.Sphere(0.1), stiffness=1000.0, friction=20.0, coulomb=0.4)
    scene.add("a", so.Sphere(0.1), stiffness=RIGID)
    for speed, force in ((0.1, 1.0), (0.4, 4.0), (100.0, 4.0)):
        step = scene.step({"a": so.pose((0, 0, 0.19))}, {"a": (speed, 0, 0, 0, 0, 0)})
        assert np.allclose(step.forces["a"], (-force, 0, 10.0), **NEAR)


def test_velocities_follow_from_poses_and_time():
    scene = Scene()
    scene.add("a", so.Sphere(0.1), stiffness=1.0)
    scene.add("b", so.Sphere(0.1), stiffness=1.0)
    scene.step({"a": so.pose((0, 0, 0.19))})
    turned = so.pose((0.001, 0, 0.188), rpy=(0.01, 0, 0))
    (contact,) = scene.step({"a": turned}, dt=0.01).contacts
    arm = contact.point - turned[:3, 3]
    assert np.allclose(
        contact.velocity, np.array((0.1, 0, -0.2)) + np.cross((1.0, 0, 0), arm), **NEAR
    )
