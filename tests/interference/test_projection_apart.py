"""Projections never call apart what overlaps, and never claim more distance than there is."""

from fractions import Fraction

import coal
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.errors import InterferenceError
from standoff.interference.findings import Gap, Overlap
from standoff.interference.parts import Part
from standoff.interference.projection import ProjectionMethod, false_alarms
from tests.oracles import coal as coal_oracle
from tests.worlds.mesh_shapes import random_poses, torus
from tests.worlds.projection_scenes import at, cloud, convex_shape, crooked_shape, scene, u_mesh


def any_shape(rng):
    return convex_shape(rng) if rng.random() < 0.5 else crooked_shape(rng)


def exact(a, b):
    return so.distance(a.shape, a.pose, b.shape, b.pose).distance


def coal_overlaps(parts, pairs):
    bodies = [coal_oracle.geometry(part.shape) for part in parts]
    places = [coal_oracle.transform(part.pose) for part in parts]
    hits = []
    for i, j in pairs:
        request, result = coal.CollisionRequest(), coal.CollisionResult()
        hits.append(coal.collide(bodies[i], places[i], bodies[j], places[j], request, result) > 0)
    return np.array(hits)


@pytest.mark.parametrize("shape, seed", [(convex_shape, 1), (crooked_shape, 2), (any_shape, 3)])
def test_nothing_that_coal_sees_overlapping_is_called_apart(shape, seed):
    parts = scene(seed, 40, shape)
    hits = None
    for outline, numbers in (("hull", (1, 3, 7, 24)), ("true", (1, 3, 9))):
        before = None
        for planes in numbers:
            method = ProjectionMethod(parts, planes=planes, outline=outline)
            pairs = method.pairs()
            if hits is None:
                hits = coal_overlaps(parts, pairs)
                assert 40 < hits.sum() < len(hits) - 40
            apart = method.separating_planes(pairs) >= 0
            assert not (apart & hits).any()
            # More planes never separate fewer pairs.
            assert before is None or not (before & ~apart).any()
            before = apart
        assert before.sum() > 0.9 * (~hits).sum()


def judged(method):
    """What the planes tell about each pair, all of them looked at in one call."""
    pairs = method.pairs()
    planes = method.separating_planes(pairs).tolist()
    return [method.finding(i, j, k) for (i, j), k in zip(pairs.tolist(), planes)]


@pytest.mark.parametrize("seed", range(3))
def test_no_gap_is_wider_than_the_distance(seed):
    parts = scene(seed, 16, any_shape)
    for outline in ("hull", "true"):
        method = ProjectionMethod(parts, planes=13, outline=outline)
        for (i, j), finding in zip(method.pairs().tolist(), judged(method), strict=True):
            distance = exact(parts[i], parts[j])
            if isinstance(finding, Gap):
                assert 0.0 < finding.distance <= distance + 1e-9
                assert finding.normal in method.normals
            else:
                assert not finding.certain and finding.distance is None
            assert (finding.a, finding.b) == (parts[i].name, parts[j].name)


def test_one_pair_at_a_time_is_as_good_as_all_at_once():
    parts = scene(7, 12, any_shape)
    method = ProjectionMethod(parts, planes=5, outline="true")
    for (i, j), finding in zip(method.pairs().tolist(), judged(method), strict=True):
        alone = method.judge(i, j)
        assert type(alone) is type(finding)
        if isinstance(alone, Gap):
            assert alone.distance == finding.distance and np.array_equal(
                alone.normal, finding.normal
            )
            turned = method.judge(j, i)
            assert np.isclose(turned.distance, alone.distance, rtol=0, atol=1e-12)


def test_true_outlines_separate_all_that_hulls_do():
    parts = scene(11, 40, crooked_shape)
    hull = ProjectionMethod(parts, planes=5).separating_planes() >= 0
    true = ProjectionMethod(parts, planes=5, outline="true").separating_planes() >= 0
    assert not (hull & ~true).any()
    assert (true & ~hull).sum() > 5


