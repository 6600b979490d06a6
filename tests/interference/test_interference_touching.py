"""Parts that touch are told from parts that cross: what is not proved to touch only crosses.

L brackets of whole cells are the law: by their cells it is known whether they have volume in
common."""

import numpy as np
import pytest

import standoff as so
from tests.worlds.robot_files import example


def extruded(outline, low, high, holes=()):
    """A closed mesh: a polygon, seen from above counterclockwise, from ``low`` to ``high``; or the
    ring between it and a hole of as many corners, clockwise to nothing: in the same order."""
    rings = [np.asarray(outline, float), *(np.asarray(hole, float) for hole in holes)]
    n = len(rings[0])
    points = np.concatenate([np.column_stack([r, np.full(n, z)]) for r in rings
                             for z in (low, high)])  # fmt: skip
    faces = []
    for k in range(n):
        j = (k + 1) % n
        faces += [(k, j, n + j), (k, n + j, n + k)]
        if holes:
            a, b = 2 * n, 3 * n  # the hole below and above
            faces += [(a + k, b + j, a + j), (a + k, b + k, b + j)]
            faces += [(n + k, n + j, b + j), (n + k, b + j, b + k)]
            faces += [(k, a + j, j), (k, a + k, a + j)]
    if not holes:
        for a, b, c in ears(rings[0]):
            faces += [(n + a, n + b, n + c), (a, c, b)]
    mesh = so.Mesh(points, faces)
    assert mesh.closed and not mesh.problems
    return mesh


def ears(ring):
    """The triangles of a simple polygon."""
    left, found = list(range(len(ring))), []
    cross = lambda o, a, b: (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])  # noqa: E731
    while len(left) > 3:
        for i in range(len(left)):
            a, b, c = left[i - 1], left[i], left[(i + 1) % len(left)]
            if cross(ring[a], ring[b], ring[c]) <= 0.0:
                continue
            rest = (ring[k] for k in left if k not in (a, b, c))
            if not any(
                min(cross(ring[a], ring[b], p), cross(ring[b], ring[c], p),
                    cross(ring[c], ring[a], p)) >= 0.0
                for p in rest
            ):  # fmt: skip
                found.append((a, b, c))
                left.pop(i)
                break
    return [*found, tuple(left)]


#: An L of three cells of 0.1 m, 0.1 m thick.
ELL = extruded(0.1 * np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]), 0.0, 0.1)
CELLS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)])


def ring(count, radius, turn=0.0):
    angle = turn + 2.0 * np.pi * np.arange(count) / count
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def gear(teeth=12, turn=0.0):
    radii = np.tile([0.08, 0.1, 0.1, 0.08], teeth)[:, None]
    return extruded(radii * ring(4 * teeth, 1.0, turn), 0.0, 0.02)


def only(a, b, pose=None):
    (found,) = so.interference.find({"a": a, "b": (b, so.pose() if pose is None else pose)})
    return found


def test_brackets_that_have_volume_in_common_never_only_touch():
    """Whole cells: shifts by cells and turns by right angles, of which the answer is known; and the
    same by half cells."""
    rng = np.random.default_rng(3)
    crossing = touching = 0
    for _ in range(120):
        half = rng.random() < 0.3
        shift = rng.integers(-2, 3, size=3) * ([0.5, 0.5, 0.5] if half else [1.0, 1.0, 0.5])
        turn = np.array([[(1, 0), (0, 1)], [(0, -1), (1, 0)], [(-1, 0), (0, -1)]])[rng.integers(3)]
        pose = so.pose(0.1 * shift)
        pose[:2, :2] = turn
        centres = CELLS + 0.5
        moved = np.column_stack([centres[:, :2] @ turn.T, centres[:, 2]]) + shift
        gaps = np.abs(centres[:, None] - moved[None]).max(axis=2)
        found = so.interference.find({"a": ELL, "b": (ELL, pose)})
        assert bool(found) == bool((gaps <= 1.0 + 1e-9).any())
        if found:
            common = bool((gaps < 1.0 - 1e-9).any())
            assert found[0].touching == (not common), (shift, turn)
            crossing += common
            touching += not common
    assert crossing > 15 and touching > 10


