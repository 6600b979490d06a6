"""Region octrees: what they hold, what they are sure of, and what can be done with them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.interference.parts import Part
from standoff.interference.region_meets import common_root, levels_for
from tests.worlds.mesh_shapes import bowl_arrays, torus
from tests.worlds.region_shapes import ROOT, heights, random_pose, shapes

KINDS = sorted(shapes(np.random.default_rng(0)))
LAWS = settings(deadline=None, max_examples=40, derandomize=True)


def within(rng, tree, which, count):
    """Random points in some of the leaves."""
    boxes = tree.boxes()[which]
    boxes = boxes[rng.integers(len(boxes), size=count)]
    return boxes[:, :3] + rng.uniform(size=(count, 3)) * (boxes[:, 3:] - boxes[:, :3])


@pytest.mark.parametrize("grow", [0.0, 0.12])
@pytest.mark.parametrize("kind", KINDS)
def test_every_point_of_the_body_is_in_the_tree_and_every_sure_point_in_the_body(kind, grow):
    rng = np.random.default_rng(7)
    shape, pose = shapes(rng)[kind], random_pose(rng)
    for levels in (0, 3, 5):
        tree = so.interference.RegionTree.build(shape, pose, root=ROOT, levels=levels, grow=grow)
        points = tree.low + rng.uniform(size=(400, 3)) * tree.edge
        height = heights(shape, pose, points)
        assert tree.covers(points[height <= grow]).all()
        assert not levels or (height > grow).any()
        if tree.sure.any():
            assert (heights(shape, pose, within(rng, tree, tree.sure, 300)) <= grow + 1e-9).all()
        # A finest leaf is no farther from the body than its diagonal.
        outer = within(rng, tree, ~tree.sure, 200)
        assert (heights(shape, pose, outer) <= grow * 1.8 + 1.8 * tree.cell + 1e-9).all()


@pytest.mark.parametrize("kind", ["torus", "bowl", "star"])
def test_every_triangle_is_covered(kind):
    rng = np.random.default_rng(3)
    shape, pose = shapes(rng)[kind], random_pose(rng)
    tree = so.interference.RegionTree.build(shape, pose, root=ROOT, levels=6)
    weights = rng.dirichlet((0.3, 0.3, 0.3), size=(20, len(shape.faces)))
    points = np.einsum("kfc,fcx->kfx", weights, shape.vertices[shape.faces]).reshape(-1, 3)
    assert tree.covers(points @ pose[:3, :3].T + pose[:3, 3]).all()


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "half space"])
def test_volume_bounds_hold_the_volume_and_close_in(kind):
    rng = np.random.default_rng(11)
    shape, pose = shapes(rng)[kind], random_pose(rng)
    last = math.inf
    for levels in (2, 4, 6):
        low, high = so.interference.RegionTree.build(
            shape, pose, root=ROOT, levels=levels
        ).volume_bounds()
        assert low <= shape.volume <= high
        assert high - low < last
        last = high - low
    assert last < 0.45 * max(shape.volume, 1.0)


def test_the_inside_of_an_open_mesh_was_not_in_its_tree():
    """All of its box is, and none of it for sure; also of a mesh without a thickness."""
    pose = so.pose((0.1, 0.0, 0.2), rpy=(0.3, 0.2, 0.1))
    bowl = so.Mesh(*bowl_arrays())
    tree = so.interference.RegionTree.build(bowl, pose, root=ROOT, levels=6)
    assert not tree.sure.any()
    low, high = bowl.bounds()
    for point in np.random.default_rng(0).uniform(low, high, (200, 3)):
        assert tree.contains(pose[:3, :3] @ point + pose[:3, 3])
    flat = so.Mesh([[0, 0, 0], [0.5, 0, 0], [0, 0.5, 0]], [[0, 1, 2]])
    assert so.interference.RegionTree.build(flat, root=ROOT, levels=5).contains((0.1, 0.1, 0.0))


def test_the_inside_of_a_sheet_is_not_in_its_tree():
    bowl = so.Mesh(*bowl_arrays(), sheet=True)
    tree = so.interference.RegionTree.build(bowl, root=ROOT, levels=6)
    assert not tree.contains((0.0, 0.0, -0.3)) and not tree.sure.any()
    assert tree.contains((0.0, 0.0, -0.6))


def test_a_cavity_is_white_and_a_part_within_a_part_is_black():
    rng = np.random.default_rng(0)
    tree = so.interference.RegionTree.build(shapes(rng)["hollow box"], root=ROOT, levels=5)
    assert not tree.contains((0.0, 0.0, 0.0)) and tree.contains((0.4, 0.0, 0.0))


def test_parts_that_lie_in_the_faces_of_nodes():
    """A cube that is just a node: sides are told although every segment could run along a face."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    cube = so.Polyhedron(corners)
    for shape in (cube, so.Mesh(cube.vertices, cube.faces)):
        tree = so.interference.RegionTree.build(shape, root=((0.0, 0.0, 0.0), 4.0), levels=4)
        low, high = tree.volume_bounds()
        assert low == pytest.approx(0.5**3) and high == pytest.approx(1.5**3)
        assert tree.contains((0.5, 0.5, 0.5)) and tree.contains((1.0, 1.0, 1.0))


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "cylinder", "half space"])
def test_nodes_of_primitives_are_white_just_where_they_are_apart(kind):
    rng = np.random.default_rng(5)
    shape, pose = shapes(rng)[kind], random_pose(rng)
    levels = 4
    tree = so.interference.RegionTree.build(shape, pose, root=ROOT, levels=levels)
    edge = tree.cell
    wrong = 0
    for _ in range(300):
        middle = tree.low + (rng.integers(2**levels, size=3) + 0.5) * edge
        apart = so.distance(shape, pose, so.Box((edge,) * 3), so.pose(middle)).distance
        black = tree.contains(middle)
        assert black or apart > 0.0
        wrong += black and apart > 0.0
    assert wrong <= 3  # the search for the nearest points ends after REGION_STEPS


