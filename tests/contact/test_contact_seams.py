"""Bodies of several pieces: where pieces meet there is no wall, no edge and no second contact."""

import numpy as np
import pytest

import standoff as so
from standoff.contact import Body, Scene
from tests.worlds.contact_worlds import RIGID, fresh

TILE = so.Box((1, 1, 0.5))
LEFT, RIGHT = so.pose((-0.5, 0, -0.25)), so.pose((0.5, 0, -0.25))
CUBE = so.Box((0.2, 0.2, 0.2))


def _floor(*parts):
    scene = Scene()
    scene.add("floor", Body.union(parts, levels=0), moving=False, stiffness=1e4)
    return scene


FLOORS = {
    "two tiles": [(TILE, LEFT), (TILE, RIGHT)],
    "the other way round": [(TILE, RIGHT), (TILE, LEFT)],
    "tiles of two widths": [(so.Box((1, 0.6, 0.5)), LEFT), (so.Box((1, 2, 0.5)), RIGHT)],
    "tiles that overlap": [(TILE, LEFT), (so.Box((1.2, 1, 0.5)), so.pose((0.4, 0, -0.25)))],
}


@pytest.mark.parametrize("parts", FLOORS.values(), ids=FLOORS.keys())
@pytest.mark.parametrize("depth", [1e-4, 1e-3])
def test_a_box_slides_over_a_seam_as_over_one_floor(parts, depth):
    scene = _floor(*parts)
    scene.add("box", CUBE, stiffness=RIGID, levels=0)
    for x in np.arange(-0.2, 0.2001, 0.0037):
        step = scene.step({"box": so.pose((x, 0.03, 0.1 - depth))})
        assert np.allclose(step.forces["box"], (0, 0, 4e4 * depth), atol=1e-9), x
        assert np.allclose(step.moments["box"], 0.0, atol=1e-9), x


def test_a_box_that_starts_on_a_seam_is_pushed_up():
    """A tenth of the depth over the seam: the shortest way off the second tile is sideways."""
    for parts in (FLOORS["two tiles"], FLOORS["the other way round"]):
        for x in (0.1 - 1e-5, 1e-5 - 0.1):
            scene = _floor(*parts)
            scene.add("box", CUBE, stiffness=RIGID, levels=0)
            force = scene.step({"box": so.pose((x, 0, 0.0999))}).forces["box"]
            assert np.allclose(force[:2], 0.0, atol=1e-9) and force[2] >= 4.0 - 1e-9


def test_a_floor_cut_by_coacd_is_flat():
    pytest.importorskip("coacd")
    rim = [(-1, -0.3), (1, -0.3), (1, 0.3), (0, 0.3), (0, 1.5), (-1, 1.5)]
    flat = [(0, 1, 3), (1, 2, 3), (0, 3, 5), (3, 4, 5)]
    count = len(rim)
    points = [(*p, z) for z in (0.0, -0.5) for p in rim]
    sides = [(k, k + count, (k + 1) % count) for k in range(count)]
    sides += [((k + 1) % count, k + count, (k + 1) % count + count) for k in range(count)]
    below = [(c + count, b + count, a + count) for a, b, c in flat]
    body = Body.from_mesh(so.Mesh(points, flat + below + sides), split="coacd", levels=0)
    assert len(body.pieces) > 1
    scene = Scene()
    scene.add("floor", body, moving=False, stiffness=1e4)
    scene.add("box", CUBE, stiffness=RIGID, levels=0)
    for path in ([(x, 0.0) for x in np.arange(-0.8, 0.8, 0.01)],
                 [(-0.5, y) for y in np.arange(0.0, 1.2, 0.01)]):  # fmt: skip
        scene.forget()
        for x, y in path:
            force = scene.step({"box": so.pose((x, y, 0.099))}).forces["box"]
            assert np.allclose(force[:2], 0.0, atol=1e-3) and force[2] >= 40.0 - 1e-3


def test_a_step_of_a_union_is_a_wall_all_the_same():
    scene = _floor((TILE, LEFT), (TILE, so.pose((0.5, 0, -0.2))))
    scene.add("box", CUBE, stiffness=RIGID, levels=0)
    for x in np.arange(-0.15, -0.09, 0.001):
        force = scene.step({"box": so.pose((x, 0, 0.0999))}).forces["box"]
    assert force[0] < -100.0 and force[2] == pytest.approx(4.0, abs=1e-6)


def test_two_tiles_that_are_two_bodies_do_not_hold_a_box_back_for_ever():
    """The box meets the second tile's side 0.1 mm below its top. That is a wall, but soon a box
    above a tile: it gives way where it is some times as deep as the way up."""
    scene = Scene()
    for name, place in (("a", LEFT), ("b", RIGHT)):
        scene.add(name, TILE, pose=place, moving=False, stiffness=1e4, levels=0)
    scene.add("box", CUBE, stiffness=RIGID, levels=0)
    sideways = []
    way = np.arange(-0.10101, -0.09, 3e-5).tolist() + np.arange(-0.09, 0.15, 1e-3).tolist()
    for x in way:
        step = scene.step({"box": so.pose((x, 0, 0.0999))})
        sideways.append(-step.forces["box"][0])
        assert step.forces["box"][2] >= 2.0 - 1e-9
    assert 0.1 < max(sideways) <= 4 * 1e4 * 1e-3
    assert np.allclose(np.array(sideways)[np.array(way) > -0.099], 0.0, atol=1e-9)
    assert np.allclose(step.forces["box"], (0, 0, 4.0), atol=1e-9)


