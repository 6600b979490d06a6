"""Distances sampled along a path, against Coal on every pair."""

import numpy as np
import pytest

import standoff as so
from standoff.cell.nearest_pair import watched_primitives
from standoff.errors import ConfigurationError, PathError
from standoff.paths.profile import along, profile
from tests.oracles.coal import CoalCell


def a_cell(seed, robots=2):
    """Arms among boxes, spheres, capsules and a floor, one of them holding a part."""
    rng = np.random.default_rng(seed)
    cell = so.Cell()
    for k in range(robots):
        cell.add_robot("builtin:arm7", name=f"arm{k}", base=so.pose((0.0, 1.2 * k, 0.0)))
    shapes = (
        lambda: so.Box(rng.uniform(0.1, 0.5, 3)),
        lambda: so.Sphere(rng.uniform(0.05, 0.3)),
        lambda: so.Capsule(rng.uniform(0.05, 0.2), rng.uniform(0.1, 0.6)),
    )
    for k in range(12):
        turn = rng.normal(size=4)
        pose = so.pose(rng.uniform(-2.0, 2.0, 3), turn / np.linalg.norm(turn))
        cell.add_body(f"body{k}", shapes[k % 3](), pose)
    cell.add_body("floor", so.HalfSpace(), so.pose((0.0, 0.0, -1.5), rpy=(0.3, 0.1, 0.0)))
    cell.add_body("cart", so.Box((0.4, 0.3, 0.2)), so.pose((1.0, 0.5, 0.2)), moving=True)
    cell.add_body("part", so.Sphere(0.05), so.pose((0.5, 0.5, 0.5)))
    cell.attach("part", "arm0/link7", pose=so.pose((0.0, 0.0, 0.2)))
    cell.allow("arm0", "body3")
    return cell


def brute(cell, q, keep=lambda a, b: True):
    """The smallest distance over all watched pairs by Coal, body by body, and the pair."""
    coal = CoalCell(cell)
    placed = coal.placed(coal.frames(q, [cell.bodies[name].pose for name in cell.moving]))
    best = (np.inf, None)
    for a, b in coal.pairs:
        if keep(a, b):
            best = min(best, (coal.nearest(placed[a], placed[b]), (a, b)))
    return best


def waypoints(cell, seed, count=4):
    rng = np.random.default_rng(seed)
    low, high = np.maximum(cell.tree.lower, -2.0), np.minimum(cell.tree.upper, 2.0)
    return rng.uniform(low, high, (count, len(low)))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_profile_is_what_coal_finds_pair_by_pair(seed):
    cell = a_cell(seed)
    path = waypoints(cell, seed)
    found = profile(cell, path, 40)
    at = along(path, found.s)
    for k in range(0, len(found.s), 4):
        value, _ = brute(cell, at[k])
        assert found.distance[k] == pytest.approx(value, abs=1e-6)
        named, _ = brute(cell, at[k], lambda *pair, k=k: set(pair) == set(found.pair[k]))
        assert named == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("distance", [0.5, 5.0, 500.0])
def test_what_is_far_away_on_one_side_is_measured_all_the_same(distance):
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    cell.add_body("moon", so.Sphere(0.5), so.pose((distance + 2.5, 0.1, 0.2)))
    cell.add_body("star", so.Sphere(0.5), so.pose((distance + 2.4, 3.0, 0.2)))
    path = waypoints(cell, 11, 3)
    found = profile(cell, path, 30, among="others")
    for k, q in enumerate(along(path, found.s)):
        value, _ = brute(cell, q, lambda a, b: {a, b} & {"moon", "star"})
        assert found.distance[k] == pytest.approx(value, abs=1e-6)


def test_meshes_and_polyhedra_are_measured_too():
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.2
    cell.add_body("gem", so.Polyhedron(corners), so.pose((0.9, 0.3, 0.9), rpy=(0.2, 0.4, 0.1)))
    faces = [[0, 1, 3], [0, 3, 2]]
    cell.add_body("sheet", so.Mesh(corners, faces), so.pose((-0.8, 0.2, 1.0)))
    path = waypoints(cell, 5, 3)
    found = profile(cell, path, 12)
    for k, q in enumerate(along(path, found.s)):
        value, _ = brute(cell, q)
        if value > 0.0:
            assert found.distance[k] == pytest.approx(value, abs=1e-5)
        else:
            assert found.distance[k] <= 1e-9


def test_own_links_and_all_others_together_are_all():
    cell = a_cell(4)
    path = waypoints(cell, 4)
    whole, own, others = (profile(cell, path, 30, among=w) for w in ("all", "self", "others"))
    assert (whole.distance == np.minimum(own.distance, others.distance)).all()
    holder = {"part": "arm0/"}

    def same(a, b):
        first, second = (holder.get(n, n).partition("/") for n in (a, b))
        return first[1] == second[1] == "/" and first[0] == second[0]

    assert all(same(*pair) for pair in own.pair) and not any(same(*pair) for pair in others.pair)
    value, _ = brute(cell, along(path, own.s)[7], same)
    assert own.distance[7] == pytest.approx(value, abs=1e-6)


def test_the_pairs_are_those_the_cell_watches():
    cell = a_cell(6)
    owner, names = cell.model.tables.owner, cell.model.names
    found = {frozenset((names[owner[a]], names[owner[b]])) for a, b in watched_primitives(cell)}
    assert found == {frozenset(pair) for pair in cell.pairs.watched()}


def test_samples_waypoints_and_marked_places_are_all_there():
    cell = a_cell(7, robots=1)
    path = waypoints(cell, 7, 5)
    told = []
    found = profile(cell, path, 50, also=[1.2345, 9.0], progress=told.append)
    assert {0.0, 1.0, 2.0, 3.0, 4.0, 1.2345} <= set(found.s.tolist())
    assert found.s[-1] == 4.0 and (np.diff(found.s) > 0.0).all()
    assert told[-1] == 1.0 and told == sorted(told)
    assert found.distance[found.nearest] == found.distance.min()
    assert len(profile(cell, path, 3).s) == 3


def test_one_waypoint_is_one_sample_of_it():
    cell = a_cell(8, robots=1)
    path = waypoints(cell, 8, 1)
    found = profile(cell, path)
    assert found.s.tolist() == [0.0]
    assert found.distance[0] == pytest.approx(brute(cell, path[0])[0], abs=1e-6)


def test_where_nothing_is_watched_the_distance_has_no_end():
    cell = so.Cell()
    cell.add_body("a", so.Sphere(1.0))
    cell.add_body("b", so.Sphere(1.0))
    found = profile(cell, np.zeros((2, 0)), 5)
    assert np.isinf(found.distance).all() and set(found.pair) == {None}


def test_what_cannot_be_sampled():
    cell = a_cell(9, robots=1)
    with pytest.raises(PathError, match="waypoint"):
        profile(cell, np.zeros((0, 7)))
    with pytest.raises(PathError, match="sample"):
        profile(cell, np.zeros((2, 7)), 0)
    with pytest.raises(ConfigurationError, match="waypoints"):
        profile(cell, np.zeros((2, 6)))
    with pytest.raises(ConfigurationError, match="finite"):
        profile(cell, np.full((2, 7), np.nan))