@pytest.mark.interpreted
def test_a_peg_in_the_hole_of_a_torus():
    """The true outline has the hole, the hull has not; a thicker peg meets both."""
    parts = [at(torus(ring=0.5, tube=0.2, around=12, across=4)), at(so.Cylinder(0.25, 3.0))]
    assert isinstance(ProjectionMethod(parts).judge(0, 1), Overlap)
    gap = ProjectionMethod(parts, outline="true").judge(0, 1)
    assert isinstance(gap, Gap) and np.array_equal(gap.normal, [0, 0, 1])
    inner = 0.3 * np.cos(np.pi / 12)  # where the sides of the hole are nearest
    assert inner - 0.2505 < gap.distance < inner - 0.25
    parts[1] = at(so.Cylinder(0.31, 3.0))
    assert isinstance(ProjectionMethod(parts, outline="true").judge(0, 1), Overlap)


@pytest.mark.interpreted
def test_a_tongue_between_the_arms_of_a_u():
    parts = [at(u_mesh()), at(so.Box((0.5, 2.0, 0.5)), 1.5, 2.25, 0.5)]
    assert isinstance(ProjectionMethod(parts).judge(0, 1), Overlap)
    gap = ProjectionMethod(parts, outline="true").judge(0, 1)
    assert isinstance(gap, Gap) and np.isclose(gap.distance, 0.25, atol=1e-8)


@pytest.mark.interpreted
def test_touching_is_overlap_and_so_is_being_as_near_as_the_clearance():
    a = at(so.Box((1, 1, 1)))
    for b in (so.Box((1, 1, 1)), so.Capsule(0.25, 0.5)):
        reach = 1.0 if isinstance(b, so.Box) else 0.75
        assert isinstance(ProjectionMethod([a, at(b, reach)]).judge(0, 1), Overlap)
        near = [a, at(b, reach + 0.1)]
        assert isinstance(ProjectionMethod(near, clearance=0.1).judge(0, 1), Overlap)
        gap = ProjectionMethod(near, clearance=0.0999).judge(0, 1)
        assert isinstance(gap, Gap) and np.isclose(gap.distance, 0.1) and gap.distance <= 0.1


@pytest.mark.interpreted
def test_a_clearance_a_rounding_below_the_gap_of_an_envelope_is_exceeded_by_the_gap():
    """Two tetrahedra corner to corner on a plane: the rectangles tell them apart, and the polygons
    miss the same gap by a rounding of their own."""
    a = [[31, 94, -87], [52, -54, 72], [-98, -61, 95], [15, -74, -99]]
    b = [[-223, -17, 246], [-169, -73, 203], [-294, 95, 224], [-169, -47, 168]]
    faces = [[2, 1, 0], [3, 2, 0], [1, 3, 0], [2, 3, 1]]
    single = [np.array(c, dtype=np.float32) / np.float32(1000) for c in (a, b)]
    parts = [Part(name, so.Mesh(c, faces), np.eye(4)) for name, c in zip("ab", single)]
    clearance = 0.10183319779642808
    found = ProjectionMethod(parts, clearance=clearance).judge(0, 1)
    assert isinstance(found, Gap) and clearance < found.distance < clearance + 1e-15


def test_corner_to_corner_is_measured_round_the_corner():
    """No edge of two boxes gives the distance of their corners."""
    parts = [at(so.Box((1, 1, 1))), at(so.Box((1, 1, 1)), 1.3, 1.4)]
    gap = ProjectionMethod(parts, planes=1).judge(0, 1)
    assert np.isclose(gap.distance, 0.5, rtol=1e-12) and gap.distance <= 0.5