def cubes(depth=3):
    return st.lists(
        st.tuples(*[st.floats(-0.9, 0.9)] * 3, st.floats(0.01, 0.6)), min_size=1, max_size=4
    )


def tree_of(balls, levels=4):
    parts = [Part(f"{k}", so.Sphere(r), so.pose((x, y, z))) for k, (x, y, z, r) in enumerate(balls)]
    return so.interference.RegionTree.of_parts(parts, root=((0.0, 0.0, 0.0), 3.2), levels=levels)


def cell_set(tree, sure=None):
    """All finest cells of a tree, or of its sure leaves."""
    found = set()
    for code, level, safe in zip(tree.codes.tolist(), tree.leaf_levels.tolist(), tree.sure):
        if sure is None or safe == sure:
            found.update(range(code, code + 8 ** (tree.levels - level)))
    return found


@LAWS
@given(cubes(), cubes())
def test_union_is_that_of_the_cells(one, two):
    a, b = tree_of(one), tree_of(two)
    union = a.union(b)
    assert cell_set(union) == cell_set(a) | cell_set(b)
    assert cell_set(union, True) == cell_set(a, True) | cell_set(b, True)
    assert union == b.union(a) and a.union(a) == a
    assert (
        a.union(so.interference.RegionTree.of_parts([], root=((0.0, 0.0, 0.0), 3.2), levels=4)) == a
    )


@LAWS
@given(cubes(), cubes())
def test_coarser_and_union_go_together(one, two):
    a, b = tree_of(one), tree_of(two)
    for levels in (0, 2, 4):
        assert cell_set(a.union(b).coarser(levels)) == cell_set(
            a.coarser(levels).union(b.coarser(levels))
        )
    coarse = a.coarser(2)
    assert {code >> 6 for code in cell_set(a)} == cell_set(coarse)
    assert {code >> 6 for code in cell_set(a, True)} >= cell_set(coarse, True)
    assert a.coarser(4) == a and a.coarser(3).coarser(2) == a.coarser(2)


