"""Spheres of a robot cell: they hold its links, and move no faster or sharper than they say."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
import pytest

import standoff as so
from standoff.cell.model import Model
from standoff.cell.state import State
from standoff.predict import from_cell
from standoff.predict.from_cell import _bounds, spheres_of
from standoff.predict.kernels.spheres import Spheres, place_spheres
from tests.oracles.pinocchio import Oracle, random_configurations

AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


def two_arms():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left")
    cell.add_robot("builtin:panda", name="right", base=so.pose((0.9, 0.0, 0.0)))
    cell.add_body("table", so.Box((1.2, 0.8, 0.05)), so.pose((0.4, 0.0, -0.2)))
    cell.add_body("cart", so.Cylinder(0.2, 0.5), so.pose((2.0, 0.0, 0.0)), moving=True)
    return cell


def truth(oracle, link, local, q, dq, ddq):
    """Position, velocity and acceleration of a point of a link, by Pinocchio."""
    model, data = oracle.model, oracle.data
    i = model.getBodyId(link)
    at = data.oMf[i]
    r = at.rotation @ local
    twist = pin.getFrameVelocity(model, data, i, AXES)
    change = pin.getFrameClassicalAcceleration(model, data, i, AXES)
    w = twist.angular
    turn = pin.getFrameAcceleration(model, data, i, AXES).angular
    velocity = twist.linear + np.cross(w, r)
    acceleration = change.linear + np.cross(turn, r) + np.cross(w, np.cross(w, r))
    return at.translation + r, velocity, acceleration


@pytest.mark.parametrize("name", ["panda", "ur5", "tiago", "pr2"])
def test_no_motion_is_faster_or_sharper_than_its_bounds(name):
    """Real robots with revolute, continuous, prismatic and mimic joints, at random configurations,
    each joint anywhere within its bounds or at one of them."""
    rng = np.random.default_rng(0)
    oracle = Oracle(name, mimic=False)
    tree = oracle.tree
    links = [link for link in oracle.links if tree.link(link)[0] > 0]
    frames = np.array([tree.link(link)[0] for link in links])
    local = rng.normal(size=(len(links), 3)) * 0.1
    offsets = np.array([tree.link(link)[1] for link in links])
    centre = np.einsum("nij,nj->ni", offsets[:, :3, :3], local) + offsets[:, :3, 3]
    count = len(tree.joints)
    speed, sharp = rng.uniform(0.2, 3.0, count), rng.uniform(0.2, 10.0, count)
    fastest, sharpest, _ = _bounds(tree, frames, centre, speed, sharp)
    tightest = np.zeros(2)
    for trial in range(40):
        q = random_configurations(tree, 1, rng)[0][0]
        dq, ddq = speed * rng.uniform(-1, 1, count), sharp * rng.uniform(-1, 1, count)
        if trial % 2:
            dq, ddq = speed * np.sign(dq), sharp * np.sign(ddq)
        pq, pv = oracle.configuration(q, dq)
        pin.forwardKinematics(oracle.model, oracle.data, pq, pv, oracle.configuration(q, ddq)[1])
        pin.updateFramePlacements(oracle.model, oracle.data)
        x, v = np.empty((len(links), 3)), np.empty((len(links), 3))
        state = State(Model.of(tree, ()), q, np.zeros((0, 4, 4)), dq)
        spheres = Spheres(frame=frames, centre=centre)
        place_spheres(spheres.address, state.rows, state.twists, x, v)
        for k, link in enumerate(links):
            p, velocity, acceleration = truth(oracle, link[2:], local[k], q, dq, ddq)
            np.testing.assert_allclose(x[k], p, atol=1e-9)
            np.testing.assert_allclose(v[k], velocity, atol=1e-8)
            parts = np.array([np.linalg.norm(velocity), np.linalg.norm(acceleration)])
            bounds = np.array([fastest[k], sharpest[k]])
            assert (parts <= bounds * (1.0 + 1e-9)).all(), (link, parts, bounds)
            tightest = np.maximum(tightest, parts / bounds)
    assert (tightest > 0.5).all()  # some link comes near its bounds


def points_of(shape, rng, count=3000):
    """Points of a shape, many of them on its surface."""
    if isinstance(shape, so.Box):
        p = rng.uniform(-0.6, 0.6, (count, 3)).clip(-0.5, 0.5)
        return p * shape.size
    if isinstance(shape, so.Polyhedron):
        return rng.dirichlet(np.full(len(shape.vertices), 0.1), count) @ shape.vertices
    turn = rng.uniform(0.0, 2.0 * math.pi, count)
    if isinstance(shape, so.Cylinder):
        r = shape.radius * np.sqrt(rng.uniform(0.0, 1.5, count).clip(0.0, 1.0))
        z = shape.length * rng.uniform(-0.6, 0.6, count).clip(-0.5, 0.5)
        return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)
    length = shape.length if isinstance(shape, so.Capsule) else 0.0
    p = rng.normal(size=(count, 3))
    p *= shape.radius / np.linalg.norm(p, axis=1)[:, None]
    p[:, 2] += length * rng.uniform(-0.6, 0.6, count).clip(-0.5, 0.5)
    return p


@pytest.mark.parametrize("largest", [0.03, 0.1, 0.5])
def test_spheres_hold_the_shape(largest):
    rng = np.random.default_rng(1)
    at = so.pose((0.3, -0.2, 0.5), rpy=(0.3, 1.1, -0.4))
    shapes = [
        so.Sphere(0.07),
        so.Capsule(0.06, 0.4),
        so.Capsule(0.06, 0.0),
        so.Box((0.5, 0.03, 0.2)),
        so.Cylinder(0.05, 0.3),
        so.Cylinder(0.3, 0.01),
        so.Polyhedron(rng.normal(size=(20, 3)) * 0.2),
    ]
    for shape in shapes:
        centres, radii = spheres_of(shape, at, largest)
        world = points_of(shape, rng) @ at[:3, :3].T + at[:3, 3]
        gaps = np.linalg.norm(world[:, None] - centres[None], axis=2) - radii
        assert gaps.min(axis=1).max() <= 1e-15, shape
        own = getattr(shape, "radius", 0.0)
        if not isinstance(shape, so.Polyhedron):
            assert radii.max() <= max(largest, 1.15 * own) * (1.0 + 1e-9)


def test_bounds_pairs_and_names_of_a_cell():
    cell = two_arms()
    cell.allow("left/panda_hand", "cart", reason="it pushes the cart")
    spheres = so.predict.cell_spheres(cell, 10.0, moving={"cart": (1.5, 2.0)})
    names = np.array(spheres.names)
    assert set(names) == set(cell.model.names)
    assert (spheres.radii > 0.0).all()
    still = (names == "table") | np.char.endswith(names, "link0")
    assert (spheres.max_speed[still] == 0.0).all() and (
        spheres.max_acceleration[still] == 0.0
    ).all()
    assert (spheres.max_speed[names == "cart"] == 1.5).all()
    assert (spheres.max_acceleration[names == "cart"] == 2.0).all()
    moved = ~still & (names != "cart")
    assert (spheres.max_speed[moved] > 0.0).all()
    off = {tuple(pair) for pair in spheres.off.tolist()}
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            same = names[i] == names[j]
            allowed = same or cell.reason(str(names[i]), str(names[j])) is not None
            assert ((i, j) in off) == allowed, (names[i], names[j])


def test_spheres_of_what_did_not_change_are_not_made_again(monkeypatch):
    """A second predictor of a cell covers only what is new in it."""
    cell = two_arms()
    made = []
    cover = from_cell.spheres_of
    monkeypatch.setattr(
        from_cell, "spheres_of", lambda *given: made.append(given[0]) or cover(*given)
    )
    first = so.predict.cell_spheres(cell, 10.0, moving={"cart": (1.5, 2.0)})
    assert len(made) == len(cell.model.primitives)
    made.clear()
    box = so.Box((0.1, 0.2, 0.3))
    cell.add_body("box", box, so.pose((1.0, 1.0, 1.0)))
    second = so.predict.cell_spheres(cell, 10.0, moving={"cart": (1.5, 2.0)})
    assert made == [box]
    old = np.array(second.names) != "box"
    assert np.array_equal(second.radii[old], first.radii)
    q = np.zeros(len(cell.joints))
    assert np.array_equal(second.place(q, q)[0][old], first.place(q, q)[0])
    made.clear()
    so.predict.cell_spheres(cell, 10.0, moving={"cart": (1.5, 2.0)}, radius=0.2)
    assert made  # spheres of another size


def test_placing_follows_joints_and_moving_bodies():
    cell = two_arms()
    spheres = so.predict.cell_spheres(cell, 10.0, moving={"cart": (1.5, 2.0)})
    rng = np.random.default_rng(2)
    q = rng.uniform(-0.5, 0.5, len(cell.joints))
    dq = rng.normal(size=len(q))
    cart = so.pose((1.0, 2.0, 0.0), rpy=(0.1, 0.2, 0.3))
    twist = rng.normal(size=(1, 6))
    x, v = spheres.place(q, dq, {"cart": cart}, twist)
    h = 1e-6
    turn = pin.exp3(h * twist[0, :3])
    later = np.eye(4)
    later[:3, :3] = turn @ cart[:3, :3]
    later[:3, 3] = cart[:3, 3] + h * twist[0, 3:]
    y, _ = spheres.place(q + h * dq, dq, {"cart": later}, twist)
    np.testing.assert_allclose((y - x) / h, v, atol=1e-4)
    names = np.array(spheres.names)
    table = x[names == "table"]
    assert (v[names == "table"] == 0.0).all()
    assert np.allclose(table.mean(axis=0), (0.4, 0.0, -0.2))


def test_joints_beyond_what_the_bounds_count_on():
    cell = two_arms()
    spheres = so.predict.cell_spheres(cell, 10.0, moving={"cart": (1.5, 2.0)})
    q, dq = np.zeros(len(cell.joints)), np.zeros(len(cell.joints))
    assert spheres.broken(q, dq) == ()
    dq[3] = 2.0 * spheres.joint_speed[3]
    slide = cell.tree.kinds.index("prismatic")
    q[slide] = cell.tree.upper[slide] + 0.01
    assert set(spheres.broken(q, dq)) == {cell.joints[3], cell.joints[slide]}


def test_a_predictor_beyond_the_limits_of_a_proof_says_so(tmp_path):
    """A link was 74 mm deep in a post that it was proved apart from within its limits, with neither
    an alarm nor a fault: only slides were held to their limits."""
    (tmp_path / "a.urdf").write_text(
        '<robot name="a"><link name="base"/><link name="l"><collision><origin xyz="0.4 0 0"/>'
        '<geometry><box size="0.5 0.05 0.05"/></geometry></collision></link>'
        '<joint name="j" type="revolute"><parent link="base"/><child link="l"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" velocity="2" effort="1"/></joint></robot>'
    )
    cell = so.Cell()
    cell.add_robot(tmp_path / "a.urdf", name="a")
    cell.add_body("post", so.Sphere(0.05), so.pose((-0.4, 0.0, 0.0)))
    cell.add_body("other", so.Sphere(0.05), so.pose((0.0, 0.0, 3.0)))
    result = cell.prove_apart([("a/l", "post")])
    assert len(result.apart) == 1
    result.allow(cell)
    predictor = so.Predictor.from_cell(cell, 5.0)
    assert cell.distance("a/l", "post", [3.14]).distance < -0.07
    for q, fine in ((0.0, True), (1.00009, True), (1.0002, False), (3.14, False), (-3.14, False)):
        step = predictor.step_cell([q], [0.0])
        assert step.keeping_up is fine and bool(step.faults) is not fine, q
        assert predictor.spheres.broken([q], [0.0]) == (() if fine else ("a/j",))


def test_what_makes_no_sense_is_refused():
    cell = two_arms()
    moving = {"cart": (1.5, 2.0)}
    for wrong, message in [
        ({}, "a moving body without bounds"),
        ({"moving": {"cart": 3.0}}, "not two numbers"),
        ({"moving": {"cart": (1.0, -1.0)}}, "not a possible value"),
        ({"moving": moving, "max_joint_acceleration": -1.0}, "not a possible value"),
        ({"moving": moving, "radius": 0.0}, "not a possible value"),
        ({"moving": {**moving, "card": (1.0, 1.0)}}, "unknown moving body 'card'"),
        ({"moving": moving, "leave_out": ("tabel",)}, "unknown link or body 'tabel'"),
        ({"moving": moving, "max_joint_speed": [1.0]}, "wrong shape"),
        ({"moving": moving, "max_joint_speed": math.inf}, "not a possible value"),
    ]:
        with pytest.raises(so.Error, match=message):
            so.predict.cell_spheres(cell, **{"max_joint_acceleration": 1.0, **wrong})
    cell.add_body("floor", so.HalfSpace(), so.pose((0.0, 0.0, -1.0)))
    with pytest.raises(so.errors.PredictError, match=r"floor.*without bounds.*leave_out"):
        so.predict.cell_spheres(cell, 1.0, moving=moving)
    spheres = so.predict.cell_spheres(cell, 1.0, moving=moving, leave_out=("floor",))
    assert spheres.left_out == ("floor",) and "floor" not in spheres.names
    with pytest.raises(so.errors.PredictError, match="twists"):
        spheres.place(cell.q, cell.q, None, np.zeros((2, 6)))


def test_a_predictor_with_no_pair_left_to_watch_was_safe():
    """All but one body left out: no step could have an alarm."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="p")
    cell.add_body("floor", so.HalfSpace(), so.pose((0.0, 0.0, -1.0)))
    links = [name for name in cell.model.names if name != "floor"]
    with pytest.raises(so.errors.PredictError, match="leave_out: no pair is left to watch"):
        so.Predictor.from_cell(cell, 5.0, leave_out=("floor", *links[1:]))
    with pytest.raises(so.errors.PredictError, match="leave_out: no pair is left to watch"):
        so.predict.cell_spheres(cell, 5.0, leave_out=cell.model.names)
    so.Predictor.from_cell(cell, 5.0, leave_out=("floor",))