@pytest.mark.interpreted
def test_a_box_of_an_overlap_holds_what_both_have_in_common():
    parts = [at(so.Box((2, 2, 2))), at(so.Sphere(0.5), 1.2, 0.1, 0.2)]
    found = ProjectionMethod(parts).judge(0, 1)
    assert np.allclose(found.low, [0.7, -0.4, -0.3]) and np.allclose(found.high, [1, 0.6, 0.7])
    wide = ProjectionMethod(parts, clearance=0.1).judge(0, 1)
    assert np.allclose(wide.low, found.low - 0.1) and np.allclose(wide.high, found.high + 0.1)


def placed_exactly(part, point):
    """Where a pose puts a point, as fractions: no rounding at all."""
    rows = part.pose.tolist()
    return [
        sum(Fraction(rows[r][c]) * Fraction(float(point[c])) for c in range(3))
        + Fraction(rows[r][3])
        for r in range(3)
    ]


def six_volumes(a, b, c, d):
    """Six times the volume of a tetrahedron, exact for fractions."""
    u, v, w = ([p[k] - a[k] for k in range(3)] for p in (b, c, d))
    return (
        u[0] * (v[1] * w[2] - v[2] * w[1])
        + u[1] * (v[2] * w[0] - v[0] * w[2])
        + u[2] * (v[0] * w[1] - v[1] * w[0])
    )


def just_touching(rng, away):
    """A tetrahedron and a body with a corner in it, by a rounding or less, and a direction along
    which they are on different sides but for that; None where the corner missed it."""
    body = cloud(rng, 20, 0.3)
    pose = random_poses(rng, 1)[0]
    pose[:3, 3] = away * rng.normal(size=3)
    other = Part("other", body, pose)
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    turned = body.vertices @ pose[:3, :3].T
    corner = placed_exactly(other, body.vertices[int(np.argmin(turned @ normal))])
    near = np.array([float(c) for c in corner])
    u = np.cross(normal, rng.normal(size=3))
    u /= np.linalg.norm(u)
    v = np.cross(normal, u)
    face = [near + np.cos(t) * u + np.sin(t) * v for t in (0.1, 2.2, 4.3)]
    tetra = np.array([*face, near - normal])
    a, b, c, d = [[Fraction(x) for x in p] for p in tetra.tolist()]
    whole = six_volumes(a, b, c, d)
    shares = [
        six_volumes(corner, b, c, d) / whole,
        six_volumes(a, corner, c, d) / whole,
        six_volumes(a, b, corner, d) / whole,
        six_volumes(a, b, c, corner) / whole,
    ]
    if min(shares) < 0:
        return None
    return [Part("tetra", so.Polyhedron(tetra), np.eye(4)), other], normal, (u, v)


@pytest.mark.parametrize("away", [0.0, 1e3])
def test_rounding_never_parts_what_touches_exactly(away):
    """In fractions the corner is inside, by nearly nothing, so no plane may show a gap; seen along
    the face that it enters, rounding alone decides. Fails with a PROJECTION_ROUNDING of 0."""
    rng = np.random.default_rng(3)
    cases = [case for case in (just_touching(rng, away) for _ in range(120)) if case]
    assert len(cases) > 30
    for parts, normal, along in cases:
        assert isinstance(ProjectionMethod(parts, planes=along).judge(0, 1), Overlap)
        assert isinstance(ProjectionMethod(parts, planes=24).judge(0, 1), Overlap)
        moved = parts[1].pose.copy()
        moved[:3, 3] += 1e-12 * max(1.0, away) * normal
        apart = [parts[0], Part("other", parts[1].shape, moved)]
        assert isinstance(ProjectionMethod(apart, planes=along).judge(0, 1), Gap)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    st.integers(0, 10_000),
    st.sampled_from([1e-6, 1.0, 1e6]),
    st.sampled_from([0.0, 1.0, 100.0]),
    st.integers(1, 24),
)
def test_sizes_and_places_do_not_matter(seed, size, away, planes):
    """Two parts that overlap in one point at least, however small, large or far away they are."""
    rng = np.random.default_rng(seed)
    first, second = (cloud(rng, 12, size) for _ in range(2))
    poses = random_poses(rng, 2)
    where = rng.normal(size=3) * away * size
    poses[:, :3, 3] = where
    # From the middle of the one to a corner of it, less a little: there is the other's middle.
    share = rng.uniform(0.0, 0.999)
    poses[1, :3, 3] += poses[0, :3, :3] @ (share * first.vertices[rng.integers(12)])
    parts = [Part("a", first, poses[0]), Part("b", second, poses[1])]
    assert isinstance(ProjectionMethod(parts, planes=planes).judge(0, 1), Overlap)
    poses[1, :3, 3] = where + 2.5 * size * np.array([1.0, 0.0, 0.0])
    parts = [parts[0], Part("b", second, poses[1])]
    gap = ProjectionMethod(parts, planes=max(planes, 3)).judge(0, 1)
    assert isinstance(gap, Gap) and 0.0 < gap.distance <= exact(*parts) + 1e-9 * size


