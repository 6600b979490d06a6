"""The bounds of a proof over a box of joint values, against where points really get in it."""

import math
from dataclasses import replace

import numpy as np
import pytest

import standoff as so
from standoff.cell.model import Model, entry_of
from standoff.compiled.jit import entry
from standoff.motion.motion_bound import MotionBound, MovingBody
from standoff.paths.apart_problem import Problem, joint_range
from standoff.paths.kernels import apart_bounds as bounds
from standoff.paths.kernels import apart_tables as p
from standoff.robots.description import Joint, Link, Robot
from standoff.robots.kernels.kinematics import INDEX, JOINT_KIND, MULTIPLIER, PRISMATIC
from standoff.robots.tree import Mount, Tree
from tests.worlds.random_trees import World, random_pose, random_rotation, track


@entry("void(int64)")
def place_box(tables):
    bounds.place_box(p.apart_at(tables))


@entry("UniTuple(float64, 4)(int64, int64)")
def swept_ball(tables, part):
    return bounds.swept_ball(p.apart_at(tables), part)


@entry("UniTuple(float64, 2)(int64, int64)")
def near_reaches(tables, part):
    return bounds.near_reaches(p.apart_at(tables), part)


@entry("void(int64, int64, int64, float64, float64, float64)")
def take_slopes(tables, a, b, nx, ny, nz):
    bounds.take_slopes(p.apart_at(tables), a, b, (nx, ny, nz))


@entry("UniTuple(float64, 2)(int64, int64, int64, float64, float64, float64)")
def least_along(tables, part, row0, nx, ny, nz):
    return bounds.least_along(p.apart_at(tables), part, row0, (nx, ny, nz))


@entry("float64(int64, int64, int64)")
def proved_gap(tables, a, b):
    return bounds.proved_gap(p.apart_at(tables), a, b)[0]


def shapes(rng, size):
    """One of each kind, about as large as the links are long."""
    a, b, c = size * rng.uniform(0.02, 0.3, 3)
    corners = size * rng.normal(size=(12, 3)) * 0.1
    return [
        so.Sphere(a),
        so.Capsule(a, b),
        so.Box((a, b, c)),
        so.Cylinder(a, b),
        so.Polyhedron(corners),
    ]


def surface(shape, rng, grown=True):
    """Points of a shape, some of them its farthest ones, in its own frame; of what is round, with
    ``grown=False``, points of the axis or the centre, by whose motion it moves."""
    away = rng.normal(size=(12, 3))
    away /= np.linalg.norm(away, axis=1)[:, None]
    if isinstance(shape, so.Cylinder):
        turns = rng.uniform(0, 2 * math.pi, 12)
        rim = np.stack([np.cos(turns), np.sin(turns), np.zeros(12)], axis=1) * shape.radius
        return rim + rng.choice([-0.5, 0.5], 12)[:, None] * np.array([0, 0, shape.length])
    points, radius = shape.core()
    return points[rng.integers(len(points), size=12)] + radius * away * grown


