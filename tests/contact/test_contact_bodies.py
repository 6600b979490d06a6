"""Bodies of the contact room: their features, their octrees, what is refused."""

import sys

import numpy as np
import pytest
from trimesh.triangles import closest_point

import standoff as so
from standoff.contact import Body
from standoff.contact.spherical_octree import NodeType

RNG = np.random.default_rng(3)
CLOUD = so.Polyhedron(RNG.normal(size=(40, 3)) * (0.1, 0.2, 0.15))
BODIES = {
    "box": so.Box((0.2, 0.3, 0.4)),
    "prism": so.Cylinder(0.1, 0.4),
    "hull": CLOUD,
    "needle": so.Box((0.01, 0.01, 1.0)),
}


@pytest.fixture(params=BODIES, scope="module")
def piece(request):
    return Body(BODIES[request.param], sides=13, levels=3)


def test_features_are_those_of_a_closed_convex_body(piece):
    (part,) = piece.pieces
    normals, offsets = part.planes[:, :3], part.planes[:, 3]
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-15)
    assert (part.vertices @ normals.T <= offsets + 1e-12).all()
    assert len(part.vertices) - len(part.edges) + len(part.planes) == 2
    for face, ring in enumerate(part.loops):
        corners = part.vertices[ring]
        assert np.allclose(corners @ normals[face], offsets[face], atol=1e-10)
        turns = np.cross(np.roll(corners, -1, 0) - corners, np.roll(corners, -2, 0) - corners)
        assert (turns @ normals[face] > 0.0).all()
    for number, (tail, head, left, right) in enumerate(part.edges):
        rings = [part.loops[f].tolist() for f in (left, right)]
        assert rings[0][(rings[0].index(tail) + 1) % len(rings[0])] == head
        assert rings[1][(rings[1].index(head) + 1) % len(rings[1])] == tail
        assert number in part.spokes[tail] and number in part.spokes[head]
    assert sum(map(len, part.spokes)) == 2 * len(part.edges)


def test_flat_faces_are_one_polygon_each():
    assert len(Body(so.Box((1, 2, 3)), levels=0).pieces[0].planes) == 6
    prism = Body(so.Cylinder(0.1, 0.2), sides=250, levels=0).pieces[0]
    assert (len(prism.vertices), len(prism.edges), len(prism.planes)) == (500, 750, 252)
    turned = so.pose((3, -1, 2), rpy=(0.3, 0.7, 1.1))
    assert len(Body.union([(so.Box((1, 2, 3)), turned)], levels=0).pieces[0].planes) == 6


def test_coordinates_are_about_the_centroid():
    body = Body(so.Polyhedron([(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4)]), levels=0)
    assert np.allclose(body.centroid, (1, 1, 1), atol=1e-15)
    assert body.volume == pytest.approx(64 / 6, abs=1e-12)
    assert np.allclose(body.pieces[0].vertices.mean(axis=0), 0.0, atol=1e-15)
    left, right = so.pose((-1, 0, 0)), so.pose((2, 0, 0))
    both = Body.union([(so.Box((1, 1, 1)), left), (so.Sphere(1.0), right)], levels=0)
    ball = 4 / 3 * np.pi
    assert both.centroid[0] == pytest.approx((-1 + 2 * ball) / (1 + ball), abs=1e-12)


def _samples(part, count=400):
    """Points of the surface: on faces, on edges and the vertices."""
    weights = RNG.dirichlet(np.full(3, 0.5), size=count)
    for w in weights:
        face = RNG.integers(len(part.loops))
        ring = part.loops[face]
        k = RNG.integers(1, len(ring) - 1)
        yield w @ part.vertices[[ring[0], ring[k], ring[k + 1]]], "faces", face
    for w in weights[:, 0]:
        edge = RNG.integers(len(part.edges))
        tail, head = part.edges[edge, :2]
        yield w * part.vertices[tail] + (1 - w) * part.vertices[head], "edges", edge
    for vertex, point in enumerate(part.vertices):
        yield point, "vertices", vertex


def test_every_point_of_the_surface_is_in_a_leaf_that_names_its_feature(piece):
    (tree,), (part,) = piece.trees, piece.pieces
    leaves = tree.leaves
    for point, kind, number in _samples(part):
        inside = np.linalg.norm(tree.spheres[leaves, :3] - point, axis=1) <= tree.spheres[leaves, 3]
        named = [number in getattr(tree, kind)[leaf] for leaf in leaves[inside]]
        assert any(named)
        assert all(named), "a sphere that holds a point of a feature lists it"


def test_nodes_list_what_their_spheres_touch_and_no_more(piece):
    """Against distances by another method: trimesh's, of a point and triangles."""
    (tree,), (part,) = piece.trees, piece.pieces
    for node in RNG.choice(len(tree), size=min(12, len(tree)), replace=False):
        centre, radius = tree.spheres[node, :3], tree.spheres[node, 3]
        for face, ring in enumerate(part.loops):
            corners = part.vertices[ring]
            fan = np.array([corners[[0, k, k + 1]] for k in range(1, len(ring) - 1)])
            nearest = closest_point(fan, np.tile(centre, (len(fan), 1)))
            gap = np.linalg.norm(nearest - centre, axis=1).min() - radius
            if abs(gap) > 1e-9:
                assert (face in tree.faces[node]) == (gap < 0.0)