@LAWS
@given(cubes(), st.floats(0.0, 0.7))
def test_grown_trees_hold_what_is_near(balls, distance):
    tree = tree_of(balls)
    grown = tree.grown(distance)
    assert cell_set(grown) >= cell_set(tree) and cell_set(grown, True) >= cell_set(tree, True)
    # A tree grown is no smaller than the tree of the grown body.
    parts = [Part(f"{k}", so.Sphere(r), so.pose((x, y, z))) for k, (x, y, z, r) in enumerate(balls)]
    exact = so.interference.RegionTree.of_parts(
        parts, root=((0.0, 0.0, 0.0), 3.2), levels=4, grow=distance
    )
    assert cell_set(grown) >= cell_set(exact)
    # And it holds just the cells as near as that to a leaf, measured in cells.
    boxes, cells = tree.boxes(), set(range(8**4))
    middles = {}
    for code in cells:
        at = [sum(((code >> (3 * bit + axis)) & 1) << bit for bit in range(4)) for axis in range(3)]
        middles[code] = tree.low + (np.array(at) + 0.5) * tree.cell
    near = cell_set(grown)
    for code in list(cells)[:: max(1, len(cells) // 150)]:
        low, high = middles[code] - tree.cell / 2, middles[code] + tree.cell / 2
        gaps = np.maximum(np.maximum(boxes[:, :3] - high, low - boxes[:, 3:]), 0.0)
        least = math.sqrt((gaps**2).sum(axis=1).min())
        if abs(least - distance) > 1e-9:
            assert (least < distance) == (code in near)


def test_ten_bytes_a_leaf_and_order():
    tree = so.interference.RegionTree.build(torus(), root=ROOT, levels=6)
    assert tree.nbytes <= 10 * len(tree)
    assert (np.diff(tree.codes) > 0).all()
    assert tree.boxes().shape == (len(tree), 6)
    with pytest.raises(ValueError):
        tree.codes[0] = 1


def test_what_sticks_out_of_the_root_is_told():
    ball = so.Sphere(0.5)
    inside = so.interference.RegionTree.build(ball, root=((0.0, 0.0, 0.0), 1.1), levels=3)
    out = so.interference.RegionTree.build(
        ball, so.pose((0.1, 0.0, 0.0)), root=((0.0, 0.0, 0.0), 1.1), levels=3
    )
    assert not inside.outside and out.outside and out.volume_bounds()[1] == math.inf
    assert so.interference.RegionTree.build(
        ball, root=((0.0, 0.0, 0.0), 1.1), levels=3, grow=0.1
    ).outside
    assert inside.grown(0.2).outside and inside.union(out).outside
    assert out.contains((9.0, 0.0, 0.0)) and not inside.contains((9.0, 0.0, 0.0))
    far = so.interference.RegionTree.build(
        ball, so.pose((9.0, 0.0, 0.0)), root=((0.0, 0.0, 0.0), 1.1), levels=3
    )
    assert far.outside and len(far) == 0
    assert so.interference.RegionTree.build(so.HalfSpace(), root=ROOT, levels=2).outside


def test_a_common_root_holds_all_parts():
    rng = np.random.default_rng(2)
    parts = [Part(k, s, random_pose(rng, 5.0)) for k, s in shapes(rng).items()]
    root = common_root(parts, grow=0.3)
    for part in parts:
        tree = so.interference.RegionTree.build(
            part.shape, part.pose, root=root, levels=2, grow=0.3
        )
        assert tree.outside == (not part.shape.bounded)
    assert common_root([])[1] == 1.0
    assert levels_for(1.0, 1.0) == 0 and levels_for(1.0, 0.5) == 1 and levels_for(1.0, 0.49) == 2


def test_leaves_do_not_depend_on_where_the_scene_is_by_more_than_rounding():
    """Far away a slack is larger, and no leaf is lost by it."""
    near = so.interference.RegionTree.build(
        so.Capsule(0.2, 0.5), root=((0.0, 0.0, 0.0), 2.0), levels=5
    )
    at = (1024.0, -2048.0, 4096.0)
    far = so.interference.RegionTree.build(
        so.Capsule(0.2, 0.5), so.pose(at), root=(at, 2.0), levels=5
    )
    assert cell_set(near) <= cell_set(far)
    assert len(cell_set(far)) < 1.02 * len(cell_set(near))


def test_a_node_that_is_touched_is_black():
    box = so.Box((1.0, 1.0, 1.0))
    tree = so.interference.RegionTree.build(
        box, so.pose((0.5, 0.5, 0.5)), root=((0, 0, 0), 2.0), levels=1
    )
    # All eight are touched, and none is sure: the root.
    assert tree.depths.tolist() == [0] and not tree.sure.any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels": 21}, "levels"),
        ({"levels": -1}, "levels"),
        ({"levels": 2.5}, "levels"),
        ({"root": ((0, 0), 1.0)}, "centre"),
        ({"root": ((0, 0, math.nan), 1.0)}, "centre"),
        ({"root": ((0, 0, 0), 0.0)}, "edge"),
        ({"root": 3}, "root"),
        ({"grow": -0.1}, "grow"),
        ({"grow": math.inf}, "grow"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises(so.errors.InterferenceError, match=message):
        so.interference.RegionTree.build(so.Sphere(0.1), **{"root": ROOT, "levels": 3, **change})


def test_other_bad_input_is_named():
    tree = so.interference.RegionTree.build(so.Sphere(0.1), root=ROOT, levels=3)
    with pytest.raises(so.errors.ShapeError, match="shape"):
        so.interference.RegionTree.build("ball", root=ROOT, levels=3)
    with pytest.raises(so.errors.PoseError):
        so.interference.RegionTree.build(so.Sphere(0.1), np.zeros((4, 4)), root=ROOT, levels=3)
    with pytest.raises(so.errors.InterferenceError, match="coarser"):
        tree.coarser(4)
    with pytest.raises(so.errors.InterferenceError, match="corresponding"):
        tree.union(tree.coarser(2))
    with pytest.raises(so.errors.InterferenceError, match="corresponding"):
        so.interference.meets(
            tree, so.interference.RegionTree.build(so.Sphere(0.1), root=((0, 0, 0), 3.0), levels=3)
        )
    with pytest.raises(so.errors.InterferenceError, match="too fine"):
        levels_for(1.0, 1e-9)
    for fine in (1e-310, 5e-324):
        with pytest.raises(so.errors.InterferenceError, match="too fine"):
            levels_for(1e9, fine)
    for parts in ([1], None, 5, [so.Sphere(0.1)]):
        with pytest.raises(so.errors.InterferenceError, match="not parts"):
            so.interference.RegionTree.of_parts(parts, root=ROOT, levels=3)
    for pair in ((1, 2), (tree, 2), (2, tree)):
        with pytest.raises(so.errors.InterferenceError, match="not a tree"):
            so.interference.meets(*pair)
        with pytest.raises(so.errors.InterferenceError, match="not a tree"):
            so.interference.meets_many(pair)
    with pytest.raises(so.errors.InterferenceError, match="not a tree"):
        so.interference.meets_many("ab")
    with pytest.raises(so.errors.InterferenceError, match="points"):
        tree.covers([[0.0, math.nan, 0.0]])