@pytest.mark.interpreted
def test_flat_parts_and_parts_seen_from_their_edge():
    sheet = so.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    triangle = so.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    for outline in ("hull", "true"):
        for other in (triangle, so.Box((0.2, 0.2, 0.0)), so.Sphere(0.1)):
            through = [at(sheet), at(other, 0.3, 0.3)]
            assert isinstance(ProjectionMethod(through, outline=outline).judge(0, 1), Overlap)
            above = [at(sheet), at(other, 0.3, 0.3, 0.2)]
            gap = ProjectionMethod(above, outline=outline).judge(0, 1)
            expected = 0.1 if isinstance(other, so.Sphere) else 0.2
            assert np.isclose(gap.distance, expected) and gap.distance <= expected


@pytest.mark.interpreted
def test_half_spaces():
    """A half space is seen as a half plane from beside, and as the whole plane from elsewhere."""
    floor = at(so.HalfSpace(), name="floor")
    ball = at(so.Sphere(0.2), 3.0, 4.0, 0.5)
    gap = ProjectionMethod([floor, ball]).judge(0, 1)
    assert isinstance(gap, Gap) and np.isclose(gap.distance, 0.3) and gap.distance <= 0.3
    assert gap.normal[2] == 0.0
    assert isinstance(ProjectionMethod([ball, floor], planes=[[0, 0, 1]]).judge(0, 1), Overlap)
    assert isinstance(ProjectionMethod([floor, at(so.Sphere(0.2), z=0.2)]).judge(0, 1), Overlap)
    found = ProjectionMethod([floor, at(so.Box((1, 1, 1)), z=0.4)]).judge(0, 1)
    assert np.allclose(found.low, [-0.5, -0.5, -0.1]) and np.allclose(found.high, [0.5, 0.5, 0.0])

    ceiling = Part("ceiling", so.HalfSpace(), so.pose((0, 0, 2.5), rpy=(np.pi, 0, 0)))
    gap = ProjectionMethod([floor, ceiling]).judge(0, 1)
    assert isinstance(gap, Gap) and np.isclose(gap.distance, 2.5)
    low = Part("low", so.HalfSpace(), so.pose((0, 0, -0.1), rpy=(np.pi, 0, 0)))
    tilted = Part("tilted", so.HalfSpace(), so.pose((0, 0, 9.0), rpy=(np.pi + 0.01, 0, 0)))
    for other in (low, tilted, floor):
        assert isinstance(ProjectionMethod([floor, other], planes=13).judge(0, 1), Overlap)