def test_a_finger_at_its_limit_and_a_hair_beyond_is_no_fault_of_a_predictor():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="p")
    spheres = so.predict.cell_spheres(cell, 5.0)
    q = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7, 0.04])
    for beyond, names in ((1e-9, ()), (0.9e-4, ()), (2e-4, ("p/panda_finger_joint1",))):
        for end in (-beyond, 0.04 + beyond):
            q[7] = end
            assert spheres.broken(q, np.zeros(8)) == names


def test_the_bounds_hold_as_far_as_a_slide_may_be_beyond_its_limits(tmp_path):
    path = tmp_path / "boom.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"><collision><geometry>'
        '<sphere radius="0.05"/></geometry></collision></link><joint name="turn" type="continuous">'
        '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit velocity="3" effort="1"/>'
        '</joint><joint name="slide" type="prismatic"><parent link="b"/><child link="c"/>'
        '<axis xyz="1 0 0"/><limit lower="0" upper="0.5" velocity="0" effort="1"/></joint></robot>'
    )
    cell = so.Cell()
    cell.add_robot(path, name="r")
    cell.add_body("wall", so.Box((0.1, 1.0, 1.0)), so.pose((2.0, 0.0, 0.0)))
    spheres = so.predict.cell_spheres(cell, 0.0, max_joint_speed=[3.0, 0.0])
    q, dq = np.array([0.3, 0.5 + 0.9e-4]), np.array([3.0, 0.0])
    assert spheres.broken(q, dq) == ()
    k = spheres.names.index("r/c")
    assert np.linalg.norm(spheres.place(q, dq)[1][k]) <= spheres.max_speed[k]