class Case:
    """Two bodies of a random world, one box of their joints, and configurations in it."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        while True:
            world = World(rng)
            tree = world.tree
            frames = rng.integers(0, tree.frames, 2)
            if frames[0] != frames[1]:
                break
        parts = tuple(
            ((shapes(rng, world.size)[rng.integers(5)], random_pose(rng, 0.1 * world.size)),)
            for _ in range(2)
        )
        bodies = Model.of(tree, map(entry_of, "ab", map(int, frames), parts))
        self.problem = Problem(bodies, "a", "b", 0.0)
        self.usable = self.problem.endless is None
        if not self.usable:
            return
        # The problem puts a body that stands still second.
        order = [1, 0] if frames[0] == 0 else [0, 1]
        self.tables = self.problem.tables
        level = int(rng.integers(0, 12))
        count = len(self.problem.joints)
        self.tables.intervals[:] = 2**level + rng.integers(0, 2**level, count)
        place_box(self.tables.address)
        self.centre, self.half = self.tables.q.copy(), self.tables.joints.half.copy()
        low, high = self.problem.limits
        shares = rng.uniform(-1, 1, (200, count))
        shares[:40] = np.sign(shares[:40])
        inside = np.clip(self.centre + shares * self.half, low, high)
        inside[0] = self.centre
        Q = np.repeat(np.zeros((1, len(tree.joints))), 200, axis=0)
        Q[:, list(self.problem.joints)] = inside
        self.tree, self.Q = tree, Q
        self.parts = [(*parts[k][0], int(frames[k])) for k in order]
        root = tree.common(*map(int, frames))
        self.where, self.core = [], []
        for k in order:
            shape, pose = parts[k][0]
            for found, grown in ((self.where, True), (self.core, False)):
                points = surface(shape, rng, grown) @ pose[:3, :3].T + pose[:3, 3]
                found.append(self.track(world, int(frames[k]), root, points, Q))
        self.size = world.size + float(np.abs(self.where[0]).max() + np.abs(self.where[1]).max())
        self.normal = random_rotation(rng)[0]

    @staticmethod
    def track(world, frame, root, points, Q):
        """Where points that are fixed in a frame of the tree are, seen from the root frame."""
        if frame == root:
            return np.repeat(points[None], len(Q), axis=0)
        # The plain table knows links; a frame is its link turned so that the axis is z.
        name = world.names[frame - 1]
        offset = np.linalg.inv(world.tree.link(name)[1])
        points = points @ np.linalg.inv(offset)[:3, :3] + offset[:3, 3]
        out = np.empty((len(Q), len(points), 3))
        track(world.plain, frame - 1, root - 1, np.ascontiguousarray(points), Q, out)
        if root:
            back = np.linalg.inv(np.linalg.inv(world.tree.link(world.names[root - 1])[1]))
            out = out @ back[:3, :3].T + back[:3, 3]
        return out


SEEDS = range(400)


def cases():
    found = [case for case in map(Case, SEEDS) if case.usable]
    assert len(found) > 150
    return found


@pytest.fixture(scope="module")
def boxes():
    return cases()


def rounding(case, part):
    return case.tables.parts.margin[part]


def test_a_swept_ball_holds_the_body_on_the_whole_box(boxes):
    close = 0
    for case in boxes:
        for part in (0, 1):
            x, y, z, radius = swept_ball(case.tables.address, part)
            away = np.linalg.norm(case.where[part] - (x, y, z), axis=2).max()
            assert away <= radius + rounding(case, part)
            close += away > 0.5 * radius
    assert close > len(boxes) / 4  # and is not simply huge


def test_no_point_of_a_core_moves_farther_than_the_length(boxes):
    for case in boxes:
        for part in (0, 1):
            length, _ = near_reaches(case.tables.address, part)
            moved = np.linalg.norm(case.core[part] - case.core[part][0], axis=2).max()
            assert moved <= length + rounding(case, part)


def test_no_point_is_lower_along_a_direction_than_the_slopes_say(boxes):
    sharp = 0
    for case in boxes:
        n = case.normal
        count = len(case.problem.joints)
        take_slopes(case.tables.address, 0, 1, *n)
        least, bend, most = [], [], []
        for part, way in ((0, n), (1, -n)):
            low, top = least_along(case.tables.address, part, part * count, *way)
            least.append(low - case.tables.parts.radius[part])
            most.append(top)
            bend.append(0.5 * near_reaches(case.tables.address, part)[1])
        # Both parts together: what moves both counts for their difference.
        nearest = (case.where[0] @ n).min(axis=1) - (case.where[1] @ n).max(axis=1)
        proved = sum(least) - sum(bend)
        slack = rounding(case, 0) + rounding(case, 1)
        assert proved <= nearest.min() + slack
        cores = (case.core[0] @ n).min(axis=1) - (case.core[1] @ n).max(axis=1)
        assert cores[0] - sum(most) - sum(bend) <= cores.min() + slack
        sharp += proved > nearest.min() - 0.1 * case.size
    assert sharp > len(boxes) / 4


def test_no_configuration_of_a_box_is_nearer_than_the_gap_that_certify_leaves(boxes):
    """All bounds together, each by the one inequality of `motion.kernels.certify`."""
    proofs = 0
    for case in boxes[:100]:
        proved = proved_gap(case.tables.address, 0, 1)
        (x, at, frame), (y, there, other) = case.parts
        slack = rounding(case, 0) + rounding(case, 1)
        for T in case.tree.forward_batch(case.Q[::10]):
            assert proved <= so.distance(x, T[frame] @ at, y, T[other] @ there).distance + slack
        proofs += proved > 0.0
    assert proofs > 30


def test_reaches_within_a_box_are_no_longer_than_those_of_the_whole_range(boxes):
    for case in boxes:
        for part in (0, 1):
            near_reaches(case.tables.address, part)
        links = case.tables.links
        assert (links.near_reach <= np.maximum(links.reach, 1.0)).all()


def test_the_cut_tree_has_the_reach_of_the_whole_tree():
    """Two links of one arm: the reach about the joints between them, whatever is before."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="r")
    problem = Problem(cell.model, "r/panda_link3", "r/panda_link7", 0.0)
    assert [cell.joints[i] for i in problem.joints] == [f"r/panda_joint{k}" for k in (4, 5, 6, 7)]
    tables = problem.tables
    assert (tables.linkage[1:, INDEX] == [0, 1, 2, 3]).all()
    part = tables.parts[tables.pairs[0].b]  # of link 7
    (shape, pose) = cell.model.parts[cell.model.index["r/panda_link7"]][0]
    frame = cell.model.frame_of("r/panda_link7")
    whole = MotionBound(cell.tree, [MovingBody.of_shape("x", frame, shape, pose)])
    ours = tables.links.reach[part.first_link : part.first_link + part.links]
    assert ours == pytest.approx(whole.reach[3:].tolist(), rel=1e-6)