def test_types_and_levels_are_the_papers(piece):
    (tree,) = piece.trees
    sizes = [np.diff(x.starts) for x in (tree.vertices, tree.edges, tree.faces)]
    for node, kind in enumerate(tree.types):
        assert sizes[kind][node] > 0
        assert all(sizes[k][node] == 0 for k in range(kind))
    assert tree.level.max() == 3
    assert tree.types[0] == NodeType.VERTEX
    for node in range(len(tree)):
        children = range(tree.first[node], tree.first[node] + tree.count[node])
        for child in children:
            assert tree.level[child] == tree.level[node] + 1
            apart = np.linalg.norm(tree.spheres[child, :3] - tree.spheres[node, :3])
            assert apart + tree.spheres[child, 3] <= tree.spheres[node, 3] * (1 + 1e-9)


def test_uneven_depth_is_where_it_is_wanted():
    shape = so.Box((0.4, 0.4, 0.4))
    corner = ((0.15, 0.15, 0.15), (0.3, 0.3, 0.3))
    everywhere = ((-1, -1, -1), (1, 1, 1))
    (tree,) = Body(shape, levels=[(everywhere, 1), (corner, 4)]).trees
    depth = tree.level[tree.leaves]
    near = np.linalg.norm(tree.spheres[tree.leaves, :3] - 0.2, axis=1) < 0.05
    assert depth.max() == 4 and (depth[near] == 4).all() and (depth[~near] < 4).any()
    (same,) = Body(shape, levels=lambda c, half: 4 if (c + half >= 0.15).all() else 1).trees
    assert np.array_equal(tree.spheres, same.spheres)


def test_a_grid_of_points_is_the_papers_body():
    angle = np.arange(10) * 2 * np.pi / 10
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(10)], axis=1)
    up = np.array((0.0, 0.0, 1.0))
    cone = Body.from_grid([ring, np.tile((0.0, 0.0, 2.0), (10, 1))], levels=1)
    assert len(cone.pieces[0].vertices) == 11
    assert np.allclose(cone.centroid, (0, 0, 0.5), atol=1e-12)
    cylinder = Body.from_grid([ring, ring + up], levels=1)
    assert len(cylinder.pieces[0].vertices) == 20 and len(cylinder.pieces[0].planes) == 12
    with pytest.raises(so.errors.ShapeError, match="not convex"):
        Body.from_grid([ring, 0.5 * ring + up, ring + 2 * up])
    with pytest.raises(so.errors.ShapeError, match="wrong shape"):
        Body.from_grid(ring)


def _torus():
    u, v = np.meshgrid(np.arange(24), np.arange(12), indexing="ij")
    a, b = u * 2 * np.pi / 24, v * 2 * np.pi / 12
    r = 0.3 + 0.1 * np.cos(b)
    points = np.stack([r * np.cos(a), r * np.sin(a), 0.1 * np.sin(b)], axis=-1).reshape(-1, 3)
    faces = []
    for i in range(24):
        for j in range(12):
            p, q = i * 12 + j, (i + 1) % 24 * 12 + j
            r, s = i * 12 + (j + 1) % 12, (i + 1) % 24 * 12 + (j + 1) % 12
            faces += [(p, q, s), (p, s, r)]
    return so.Mesh(points, faces)


def test_a_mesh_is_split_when_asked():
    pytest.importorskip("coacd")
    torus = _torus()
    with pytest.raises(so.errors.ShapeError, match="coacd"):
        Body.from_mesh(torus)
    body = Body.from_mesh(torus, split="coacd", levels=2)
    assert len(body.pieces) > 4
    assert body.volume == pytest.approx(torus.volume, rel=0.2)
    with pytest.raises(so.errors.MeshError, match="no such way"):
        Body.from_mesh(torus, split="vhacd")


def test_without_coacd_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(so.Error, match=r"standoff\[contact\]"):
        Body.from_mesh(_torus(), split="coacd")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Body(so.Capsule(0.1, 0.2)), "no contacts with this shape"),
        (lambda: Body(so.HalfSpace()), "no contacts with this shape"),
        (lambda: Body(so.Box((1, 1, 0))), "flat"),
        (lambda: Body(so.Cylinder(1, 1), sides=2), "no prism"),
        (lambda: Body(so.Box((1, 1, 1)), levels=9), "no depth"),
        (lambda: Body(so.Box((1, 1, 1)), levels=True), "no depth"),
        (lambda: Body(so.Box((1, 1, 1)), levels="deep"), "no depth"),
        (lambda: Body(so.Box((1, 1, 1)), levels=[(1, 2, 3)]), "not a region"),
        (lambda: Body.union([]), "nothing to unite"),
        (lambda: Body("box"), "not a shape"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(so.errors.ShapeError, match=message):
        make()