def test_the_same_part_twice_in_one_place_is_no_mate():
    for shape in (ELL, gear(), extruded(ring(24, 0.05), 0.0, 0.02, [ring(24, 0.03)])):
        pose = so.pose((0.3, 0.2, 0.1), rpy=(0.3, 0.2, 0.1))
        (found,) = so.interference.find({"a": (shape, pose), "b": (shape, pose)})
        assert found.certain and not found.touching and "twice" in found.evidence
    box = only(so.Box((0.1, 0.2, 0.3)), so.Box((0.1, 0.2, 0.3)))
    assert not box.touching and box.distance == pytest.approx(-0.1)


def test_brackets_shifted_by_5_mm_and_gears_tooth_on_tooth_cross():
    for shift in ((0.005, 0, 0), (0, 0.005, 0), (0, 0, 0.005), (0.005, 0.005, 0.005)):
        assert not only(ELL, ELL, so.pose(shift)).touching
    # Tooth on tooth at 0.19 m; at 0.2 m the tips meet.
    assert not only(gear(turn=0.1), gear(turn=0.1), so.pose((0.19, 0, 0))).touching
    assert not only(gear(), gear(), so.pose((0.15, 0, 0.01))).touching


def test_mates_touch_only():
    for shift in ((0, 0, 0.1), (0.05, 0.03, 0.1), (0.2, 0, 0), (0.1, 0.1, 0)):
        found = only(ELL, ELL, so.pose(shift))
        assert found.certain and found.touching and found.distance <= 0.0
    # A flush cover on a ring, and one let into it; a peg in a hole of the same facets.
    housing = extruded(ring(24, 0.05), 0.0, 0.02, [ring(24, 0.03)])
    assert only(housing, extruded(ring(24, 0.05), 0.02, 0.025)).touching
    assert only(housing, extruded(ring(24, 0.03), 0.01, 0.02)).touching
    assert only(housing, extruded(ring(24, 0.03), -0.1, 0.1)).touching
    assert only(housing, so.Cylinder(0.05, 0.02), so.pose((0, 0, 0.03))).touching
    # Turned by half a facet its edges stick in the wall.
    turned = extruded(ring(24, 0.03, np.pi / 24), -0.1, 0.1)
    assert not only(housing, turned).touching
    for pose, touching in ((so.pose((0.1, 0, 0)), True), (so.pose((0.0999, 0, 0)), False)):
        assert only(so.Box((0.1, 0.1, 0.1)), so.Box((0.1, 0.1, 0.1)), pose).touching == touching


def test_what_cannot_be_told_counts_as_crossing():
    sheet = so.Mesh(ELL.vertices, ELL.faces[:-1])
    assert not sheet.closed and not only(ELL, sheet, so.pose((0, 0, 0.1))).touching
    floor, roof = so.HalfSpace(), (so.HalfSpace(), so.pose((0, 0, 0.5), rpy=(np.pi, 0, 0)))
    assert not so.interference.find({"floor": (floor, so.pose((0, 0, 0.9))), "roof": roof})[
        0
    ].touching
    assert only(so.HalfSpace(), ELL, so.pose()).touching
    assert not only(so.HalfSpace(), ELL, so.pose((0, 0, -0.001))).touching


def test_links_of_a_robot_twice_in_one_place_cross():
    for path in (
        "panda_description/meshes/collision/link0.stl",
        "panda_description/meshes/collision/hand.stl",
        "panda_description/meshes/collision/finger.stl",
        "talos_data/meshes/arm/arm_2_collision.STL",
    ):
        mesh = so.Mesh.load(example(path))
        for shift in (0.0, 1e-4, 1e-3):
            assert not only(mesh, mesh, so.pose((shift, 0, 0))).touching, path