@pytest.mark.parametrize("depth", [1e-3, 0.05, 0.13])
def test_a_ball_feels_no_seam(depth):
    """Its centre above the floor, and below."""
    for parts in FLOORS.values():
        scene = _floor(*parts)
        scene.add("ball", so.Sphere(0.1), stiffness=RIGID)
        for x in (-0.02, -0.005, -1e-8, 0.0, 1e-12, 1e-9, 0.005, 0.02):
            (contact,) = scene.step({"ball": so.pose((x, 0, 0.1 - depth))}).contacts
            assert np.allclose(contact.force, (0, 0, -1e4 * depth), atol=1e-6), (x, depth)


def test_a_bar_across_a_narrow_piece_has_no_contact_with_its_hidden_edges():
    """Three tiles, the bar's ends on the outer two: four corners, and nothing in the middle."""
    parts = [(so.Box((1, 1, 0.5)), so.pose((x, 0, -0.25))) for x in (-0.55, 0.55)]
    parts.insert(1, (so.Box((0.1, 1, 0.5)), so.pose((0, 0, -0.25))))
    scene = _floor(*parts)
    scene.add("bar", so.Box((0.6, 0.1, 0.1)), stiffness=RIGID, levels=0)
    for _ in range(3):
        step = scene.step({"bar": so.pose((0.01, 0.2, 0.0499))})
        assert sorted(c.kind for c in step.contacts) == ["FV"] * 4
        assert np.allclose(step.forces["bar"], (0, 0, 4.0), atol=1e-9)
        assert step.passed == ()


def test_the_ridge_between_two_pieces_is_an_edge():
    """Two wedges make a roof. A bar across it has two contacts with the ridge, each once."""
    wedge = so.Polyhedron([(0, y, z) for y in (-1, 1) for z in (0, -0.5)] +
                          [(1, y, -0.5) for y in (-1, 1)])  # fmt: skip
    other = so.Polyhedron(np.array(wedge.vertices) * (-1, 1, 1))
    scene = _floor((wedge, None), (other, None))
    scene.add("bar", so.Box((0.6, 0.1, 0.1)), stiffness=RIGID, levels=0)
    step = scene.step({"bar": so.pose((0.01, 0.2, 0.0499))})
    assert [c.kind for c in step.contacts] == ["EE", "EE"]
    assert np.allclose(step.forces["bar"], (0, 0, 2.0), atol=1e-9)


def test_a_union_pressed_through_a_plate_stays_on_its_side():
    """A flat box of four wedges that share their corners: contacts of some pieces are all told by
    others, and these pieces remember the side they came from all the same."""
    half, corners = 0.005, [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)]
    wedges = [
        so.Polyhedron(
            [(*p, z) for p in ((0, 0), corners[k - 1], corners[k]) for z in (-half, half)]
        )
        for k in range(4)
    ]
    scene = Scene()
    scene.add("plate", so.Box((1, 1, 0.01)), moving=False, stiffness=1.0, levels=0)
    scene.add("a", Body.union(wedges, levels=0), stiffness=RIGID)
    for depth in np.arange(0.0005, 0.0099, 0.0005):
        step = scene.step({"a": so.pose((0, 0, 0.01 - depth))})
        assert len(step) == 5 and np.allclose(step.forces["a"], (0, 0, 5 * depth), atol=1e-9)
    for depth in np.arange(0.0105, 0.0199, 0.0005):
        step = scene.step({"a": so.pose((0, 0, 0.01 - depth))})
        assert all(np.allclose(c.normal, (0, 0, -1), atol=1e-9) for c in step.contacts)


def test_of_two_contacts_at_one_point_the_deeper_stays():
    """Two pieces share a corner, but one of them reaches 1e-10 m farther down."""
    for farther in (0, 1):
        low = [(0.1, 0.1, 0.1), (0.1, 0.1, 0.1)]
        pieces = []
        for k, x in enumerate((-0.05, 0.05)):
            extra = 2e-10 if k == farther else 0.0
            pieces.append((so.Box((0.1, 0.1, low[k][2] + extra)), so.pose((x, 0, -extra / 2))))
        step = fresh(Body.union(pieces, levels=0), so.pose((0, 0, 0.0499)),
                     so.Box((4, 4, 1)), so.pose((0, 0, -0.5)))  # fmt: skip
        middle = [c for c in step.contacts if abs(c.point[0]) < 0.01]
        assert len(step) == 6 and len(middle) == 2
        for contact in middle:
            assert contact.feature_a.piece == farther
            assert contact.depth == pytest.approx(1e-4 + 2e-10, abs=2e-11)


def test_a_small_box_on_a_huge_table_has_its_four_corners():
    for extent in (1e3, 1e6, 1e8):
        step = fresh(so.Box((0.01, 0.01, 0.01)), so.pose((0, 0, 0.0049)),
                     so.Box((extent, extent, 1)), so.pose((0, 0, -0.5)))  # fmt: skip
        assert len(step) == 4
        assert step.forces["a"][2] == pytest.approx(4e-4, rel=1e-3)


def test_faces_that_another_piece_covers_are_known():
    body = Body.union([(TILE, LEFT), (TILE, RIGHT)], levels=0)
    for piece, covered, way in zip(body.pieces, body.covered, (1.0, -1.0), strict=True):
        assert [tuple(n) for n in piece.planes[covered, :3].round(9)] == [(way, 0.0, 0.0)]
    # The same box twice: nothing is inside the body. A wider one covers what it holds in part.
    assert not any(c.any() for c in Body.union([TILE, TILE], levels=0).covered)
    wide = Body.union([(so.Box((1, 0.6, 0.5)), LEFT), (so.Box((1, 2, 0.5)), RIGHT)], levels=0)
    assert [int(c.sum()) for c in wide.covered] == [1, 0]