@pytest.mark.parametrize("level", [3, 6, 10])
def test_two_turns_about_one_axis_bend_by_the_square_of_their_sum(level):
    """Where the bound is sharp: a point at distance 1 that turns by a and then by b is at
    cos(a + b), and M/2 is (a + b)² / 2, with the product of both turns counted twice."""
    axis = Joint("", "revolute", "", "", np.eye(4), np.array([0, 0, 1.0]), -1.0, 2.0, 1.0)
    joints = {
        "j1": replace(axis, name="j1", parent="l0", child="l1"),
        "j2": replace(axis, name="j2", parent="l1", child="l2"),
    }
    links = {name: Link(name) for name in ("l0", "l1", "l2")}
    tree = Tree([Mount("r", Robot("r", links, joints, "l0"))])
    ball, far = ((so.Sphere(0.1), so.pose((1, 0, 0))),), ((so.Sphere(0.1), so.pose((9, 0, 0))),)
    bodies = Model.of(tree, map(entry_of, "ab", (2, 0), (ball, far)))
    tables = Problem(bodies, "a", "b", 0.0).tables
    tables.intervals[:] = 2**level + 2 ** (level - 1)
    place_box(tables.address)
    turns, (w, v) = tables.q.sum(), tables.joints.half
    n = (math.cos(turns), math.sin(turns), 0.0)
    take_slopes(tables.address, 0, 1, *n)
    least, _ = least_along(tables.address, 0, 0, *n)
    _, bend = near_reaches(tables.address, 0)
    lost, truth = 1.0 - (least - 0.5 * bend), 1.0 - math.cos(w + v)
    assert truth - 1e-12 <= lost <= 1.1 * truth + 1e-12


def two_joints(kind, multiplier):
    """A continuous master and a joint that follows it."""
    world = World(np.random.default_rng(0))
    tree = world.tree
    tree.reals[1, MULTIPLIER], tree.reals[2, MULTIPLIER] = 1.0, multiplier
    tree.ints[2, JOINT_KIND] = kind
    return tree


@pytest.mark.parametrize(
    ("multiplier", "turns"), [(1.0, 1), (-2.0, 1), (3.0, 1), (0.5, 2), (0.25, 4), (0.0, 1)]
)
def test_a_continuous_joint_needs_as_many_turns_as_its_followers(multiplier, turns):
    tree = two_joints(1, multiplier)
    tree.ints[1, JOINT_KIND] = 1
    tree.lower, tree.upper = np.full(len(tree.joints), -np.inf), np.full(len(tree.joints), np.inf)
    low, high = joint_range(tree, 0, [1, 2])
    assert high - low == pytest.approx(2 * math.pi * turns, rel=1e-12)
    assert high - low >= 2 * math.pi * turns
    low, high = joint_range(tree, 0, [1])
    assert high - low >= 2 * math.pi


@pytest.mark.parametrize(("kind", "multiplier"), [(1, math.sqrt(2.0)), (PRISMATIC, 0.01)])
def test_an_endless_joint_with_followers_that_never_repeat_has_no_range(kind, multiplier):
    tree = two_joints(kind, multiplier)
    tree.ints[1, JOINT_KIND] = 1
    tree.lower, tree.upper = np.full(len(tree.joints), -np.inf), np.full(len(tree.joints), np.inf)
    assert tree.joints[0] in joint_range(tree, 0, [1, 2])


@pytest.mark.parametrize("ends", [(1.0, math.inf), (-math.inf, 1.0)])
def test_a_joint_with_one_limit_is_looked_at_on_its_side_of_it(ends):
    """What is shown to touch is within the limits, and a whole turn is looked at."""
    tree = two_joints(1, 1.0)
    tree.ints[1, JOINT_KIND] = 1
    tree.lower, tree.upper = (np.full(len(tree.joints), x) for x in ends)
    low, high = joint_range(tree, 0, [1])
    assert ends[0] <= low and high <= ends[1] and high - low >= 2 * math.pi


def test_a_joint_of_two_turns_is_looked_at_for_one():
    tree = two_joints(1, 1.0)
    tree.ints[1, JOINT_KIND] = 1
    tree.lower, tree.upper = np.full(len(tree.joints), -6.0), np.full(len(tree.joints), 7.0)
    low, high = joint_range(tree, 0, [1])
    assert low == -6.0 and 2 * math.pi <= high - low < 6.3
