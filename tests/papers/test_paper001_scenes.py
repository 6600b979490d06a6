"""The scenes of paper 001: triangle counts, closed links, a fair mix of free and colliding."""

import functools

import numpy as np
import pytest

import standoff as so
from standoff.errors import Error, MeshError
from standoff.motion.motion_bound import MotionBound, MovingBody
from standoff.papers.paper001_scenes import SCENES, fanuc200, irb2400, scene
from standoff.papers.surfaces import block, joined, lathe, refined, rod, sheet, torus
from tests.oracles.coal import CoalCell

#: Robots of each scene, triangles of each robot and of all obstacles, where the paper gives them.
COUNTS = {
    "1": (2, 320, None),
    "2": (1, 2991, None),
    "6a": (1, 2991, None),
    "6b": (1, 2502, None),
    "6a-one": (1, 2991, None),
    "6b-one": (1, 2502, None),
    "7a": (1, 2502, 34171),
    "7b": (1, 2991, 74681),
    "7c": (6, 2991, 19668),
    "8": (1, 320, None),
    "8-nine": (9, 320, None),
}

#: Built in a second or less; nine linkages have 16,830 pairs.
QUICK = ["1", "2", "6a", "6b", "7a", "7c", "8"]


@functools.cache
def cell_of(figure):
    return scene(figure)


def triangles(cell, name):
    parts = cell.model.parts[cell.model.index[name]]
    return sum(shape.triangles for shape, _ in parts)


@pytest.mark.parametrize("figure", SCENES)
def test_triangles_are_as_many_as_in_the_paper(figure):
    cell, (robots, each, obstacles) = cell_of(figure), COUNTS[figure]
    assert len(cell.robots) == robots
    for robot in cell.robots:
        links = [n for n in cell.model.names if n.startswith(f"{robot}/") and "held" not in n]
        assert sum(triangles(cell, name) for name in links) == each
    if obstacles is not None:
        assert sum(triangles(cell, name) for name in cell.bodies) == obstacles
    if figure == "1":
        assert [triangles(cell, f"torus_{k}") for k in range(3)] == [6300] * 3


@pytest.mark.parametrize("figure", SCENES)
def test_only_what_cannot_be_closed_is_open(figure):
    """A solid has an even number of triangles: an odd count leaves one body open."""
    cell = cell_of(figure)
    foot = {f"{robot}/link_0" for robot in cell.robots if COUNTS[figure][1] % 2}
    for name, parts in zip(cell.model.names, cell.model.parts):
        for shape, _ in parts:
            assert shape.closed == (name not in foot | {"hood", "floor"})
            assert shape.closed is False or (shape.problems == () and shape.volume > 0.0)


def test_the_cage_as_one_mesh_is_the_cage_of_wires():
    for figure in ("6a", "6b"):
        wires, one = cell_of(figure), cell_of(f"{figure}-one")
        assert list(one.bodies) == ["cage"] and len(wires.bodies) == 38
        shapes = [body.shape for body in wires.bodies.values()]
        cage = one.bodies["cage"].shape
        assert cage.triangles == sum(shape.triangles for shape in shapes)
        assert cage.volume == pytest.approx(sum(shape.volume for shape in shapes))


def test_twenty_joints_a_linkage_and_nine_of_them():
    assert len(cell_of("1").joints) == 40
    assert len(cell_of("8").joints) == 20
    assert len(cell_of("8-nine").joints) == 180


def test_the_irb_moves_as_the_built_in_one_does():
    built_in = so.Cell()
    built_in.add_robot("builtin:irb2400")
    ours = cell_of("2")
    for q in np.random.default_rng(0).uniform(ours.tree.lower, ours.tree.upper, (5, 6)):
        flange = built_in.tree.link_pose(q, "irb2400/link_6")
        assert np.allclose(ours.tree.link_pose(q, "robot/link_6"), flange)


@pytest.mark.parametrize("figure", ["1", "8", "8-nine"])
def test_linkages_start_straight_and_free(figure):
    cell = cell_of(figure)
    assert not collides(cell, np.zeros((1, len(cell.joints))))[0]


@pytest.mark.parametrize("figure", QUICK)
def test_random_configurations_are_a_mix_of_free_and_colliding(figure):
    cell = cell_of(figure)
    rng = np.random.default_rng(1)
    Q = rng.uniform(cell.tree.lower, cell.tree.upper, (60, len(cell.joints)))
    free = 1.0 - collides(cell, Q).mean()
    assert 0.05 < free < 0.97


def collides(cell, Q):
    """What Coal says of each configuration."""
    oracle = CoalCell(cell)
    return np.array([oracle.collides(q) for q in Q])


def test_robot_files_stay_where_a_folder_is_given(tmp_path):
    scene("6b", tmp_path)
    assert (tmp_path / "fanuc200.urdf").is_file()
    assert (tmp_path / "fanuc200.srdf").is_file()
    assert len(list(tmp_path.glob("*.obj"))) == 7


