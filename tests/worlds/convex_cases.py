"""Bodies, poses and measures shared by the tests of convex pairs."""

from __future__ import annotations

import numpy as np

from standoff.compiled.jit import entry
from standoff.geometry.narrowphase import layout
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch, Solids, bodies_at, scratch_at
from standoff.geometry.narrowphase.convex import convex_pair
from standoff.geometry.primitives import Box, Capsule, Cylinder, Sphere
from standoff.geometry.shape import Geometry, Shape


@entry("void(int64, int64[:,::1], int64, float64[:,::1], int64[::1])")
def convex_distances(bodies, pairs, scratch, out, codes):
    """`convex_pair` of each row of ``pairs`` (two rows of one set of bodies)."""
    A, room = bodies_at(bodies), scratch_at(scratch)
    for k in range(len(pairs)):
        codes[k] = convex_pair(A, pairs[k, 0], A, pairs[k, 1], room, out, k)


class Points(Shape):
    """The hull of points as the kernels see it, without any check: it may be a point, a segment,
    a triangle, flat, or have points inside."""

    kind = layout.POLYHEDRON

    def __init__(self, points):
        self.points = np.ascontiguousarray(points, dtype=float).reshape(-1, 3)
        self.size_row = np.zeros(4)

    @property
    def geometry(self):
        none = np.zeros((0, 3), dtype=np.int64)
        return Geometry(self.points, none, np.zeros((0, 16)), np.zeros(0, dtype=np.int64))

    def bounds(self):
        return self.points.min(axis=0), self.points.max(axis=0)

    def core(self):
        return self.points, 0.0

    def parameters(self):
        return {"points": self.points.tolist()}


def scaled(shape, factor):
    if isinstance(shape, Sphere):
        return Sphere(factor * shape.radius)
    if isinstance(shape, Capsule):
        return Capsule(factor * shape.radius, factor * shape.length)
    if isinstance(shape, Box):
        return Box([factor * e for e in shape.size])
    if isinstance(shape, Cylinder):
        return Cylinder(factor * shape.radius, factor * shape.length)
    return Points(factor * shape.geometry.points)


def size_of(shape):
    """Diameter of a ball about the origin that holds the shape, [m]."""
    lower, upper = shape.bounds()
    return 2.0 * float(np.linalg.norm(np.maximum(-lower, upper)))


def rotations(rng, n):
    q = rng.normal(size=(n, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def poses(rng, n, spread):
    result = np.tile(np.eye(4), (n, 1, 1))
    result[:, :3, :3] = rotations(rng, n)
    result[:, :3, 3] = rng.normal(size=(n, 3)) * spread
    return result


def measure(a, poses_a, b, poses_b):
    """Rows of results and codes of the pair kernel, one for each pair of poses."""
    poses_a = np.asarray(poses_a, dtype=float).reshape(-1, 4, 4)
    poses_b = np.asarray(poses_b, dtype=float).reshape(-1, 4, 4)
    n = len(poses_a)
    rows = np.zeros((2 * n, layout.ROW_COLUMNS))
    refs = np.zeros((2 * n, layout.REF_COLUMNS), dtype=np.int64)
    points = np.zeros((0, 3))
    for side, shape, placed in ((0, a, poses_a), (1, b, poses_b)):
        rows[side::2, : layout.SIZE] = placed[:, :3].reshape(n, 12)
        rows[side::2, layout.SIZE :] = shape.size_row
        refs[side::2, layout.KIND] = shape.kind
        refs[side::2, layout.POINT0] = len(points)
        refs[side::2, layout.POINTS] = len(shape.geometry.points)
        points = np.vstack([points, shape.geometry.points])
    pairs = np.arange(2 * n, dtype=np.int64).reshape(n, 2)
    out = np.full((n, layout.OUT_COLUMNS), np.nan)
    codes = np.full(n, -1, dtype=np.int64)
    bodies = Bodies(rows=rows, refs=refs, solids=Solids(points=np.ascontiguousarray(points)))
    scratch = PairScratch()
    scratch.work.fill(np.nan)
    scratch.iwork.fill(-7)
    convex_distances(bodies.address, pairs, scratch.address, out, codes)
    return out, codes


def height(shape, placed, directions):
    """Largest d . x over the placed body, one for each pose and direction."""
    local = np.einsum("nji,nj->ni", placed[:, :3, :3], directions)
    offset = np.einsum("ni,ni->n", directions, placed[:, :3, 3])
    length = np.linalg.norm(local, axis=1)
    if isinstance(shape, Sphere):
        return offset + shape.radius * length
    if isinstance(shape, Capsule):
        return offset + shape.radius * length + shape.length / 2 * np.abs(local[:, 2])
    if isinstance(shape, Box):
        return offset + np.abs(local) @ shape.size_row[:3]
    if isinstance(shape, Cylinder):
        across = np.hypot(local[:, 0], local[:, 1])
        return offset + shape.radius * across + shape.length / 2 * np.abs(local[:, 2])
    return offset + np.max(local @ shape.geometry.points.T, axis=1)


def depth_along(a, poses_a, b, poses_b, directions):
    """How far b must move along each direction (from a towards b) to be clear of a; minus the gap
    where it is clear already. The signed distance is minus the least of these over all."""
    return height(a, poses_a, directions) + height(b, poses_b, -directions)


def outside(shape, placed, points):
    """Distance of each world point from its placed body, 0 inside."""
    local = np.einsum("nji,nj->ni", placed[:, :3, :3], points - placed[:, :3, 3])
    if isinstance(shape, Sphere):
        return np.maximum(np.linalg.norm(local, axis=1) - shape.radius, 0.0)
    if isinstance(shape, Capsule):
        half = shape.length / 2
        local[:, 2] -= np.clip(local[:, 2], -half, half)
        return np.maximum(np.linalg.norm(local, axis=1) - shape.radius, 0.0)
    if isinstance(shape, Box):
        return np.linalg.norm(np.maximum(np.abs(local) - shape.size_row[:3], 0.0), axis=1)
    if isinstance(shape, Cylinder):
        across = np.maximum(np.hypot(local[:, 0], local[:, 1]) - shape.radius, 0.0)
        return np.hypot(across, np.maximum(np.abs(local[:, 2]) - shape.length / 2, 0.0))
    here = np.tile(np.eye(4), (len(points), 1, 1))
    there = here.copy()
    there[:, :3, 3] = local
    return np.maximum(measure(shape, here, Points([[0.0, 0.0, 0.0]]), there)[0][:, 0], 0.0)


def check(a, poses_a, b, poses_b, out, codes, tolerance):
    """What must hold for every answer; ``tolerance`` is absolute, [m]."""
    value, point_a, point_b, normal = out[:, 0], out[:, 1:4], out[:, 4:7], out[:, 7:10]
    assert np.isfinite(out).all()
    assert (codes == 0).all()
    assert np.abs(np.linalg.norm(normal, axis=1) - 1.0).max() < 1e-12
    # The proof: along the normal the bodies are apart by the value, so they are at least that far
    # apart; and two of their points are no farther apart, so they are no farther.
    assert np.abs(value + depth_along(a, poses_a, b, poses_b, -normal)).max() <= tolerance
    assert np.linalg.norm(point_a - point_b - value[:, None] * normal, axis=1).max() <= tolerance
    assert outside(a, poses_a, point_a).max() <= tolerance
    assert outside(b, poses_b, point_b).max() <= tolerance
    assert (out[:, layout.SLACK] >= 0.0).all() and out[:, layout.SLACK].max() <= tolerance
