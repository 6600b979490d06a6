"""Outlines on planes: hulls against SciPy, true outlines against shapely's union of triangles."""

import numpy as np
import pytest
import shapely
from scipy.spatial import ConvexHull

import standoff as so
from standoff.interference.outlines import Outlines, plane_normals
from standoff.interference.parts import Part
from standoff.interference.true_outline import convex_pieces, true_outline, true_outline_pieces
from tests.worlds.mesh_shapes import bowl_arrays, box_arrays, joined, random_poses, star, torus
from tests.worlds.projection_scenes import L_SHAPE, U_SHAPE, cloud, crooked_shape, l_mesh, u_mesh


def hull_of(outlines, plane, part):
    """The corners of the convex outline of a part on a plane."""
    outline = outlines.outline(plane, part)
    return outlines.scene.corners[outline.first : outline.first + outline.count].copy()


def pieces_of(outlines, plane, part):
    """The convex polygons whose union is the true outline; the hull where that is all."""
    return outlines._polygons.get((plane, part)) or [hull_of(outlines, plane, part)]


def projected(part, basis, origin):
    points = part.shape.core()[0] @ part.pose[:3, :3].T + part.pose[:3, 3] - origin
    return points @ basis[:6].reshape(2, 3).T


@pytest.mark.parametrize("seed", range(4))
def test_hulls_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    shapes = [cloud(rng, 100), so.Box((0.3, 0.2, 0.1)), star(seed), torus()]
    poses = random_poses(rng, 4, 2.0)
    parts = [Part(str(i), s, p) for i, (s, p) in enumerate(zip(shapes, poses))]
    outlines = Outlines(parts, plane_normals(9), true=False)
    for k, basis in enumerate(outlines.bases):
        for i, part in enumerate(parts):
            points = projected(part, basis, outlines.origin)
            theirs = ConvexHull(points)
            ours = hull_of(outlines, k, i)
            assert np.isclose(shapely.Polygon(ours).area, theirs.volume, rtol=1e-12)
            assert shapely.Polygon(ours).exterior.is_ccw
            corners = points[theirs.vertices]
            nearest = np.linalg.norm(corners[:, None] - ours[None], axis=2).min(axis=1)
            assert nearest.max() < 1e-14
            area = sum(outlines.outline(k, j).area for j in range(len(parts)))
            assert np.isclose(outlines.areas()[k], area)


@pytest.mark.interpreted
def test_hulls_of_few_and_equal_points():
    """A segment seen from its end is a point, a flat one a segment, with any number of doubles."""
    flat = so.Mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 0, 1]], [[0, 1, 3], [1, 2, 3]])
    needle = so.Box((0, 0, 1))
    outlines = Outlines(
        [Part("flat", flat, np.eye(4)), Part("needle", needle, np.eye(4))],
        plane_normals(3),
        true=True,
    )
    assert [len(hull_of(outlines, k, 0)) for k in range(3)] == [2, 2, 3]
    assert [len(hull_of(outlines, k, 1)) for k in range(3)] == [1, 2, 2]