def test_an_unknown_scene_is_an_error():
    with pytest.raises(Error, match="8-nine"):
        scene("9")


def test_the_same_scene_comes_out_each_time():
    one, two = cell_of("7a"), scene("7a")
    for name, body in one.bodies.items():
        assert np.array_equal(body.shape.vertices, two.bodies[name].shape.vertices)


@pytest.mark.parametrize(
    "surface",
    [
        block((0, 0, 0), (1, 2, 3)),
        lathe([(1.0, 0.0), (0.5, 1.0), (0.7, 2.0)], 9),
        rod((0, 0, 0), (1, 2, 3), 0.1, 6),
        torus(1.0, 0.1, 20, 8),
        joined(block((0, 0, 0), (1, 1, 1)), torus(1.0, 0.1, 20, 8)),
    ],
    ids=["block", "lathe", "rod", "torus", "joined"],
)
def test_refining_keeps_the_solid(surface):
    before, after = surface.mesh(), refined(surface, 1000).mesh()
    assert before.closed and after.closed and after.triangles == 1000
    assert after.volume == pytest.approx(before.volume)
    with pytest.raises(MeshError):
        refined(surface, 1001)
    with pytest.raises(MeshError):
        refined(surface, surface.count - 2)


def test_an_open_surface_can_have_an_odd_count():
    cup = lathe([(1.0, 0.0), (0.5, 1.0)], 9, below=False)
    for count in (100, 101):
        mesh = refined(cup, count).mesh()
        assert mesh.triangles == count and not mesh.closed
        assert mesh.area == pytest.approx(cup.mesh().area)


def test_a_sheet_with_a_hole_is_a_thin_solid():
    u, v = np.meshgrid(np.linspace(0, 2, 9), np.linspace(0, 1, 6), indexing="ij")
    kept = np.ones((8, 5), dtype=bool)
    kept[3:5, 2] = False
    mesh = sheet(np.stack([u, v, 0.0 * u], axis=-1), 0.01, kept).mesh()
    assert mesh.closed
    assert mesh.volume == pytest.approx((2.0 - 2 * 0.25 * 0.2) * 0.01)


def test_both_robots_reach_as_far_as_their_kind():
    """From axis 1, stretched out: the IRB 1.55 m to the wrist's centre, the Fanuc some 1.4 m."""
    for chain, reach in ((irb2400(), 1.55), (fanuc200(), 1.37)):
        at = np.array([axis.at for axis in chain.axes])
        arm = at[1, 0] + at[2, 2] + np.hypot(at[3, 2], at[4, 0])
        assert arm == pytest.approx(reach, abs=0.03)


@pytest.mark.parametrize("figure", ["2", "6b"])
def test_links_said_never_to_meet_never_do(figure):
    """Branch and bound over the two joints between them: at the middle of a range of angles they
    are farther apart than anything can move within it, or the range is halved."""
    cell = cell_of(figure)
    never = [p for p in cell.allowed() if p.reason == "SRDF: Never"]
    assert len(never) == {"2": 5, "6b": 4}[figure]
    for pair in never:
        numbers = sorted(int(name.rpartition("_")[2]) for name in (pair.a, pair.b))
        assert numbers[1] - numbers[0] == 2
        assert _least(cell, pair.a, pair.b, list(range(*numbers))) > 0.002


def _least(cell, a, b, joints):
    """A lower bound on the distance of two links over all angles of the joints."""
    model, tree = cell.model, cell.tree
    (shape_a, local_a), (shape_b, local_b) = (model.parts[model.index[n]][0] for n in (a, b))
    frames = [model.frame_of(n) for n in (a, b)]
    bodies = [
        MovingBody.of_shape(n, f, s, local)
        for n, f, s, local in zip((a, b), frames, (shape_a, shape_b), (local_a, local_b))
        if f
    ]
    bound = MotionBound(tree, bodies)
    pair = bound.pair(b, a if frames[0] else "world")
    least = np.inf
    still = np.setdiff1d(np.arange(len(tree.joints)), joints)
    low, high = tree.lower.copy(), tree.upper.copy()
    low[still] = high[still] = np.clip(0.0, tree.lower, tree.upper)[still]
    open_boxes, tests = [(low, high)], 0
    while open_boxes:
        low, high = open_boxes.pop()
        tests += 1
        assert tests < 20_000, "these two may well meet"
        middle = (low + high) / 2
        poses = tree.forward(middle)
        apart = so.distance(
            shape_a, poses[frames[0]] @ local_a, shape_b, poses[frames[1]] @ local_b
        ).distance
        left = apart - bound.segment(middle, high).length(pair)
        if left > 0.002:
            least = min(least, left)
            continue
        widest = joints[int(np.argmax((high - low)[joints]))]
        for k in range(2):
            parts = low.copy(), high.copy()
            parts[1 - k][widest] = middle[widest]
            open_boxes.append(parts)
    return least