def test_half_spaces_of_any_normal_against_their_distances():
    """Planes that hold the half space's normal show the height of a part above it, but for some
    roundings; others show nothing."""
    rng = np.random.default_rng(2)
    for wall, place in zip(random_poses(rng, 60, 1.0), random_poses(rng, 60, 2.0)):
        parts = [Part("wall", so.HalfSpace(), wall), Part("body", convex_shape(rng), place)]
        beside = np.cross(wall[:3, 2], rng.normal(size=3))
        finding = ProjectionMethod(parts, planes=[beside, wall[:3, 2]]).judge(0, 1)
        distance = exact(*parts)
        if isinstance(finding, Gap):
            assert finding.distance <= distance + 1e-14
            slack = 1e-3 if isinstance(parts[1].shape, so.Cylinder) else 1e-11
            assert finding.distance > distance - slack
        else:
            assert distance < 1e-3
        skew = ProjectionMethod(parts, planes=[beside + 0.001 * wall[:3, 2]]).judge(0, 1)
        assert isinstance(skew, Overlap)


@pytest.mark.interpreted
def test_planes_are_tried_in_the_order_of_covered_area():
    """Tall thin parts side by side: least is covered seen from above."""
    parts = [at(so.Box((0.1, 0.2, 3.0)), 0.5 * k) for k in range(4)]
    method = ProjectionMethod(parts)
    assert np.allclose(method.outlines.areas(), [0.08, 2.4, 1.2])  # seen along z, x, y
    assert method.order.tolist() == [0, 2, 1]
    assert (method.separating_planes() == 0).all()


@pytest.mark.interpreted
def test_tests_are_counted():
    parts = [at(so.Box((1, 1, 1)), 2.0 * k) for k in range(4)]
    method = ProjectionMethod(parts)
    assert (method.separating_planes() >= 0).all()
    counts = method.tests
    assert counts["polygons"] == 0 and counts["planes"] == counts["rectangles"] >= 6


def test_false_alarms_of_shapes_by_name():
    parts = {"a": so.Sphere(0.5), "b": (so.Sphere(0.5), so.pose((0.9, 0.9, 0.0)))}
    found = so.interference.false_alarms(parts, [1, 2, 3])
    assert found.apart == 1 and found.alarms == (0, 0, 0)
    for planes in (5, ["x"], [1.5], []):
        with pytest.raises(InterferenceError, match="planes"):
            so.interference.false_alarms(parts, planes)


def test_false_alarms_shrink_with_the_number_of_planes():
    parts = scene(4, 24, crooked_shape, reach=0.6)
    hull, true = (false_alarms(parts, outline=outline) for outline in ("hull", "true"))
    assert hull.planes == tuple(range(1, 25)) and hull.pairs == 24 * 23 // 2
    assert hull.apart == true.apart
    for table in (hull, true):
        assert list(table.alarms) == sorted(table.alarms, reverse=True)
        assert table.alarms[0] > table.alarms[2] > table.alarms[-1] >= 0
    assert sum(true.alarms) < sum(hull.alarms)
    apart = [exact(parts[i], parts[j]) > 0 for i in range(24) for j in range(i + 1, 24)]
    assert hull.apart == sum(apart)
    for n in (1, 4, 20):
        found = ProjectionMethod(parts, planes=n).separating_planes() >= 0
        assert hull.alarms[n - 1] == sum(apart) - found.sum()


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "options, named",
    [
        ({"outline": "shadow"}, "outline"),
        ({"outline": np.array(["hull", "true"])}, "outline"),
        ({"clearance": -1.0}, "clearance"),
        ({"clearance": np.nan}, "clearance"),
        ({"clearance": "wide"}, "clearance"),
        ({"planes": 0}, "planes"),
    ],
)
def test_bad_settings_are_refused_and_named(options, named):
    with pytest.raises(InterferenceError, match=named):
        ProjectionMethod([at(so.Sphere(1))], **options)
    with pytest.raises(InterferenceError, match="parts"):
        ProjectionMethod([])
    for parts in (5, None, [so.Sphere(1)], {"a": 5}):
        with pytest.raises(InterferenceError, match="part"):
            ProjectionMethod(parts)
