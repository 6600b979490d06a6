"""Seeded poses of two bodies in every situation, and what proves a distance right.

For convex bodies the signed distance is the largest gap along any direction: ``value = max over n
of gap(n)``, apart and in overlap. So a direction proves a lower bound, the witnesses prove the
upper one where the bodies are apart, and the normals of the Minkowski sum where they are not.
Nothing here uses the kernels' own code.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from standoff.geometry.narrowphase import batch, dispatch, layout
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch, Solids
from standoff.geometry.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere

KINDS = {
    "sphere": layout.SPHERE,
    "capsule": layout.CAPSULE,
    "box": layout.BOX,
    "cylinder": layout.CYLINDER,
    "halfspace": layout.HALFSPACE,
}
ROUND = ("sphere", "capsule", "box")
PAIRS = [(a, b) for i, a in enumerate(ROUND) for b in ROUND[i:]]
REGIMES = ("cell", "near", "deep", "extreme", "aligned", "grid")


def run(rows_a, kind_a, rows_b, kind_b):
    """Results (n, 11) of bodies ``rows_a[i]`` against ``rows_b[i]``."""
    n = len(rows_a)
    rows = np.concatenate([rows_a, rows_b])
    refs = np.zeros((2 * n, layout.REF_COLUMNS), dtype=np.int64)
    refs[:n, layout.KIND] = KINDS[kind_a]
    refs[n:, layout.KIND] = KINDS[kind_b]
    pairs = np.stack([np.arange(n), np.arange(n, 2 * n)], axis=1)
    out = np.full((n, layout.OUT_COLUMNS), np.nan)
    bodies, scratch = Bodies(rows=rows, refs=refs, solids=Solids()), PairScratch()
    bad = batch.distances(dispatch.general_address(), bodies.address, pairs, scratch.address, out)
    assert bad == -1
    return out


def rotations(rows):
    return rows[:, :12].reshape(-1, 3, 4)[:, :, :3]


def centres(rows):
    return rows[:, :12].reshape(-1, 3, 4)[:, :, 3]


def sizes_of(rng, n, kind, lo, hi):
    """Size columns with every length log-uniform in [lo, hi]."""
    size = np.zeros((n, 4))
    count = {"sphere": 1, "capsule": 2, "box": 3, "cylinder": 2, "halfspace": 0}[kind]
    size[:, :count] = np.exp(rng.uniform(np.log(lo), np.log(hi), (n, count)))
    return size


def bodies(rng, n, kind, lo, hi, spread):
    rows = np.zeros((n, layout.ROW_COLUMNS))
    rotations(rows)[:] = Rotation.random(n, rng).as_matrix()
    centres(rows)[:] = rng.uniform(-spread, spread, (n, 3))
    rows[:, layout.SIZE :] = sizes_of(rng, n, kind, lo, hi)
    return rows


def situation(rng, n, kind_a, kind_b, regime):
    """Two tables of bodies in one of the REGIMES."""
    if regime == "extreme":
        a = bodies(rng, n, kind_a, 1e-4, 1e3, 1e4)
        b = bodies(rng, n, kind_b, 1e-4, 1e3, 1e4)
        reach = (a[:, layout.SIZE :].sum(1) + b[:, layout.SIZE :].sum(1))[:, None]
        centres(b)[:] = centres(a) + reach * rng.uniform(-1, 1, (n, 3))
        return a, b
    a = bodies(rng, n, kind_a, 0.02, 0.5, 1.0)
    b = bodies(rng, n, kind_b, 0.02, 0.5, 1.0)
    if regime == "grid":
        # Exact ties: right angles and coordinates without rounding, sizes of 0 among them.
        turns = np.round(Rotation.create_group("O").as_matrix())
        for rows, kind in ((a, kind_a), (b, kind_b)):
            rotations(rows)[:] = turns[rng.integers(24, size=n)]
            centres(rows)[:] = rng.integers(-2, 3, (n, 3)) / 8
            count = np.count_nonzero(rows[0, layout.SIZE :])
            rows[:, layout.SIZE : layout.SIZE + count] = rng.integers(0, 4, (n, count)) / 8
            # One extent of a box, a radius and a cylinder's length are not 0.
            for c in {"box": [2], "cylinder": [0, 1], "halfspace": []}.get(kind, [0]):
                rows[:, layout.SIZE + c] = np.maximum(rows[:, layout.SIZE + c], 1 / 8)
    if regime == "deep":
        centres(b)[:] = centres(a) + 0.05 * rng.uniform(-1, 1, (n, 3))
    if regime == "aligned":
        # Axes parallel but for a tilt between nothing and a hundredth, sheets, needles, points.
        turned = Rotation.from_matrix(
            Rotation.create_group("O").as_matrix()[rng.integers(24, size=n)]
        )
        tilt = rng.normal(size=(n, 3)) * 10.0 ** rng.uniform(-17, -2, (n, 1))
        tilt[rng.random(n) < 0.3] = 0.0
        common = Rotation.random(n, rng)
        rotations(a)[:] = common.as_matrix()
        rotations(b)[:] = (common * turned * Rotation.from_rotvec(tilt)).as_matrix()
        if kind_a != "halfspace":
            centres(b)[:] = centres(a) + rng.uniform(-1, 1, (n, 3)) * rng.choice(
                [0, 0.3, 1], (n, 3)
            )
        for rows, kind in ((a, kind_a), (b, kind_b)):
            if kind == "capsule":
                rows[rng.random(n) < 0.2, layout.SIZE + 1] = 0.0
            if kind == "box":
                for axis in (0, 1):
                    rows[rng.random(n) < 0.2, layout.SIZE + axis] = 0.0
    if regime == "near":
        out = run(a, kind_a, b, kind_b)
        gap = rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-15, -3, n)
        centres(a)[:] += out[:, 7:10] * (gap - out[:, 0])[:, None]
    return a, b


def all_situations(seed, n, kind_a, kind_b):
    rng = np.random.default_rng(seed)
    each = n // len(REGIMES)
    parts = [situation(rng, each, kind_a, kind_b, regime) for regime in REGIMES]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def tolerance(a, b):
    """What the issue asks of an analytic pair: 1e-9 of the size, a few ulps of the largest
    coordinate."""
    size = np.maximum(a[:, layout.SIZE :].max(1), b[:, layout.SIZE :].max(1))
    reach = np.maximum(np.abs(centres(a)).max(1), np.abs(centres(b)).max(1))
    return 1e-9 * size + 4 * np.spacing(reach)


def rounding(a, b):
    """Some tens of roundings of everything that enters, far below `tolerance`."""
    total = a[:, layout.SIZE :].sum(1) + b[:, layout.SIZE :].sum(1)
    return 2e-14 * (total + np.abs(centres(a)).max(1) + np.abs(centres(b)).max(1))


def reach_along(rows, kind, n):
    """How far a body reaches from its centre along ``n``; all bodies here are point-symmetric."""
    m = np.einsum("nrc,nr->nc", rotations(rows), n)
    s = rows[:, layout.SIZE :]
    if kind == "sphere":
        return s[:, 0]
    if kind == "capsule":
        return s[:, 0] + s[:, 1] * np.abs(m[:, 2])
    if kind == "cylinder":
        return s[:, 0] * np.hypot(m[:, 0], m[:, 1]) + s[:, 1] * np.abs(m[:, 2])
    return (s[:, :3] * np.abs(m)).sum(1)


def gap_along(a, kind_a, b, kind_b, n):
    """The gap between the bodies along the unit vectors ``n``, which point from b to a."""
    between = ((centres(a) - centres(b)) * n).sum(1)
    return between - reach_along(a, kind_a, n) - reach_along(b, kind_b, n)


def height_over(rows, kind, points):
    """Signed distance of points to the surfaces of their bodies."""
    p = np.einsum("nrc,nr->nc", rotations(rows), points - centres(rows))
    s = rows[:, layout.SIZE :]
    if kind == "halfspace":
        return p[:, 2]
    if kind == "sphere":
        return np.linalg.norm(p, axis=1) - s[:, 0]
    if kind == "capsule":
        p[:, 2] -= np.clip(p[:, 2], -s[:, 1], s[:, 1])
        return np.linalg.norm(p, axis=1) - s[:, 0]
    if kind == "cylinder":
        q = np.stack([np.hypot(p[:, 0], p[:, 1]) - s[:, 0], np.abs(p[:, 2]) - s[:, 1]], axis=1)
    else:
        q = np.abs(p) - s[:, :3]
    return np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(1), 0)


def core_of(rows, kind):
    """The same bodies without their radius, and the radius."""
    core = rows.copy()
    if kind == "box":
        return core, np.zeros(len(rows))
    core[:, layout.SIZE] = 0.0
    return core, rows[:, layout.SIZE]


def edges_of(rows, kind):
    """The directions (n, k, 3) of the edges of a core."""
    axes = np.swapaxes(rotations(rows), 1, 2)
    return {"sphere": axes[:, :0], "capsule": axes[:, 2:], "box": axes}[kind]


def facet_normals(a, kind_a, b, kind_b):
    """Every direction (n, k, 3) that can be normal to a facet of the sum of two cores: the axes of
    the boxes, and across one edge of each. In the overlap of two cores one of them is the shortest
    way out."""
    edges_a, edges_b = edges_of(a, kind_a), edges_of(b, kind_b)
    normals = [np.cross(p, q) for p in edges_a.swapaxes(0, 1) for q in edges_b.swapaxes(0, 1)]
    for edges, kind in ((edges_a, kind_a), (edges_b, kind_b)):
        if kind == "box":
            normals += list(edges.swapaxes(0, 1))
    normals = np.stack(normals, axis=1)
    length = np.linalg.norm(normals, axis=2, keepdims=True)
    # Across nearly parallel edges there is no facet worth the name.
    return np.where(length > 1e-7, normals / np.maximum(length, 1e-7), normals[:, -1:])


def check_proof(a, kind_a, b, kind_b, out):
    """Assert that every row of ``out`` is the signed distance of two of sphere, capsule, box."""
    value, point_a, point_b, normal = out[:, 0], out[:, 1:4], out[:, 4:7], out[:, 7:10]
    tol = rounding(a, b)
    assert np.isfinite(out).all()
    assert (np.abs(np.linalg.norm(normal, axis=1) - 1) < 1e-14).all()
    assert (np.linalg.norm(point_a - point_b - value[:, None] * normal, axis=1) < tol).all()
    assert (np.abs(height_over(a, kind_a, point_a)) < tol).all()
    assert (np.abs(height_over(b, kind_b, point_b)) < tol).all()
    # From below: the normal separates the bodies by the value, as far as the slack admits.
    assert (gap_along(a, kind_a, b, kind_b, normal) > value - out[:, layout.SLACK] - tol).all()
    assert (out[:, layout.SLACK] < 100 * tol).all()
    # From above, cores apart: two points of the cores are no farther away from each other.
    core_a, radius_a = core_of(a, kind_a)
    core_b, radius_b = core_of(b, kind_b)
    apart = value + radius_a + radius_b
    inner_a = point_a + radius_a[:, None] * normal
    inner_b = point_b - radius_b[:, None] * normal
    proven = (height_over(core_a, kind_a, inner_a) < tol) & (
        height_over(core_b, kind_b, inner_b) < tol
    )
    proven &= np.linalg.norm(inner_a - inner_b, axis=1) < apart + tol
    assert proven[apart > tol].all()
    # From above, cores in overlap: no facet's normal is a shorter way out.
    inside = apart <= tol
    if inside.any() and "box" in (kind_a, kind_b):
        some_a, some_b = a[inside], b[inside]
        normals = facet_normals(some_a, kind_a, some_b, kind_b)
        for k in range(normals.shape[1]):
            for sign in (-1.0, 1.0):
                other = gap_along(some_a, kind_a, some_b, kind_b, sign * normals[:, k])
                assert (other < value[inside] + tol[inside]).all()


def shape_of(row, kind):
    """The public shape of one row."""
    s = [float(x) for x in row[layout.SIZE :]]
    if kind == "sphere":
        return Sphere(s[0])
    if kind == "capsule":
        return Capsule(s[0], 2 * s[1])
    if kind == "box":
        return Box([2 * x for x in s[:3]])
    if kind == "cylinder":
        return Cylinder(s[0], 2 * s[1])
    return HalfSpace()


def pose_of(row):
    return np.vstack([row[:12].reshape(3, 4), [0.0, 0.0, 0.0, 1.0]])