@pytest.mark.interpreted
def test_a_corner_that_the_hull_loses_to_rounding_is_grown_by():
    """Points on a line but for their last bits: whatever the chain drops, the growth covers."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        direction = rng.normal(size=3)
        points = np.linspace(-1, 1, 40)[:, None] * direction + rng.normal(size=3)
        mesh = so.Mesh(points, np.arange(39)[:, None] + [[0, 1, 1]])
        outlines = Outlines([Part("line", mesh, np.eye(4))], plane_normals(5), true=False)
        for k, basis in enumerate(outlines.bases):
            flat = projected(Part("line", mesh, np.eye(4)), basis, outlines.origin)
            hull = shapely.MultiPoint(hull_of(outlines, k, 0)).convex_hull
            away = shapely.distance(hull, shapely.points(flat)).max()
            assert away <= outlines.outline(k, 0).grown


def outline_area(mesh, pose, normal):
    outlines = Outlines([Part("part", mesh, pose)], plane_normals([normal]), true=True)
    return sum(shapely.Polygon(piece).area for piece in pieces_of(outlines, 0, 0))


@pytest.mark.parametrize("mesh, shape", [(l_mesh(), L_SHAPE), (u_mesh(), U_SHAPE)])
def test_concavities_are_kept(mesh, shape):
    area = shapely.Polygon(shape).area
    assert mesh.closed
    assert np.isclose(outline_area(mesh, np.eye(4), (0, 0, 1)), area, rtol=1e-7)
    assert area < shapely.Polygon(shape).convex_hull.area - 0.4


def test_the_hole_of_a_torus_is_kept():
    ring, tube, around = 0.5, 0.2, 24
    area = outline_area(torus(ring=ring, tube=tube, around=around), np.eye(4), (0, 0, 1))
    polygon = 0.5 * around * np.sin(2 * np.pi / around)  # of a regular polygon in the unit circle
    assert np.isclose(area, polygon * ((ring + tube) ** 2 - (ring - tube) ** 2), rtol=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_true_outlines_are_the_unions_of_all_triangles(seed):
    """Also where only those that face the plane were joined: closed, open, crossing itself."""
    rng = np.random.default_rng(seed)
    shapes = [
        star(seed),
        torus(),
        so.Mesh(*bowl_arrays(), sheet=True),
        crooked_shape(rng),
        crooked_shape(rng),
    ]
    poses = random_poses(rng, len(shapes), 1.0)
    parts = [Part(str(i), s, p) for i, (s, p) in enumerate(zip(shapes, poses))]
    outlines = Outlines(parts, plane_normals(5), true=True)
    for i, part in enumerate(parts):
        for k, basis in enumerate(outlines.bases):
            flat = projected(part, basis, outlines.origin)
            union = shapely.union_all(shapely.polygons(flat[part.shape.faces]))
            pieces = [shapely.Polygon(piece) for piece in pieces_of(outlines, k, i)]
            total = sum(piece.area for piece in pieces)
            assert np.isclose(total, union.area, rtol=1e-7)
            assert np.isclose(shapely.union_all(pieces).area, total, rtol=1e-9)
            assert all(p.area >= (1 - 1e-9) * p.convex_hull.area for p in pieces)
            # Every point of every triangle, its corners first, is in a piece, rounding aside.
            weights = rng.dirichlet(np.ones(3), 20)
            inside = np.einsum("wk,fkc->fwc", weights, flat[part.shape.faces]).reshape(-1, 2)
            grown = shapely.union_all(shapely.buffer(pieces, 1e-15 * 10))
            assert shapely.covers(grown, shapely.points(np.concatenate([flat, inside]))).all()


@pytest.mark.interpreted
def test_thin_triangles_are_not_lost():
    """A fin without thickness seen from its edge, far beyond the body it stands on."""
    body = box_arrays(0.2, 0.2, 0.2)
    fin = np.array([[0, 0, 0], [3, 0, 0], [3, 0, 0.1]]), [(0, 1, 2), (0, 2, 1)]
    points, faces = joined(body, fin)
    pieces = true_outline_pieces(points[:, :2], faces, closed=True)
    covered = shapely.union_all([shapely.Polygon(piece) for piece in pieces])
    assert covered.covers(shapely.LineString([(0, 0), (3, 0)]))
    assert covered.area < 0.0401


@pytest.mark.interpreted
def test_pieces_are_few_and_convex():
    plus = [(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2), (2, 3), (1, 3), (1, 2), (0, 2), (0, 1),
            (1, 1)]  # fmt: skip
    for polygon, most in [
        (shapely.box(0, 0, 1, 2), 1),
        (shapely.Polygon(L_SHAPE), 2),
        (shapely.Polygon(U_SHAPE), 3),
        (shapely.Polygon(plus), 5),
        (shapely.box(0, 0, 3, 3) - shapely.box(1, 1, 2, 2), 8),
    ]:
        pieces = [shapely.Polygon(p) for p in convex_pieces(polygon)]
        assert len(pieces) <= most
        assert np.isclose(sum(p.area for p in pieces), polygon.area)
        assert all(np.isclose(p.area, p.convex_hull.area) for p in pieces)
        assert all(p.exterior.is_ccw for p in pieces)


@pytest.mark.interpreted
def test_a_triangulation_that_leaves_something_out_is_noticed(monkeypatch):
    whole = shapely.constrained_delaunay_triangles

    def one_less(polygon):
        return shapely.GeometryCollection(list(whole(polygon).geoms)[1:])

    polygon = shapely.Polygon(U_SHAPE)
    assert convex_pieces(polygon)
    monkeypatch.setattr(shapely, "constrained_delaunay_triangles", one_less)
    assert convex_pieces(polygon) == []


@pytest.mark.interpreted
def test_a_union_that_leaves_something_out_is_noticed(monkeypatch):
    """The hull stands for such an outline."""
    mesh = u_mesh()
    flat = mesh.vertices[:, :2].copy()
    assert true_outline_pieces(flat, mesh.faces, closed=True)
    union = shapely.union_all
    monkeypatch.setattr(shapely, "union_all", lambda parts: union(list(parts)[1:]))
    assert true_outline(flat, mesh.faces, closed=True) == []
    assert true_outline_pieces(flat, mesh.faces, closed=True) == []


@pytest.mark.parametrize("size", [1e-6, 1e6])
@pytest.mark.parametrize("away", [0.0, 1e3, 1e8])
def test_true_outlines_of_any_size_anywhere(size, away):
    arrays = torus(ring=0.5 * size, tube=0.2 * size)
    flat = arrays.vertices[:, :2] + away
    pieces = true_outline_pieces(flat, arrays.faces, closed=True)
    if away <= 1e3 or size > 1.0:
        total = sum(shapely.Polygon(piece - flat[0]).area for piece in pieces)
        assert np.isclose(total, (0.7**2 - 0.3**2) * 12 * np.sin(np.pi / 12) * size**2, rtol=1e-3)
    hulls = shapely.union_all([shapely.MultiPoint(p - flat[0]).convex_hull for p in pieces])
    if pieces:
        assert hulls.buffer(4e-16 * away + 1e-9 * size).covers(shapely.MultiPoint(flat - flat[0]))
