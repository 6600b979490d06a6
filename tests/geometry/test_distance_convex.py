"""Pairs of convex bodies by support functions: against Coal, by their own proofs, and by laws."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import coal
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standoff.geometry.narrowphase import layout
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.primitives import Box, Capsule, Cylinder, Sphere
from tests.oracles import coal as coal_oracle
from tests.worlds.convex_cases import (
    Points,
    check,
    depth_along,
    measure,
    poses,
    scaled,
    size_of,
)

#: Of the size: what is promised, and what is reached.
PROMISED = 1e-6
REACHED = 4e-9


def polyhedron(seed, n, stretch=(1.0, 1.0, 1.0)):
    points = np.random.default_rng(seed).normal(size=(n, 3))
    return Polyhedron(points / np.linalg.norm(points, axis=1)[:, None] * 0.5 * np.array(stretch))


SPHERES = [Sphere(0.4), Sphere(0.05)]
CAPSULES = [Capsule(0.3, 0.8), Capsule(0.05, 1.5), Capsule(0.4, 0.0)]
BOXES = [Box((0.6, 0.8, 1.0)), Box((0.02, 0.9, 1.4)), Box((0.3, 0.3, 0.3))]
CYLINDERS = [Cylinder(0.4, 0.9), Cylinder(0.1, 1.6), Cylinder(0.6, 0.1)]
POLYHEDRA = [
    polyhedron(1, 4),
    polyhedron(2, 20),
    polyhedron(3, 60, (1.0, 0.6, 1.4)),
    Polyhedron(list(itertools.product((-0.5, 0.5), (-0.3, 0.3), (-0.2, 0.2)))),
]
PAIRS = {
    "cylinder-sphere": (CYLINDERS, SPHERES),
    "cylinder-capsule": (CYLINDERS, CAPSULES),
    "cylinder-box": (CYLINDERS, BOXES),
    "cylinder-cylinder": (CYLINDERS, CYLINDERS),
    "cylinder-polyhedron": (CYLINDERS, POLYHEDRA),
    "polyhedron-sphere": (POLYHEDRA, SPHERES),
    "polyhedron-capsule": (POLYHEDRA, CAPSULES),
    "polyhedron-box": (POLYHEDRA, BOXES),
    "polyhedron-polyhedron": (POLYHEDRA, POLYHEDRA),
}


def mixed_poses(rng, a, b, n):
    """Apart, overlapping, deep inside each other, and within 1e-10 to 1e-3 of contact."""
    size = size_of(a) + size_of(b)
    spread = np.repeat([0.35, 0.15, 0.02, 0.2], [n - 3 * (n // 4)] + [n // 4] * 3) * size
    poses_a, poses_b = poses(rng, n, spread[:, None]), poses(rng, n, spread[:, None])
    near = slice(n - n // 4, n)
    out, _ = measure(a, poses_a[near], b, poses_b[near])
    count = len(out)
    gap = 10.0 ** rng.uniform(-10, -3, count) * rng.choice([-1.0, 1.0], count) * size
    # Moving b along the normal changes the distance of touching bodies by just as much.
    poses_b[near, :3, 3] += (out[:, 0] - gap)[:, None] * out[:, 7:10]
    return poses_a, poses_b


@pytest.mark.parametrize("pair", PAIRS)
def test_agrees_with_coal_on_20000_poses(pair):
    request = coal.DistanceRequest(True, True)
    request.gjk_tolerance = 1e-9
    request.gjk_max_iterations = 1000
    request.epa_tolerance = 1e-7
    request.epa_max_iterations = 128
    rng = np.random.default_rng(list(PAIRS).index(pair))
    combinations = list(itertools.product(*PAIRS[pair]))
    refuted = total = 0
    for a, b in combinations:
        n = -(-20_000 // len(combinations))
        size = size_of(a) + size_of(b)
        poses_a, poses_b = mixed_poses(rng, a, b, n)
        out, codes = measure(a, poses_a, b, poses_b)
        check(a, poses_a, b, poses_b, out, codes, REACHED * size)
        theirs, normals = coals(a, poses_a, b, poses_b, request)
        off = np.flatnonzero(np.abs(out[:, 0] - theirs) > PROMISED * size)
        # Where Coal differs it must be wrong, by a proof that needs neither of us: apart, `check`
        # has it from both sides. Overlapping, Coal is too deep, as a shorter way out was shown
        # above; or its own way out does not part the bodies.
        needed = depth_along(a, poses_a[off], b, poses_b[off], normals[off])
        wrong = (
            (out[off, 0] > REACHED * size)
            | (theirs[off] < out[off, 0])
            | ~(needed <= -theirs[off] + PROMISED * size)
        )
        assert wrong.all(), (a, b, out[off, 0][~wrong], theirs[off][~wrong])
        refuted += len(off)
        total += n
    assert total >= 20_000
    # Coal 3.0.3 is wrong on 6 % for a cylinder and a sphere (see below), on 2e-4 at most elsewhere.
    share = 0.1 if pair == "cylinder-sphere" else 1e-3
    assert refuted <= share * total, f"{refuted} of {total}: Coal is no oracle any more"


def coals(a, poses_a, b, poses_b, request):
    """Coal's distances, and its normals from a to b."""
    one, two, result = coal_oracle.geometry(a), coal_oracle.geometry(b), coal.DistanceResult()
    values, normals = np.empty(len(poses_a)), np.empty((len(poses_a), 3))
    for k in range(len(poses_a)):
        values[k] = coal_oracle.distance(one, poses_a[k], two, poses_b[k], request, result)[0]
        normals[k] = result.normal
    return values, normals


def test_cylinder_and_sphere_have_a_closed_form():
    rng = np.random.default_rng(11)
    cylinder, sphere = Cylinder(0.4, 0.9), Sphere(0.25)
    poses_a, poses_b = poses(rng, 20_000, 0.3), poses(rng, 20_000, 0.3)
    for swapped in (False, True):
        one, two = (cylinder, poses_a), (sphere, poses_b)
        out, _ = measure(*two, *one) if swapped else measure(*one, *two)
        centre = np.einsum("nji,nj->ni", poses_a[:, :3, :3], poses_b[:, :3, 3] - poses_a[:, :3, 3])
        side = np.hypot(centre[:, 0], centre[:, 1]) - 0.4
        end = np.abs(centre[:, 2]) - 0.45
        apart = np.hypot(np.maximum(side, 0.0), np.maximum(end, 0.0))
        exact = np.where((side < 0) & (end < 0), np.maximum(side, end), apart) - 0.25
        assert np.abs(out[:, 0] - exact).max() < 1e-14


def test_a_sphere_on_the_axis_of_a_cylinder_is_let_out_across_it():
    rng = np.random.default_rng(20)
    cylinder, sphere = Cylinder(0.05, 2.0), Sphere(0.01)
    poses_a = poses(rng, 2000, 1.0)
    poses_b = poses_a.copy()
    poses_b[:, :3, 3] += poses_a[:, :3, 2] * rng.uniform(-0.9, 0.9, (2000, 1))
    out, codes = measure(cylinder, poses_a, sphere, poses_b)
    assert np.abs(out[:, 0] + 0.06).max() <= 1e-14
    assert np.abs(np.einsum("ni,ni->n", out[:, 7:10], poses_a[:, :3, 2])).max() <= 1e-14
    check(cylinder, poses_a, sphere, poses_b, out, codes, 1e-13)
    poses_b[:, :3, 3] += out[:, :1] * out[:, 7:10]
    after, _ = measure(cylinder, poses_a, sphere, poses_b)
    assert np.abs(after[:, 0]).max() <= 1e-14


def test_coal_misses_the_near_cap_of_a_cylinder_around_a_sphere():
    """A ball deep in a cylinder, 0.1206 below the upper cap: the way out is through that cap,
    0.1206 + 0.4 long. Coal 3.0.3 goes out elsewhere and says 0.7811 (it does so for 1.6 % of
    random overlaps of the two): its normal is that of another point of the surface."""
    centre = np.array([-0.01613086, 0.00977466, 0.32942859])
    pose = np.eye(4)
    pose[:3, 3] = centre
    out, _ = measure(Cylinder(0.4, 0.9), np.eye(4), Sphere(0.4), pose)
    assert out[0, 0] == pytest.approx(-(0.45 - 0.32942859 + 0.4), abs=1e-14)
    np.testing.assert_allclose(out[0, 7:10], (0.0, 0.0, -1.0), atol=1e-14)


def way_out(a, pose_a, b, pose_b):
    """Exact depth of two overlapping polytopes: the least over all face normals of either and all
    cross products of an edge of one with an edge of the other."""

    def directions(shape, pose):
        v, f = shape.vertices @ pose[:3, :3].T, shape.faces
        edges = np.concatenate([v[f[:, (k + 1) % 3]] - v[f[:, k]] for k in range(3)])
        return np.cross(edges[: len(f)], edges[len(f) : 2 * len(f)]), edges

    faces_a, edges_a = directions(a, pose_a)
    faces_b, edges_b = directions(b, pose_b)
    crossed = np.cross(edges_a[:, None], edges_b[None]).reshape(-1, 3)
    normals = np.concatenate([faces_a, faces_b, crossed])
    length = np.linalg.norm(normals, axis=1)
    normals = normals[length > 1e-9] / length[length > 1e-9, None]
    normals = np.concatenate([normals, -normals])
    repeat = (len(normals), 1, 1)
    return depth_along(a, np.tile(pose_a, repeat), b, np.tile(pose_b, repeat), normals).min()


def test_depth_of_polytopes_is_exact():
    rng = np.random.default_rng(12)
    shapes = [*POLYHEDRA[:2], POLYHEDRA[3], polyhedron(9, 12)]
    for a, b in itertools.combinations_with_replacement(shapes, 2):
        poses_a, poses_b = poses(rng, 40, 0.12), poses(rng, 40, 0.12)
        poses_b[:8, :3, 3] = poses_a[:8, :3, 3]
        poses_b[:4, :3, :3] = poses_a[:4, :3, :3]
        out, codes = measure(a, poses_a, b, poses_b)
        assert (codes == 0).all()
        for k in np.flatnonzero(out[:, 0] < 0.0):
            assert -out[k, 0] == pytest.approx(way_out(a, poses_a[k], b, poses_b[k]), abs=1e-13)


def test_depth_of_cylinders_is_the_least_over_all_directions():
    rng = np.random.default_rng(13)
    grid = rng.normal(size=(20_000, 3))
    grid /= np.linalg.norm(grid, axis=1)[:, None]
    for a, b in itertools.product(CYLINDERS, [*CYLINDERS, CAPSULES[0], BOXES[0], POLYHEDRA[1]]):
        poses_a, poses_b = poses(rng, 6, 0.1), poses(rng, 6, 0.1)
        poses_b[:2, :3, 3] = poses_a[:2, :3, 3]
        out, _ = measure(a, poses_a, b, poses_b)
        for k in range(6):
            best, normals = np.inf, grid
            for spread in 0.03 * 0.4 ** np.arange(16):
                repeat = (len(normals), 1, 1)
                depth = depth_along(
                    a, np.tile(poses_a[k], repeat), b, np.tile(poses_b[k], repeat), normals
                )
                best = min(best, depth.min())
                kept = normals[np.argsort(depth)[:40]]
                normals = np.concatenate(
                    [kept, (kept[:, None] + spread * grid[:40]).reshape(-1, 3)]
                )
                normals /= np.linalg.norm(normals, axis=1)[:, None]
            assert -out[k, 0] <= best + 1e-9


def placed_exactly(pose, point):
    """R p + t without rounding."""
    return [
        sum((Fraction(pose[r, c]) * Fraction(point[c]) for c in range(3)), Fraction(pose[r, 3]))
        for r in range(3)
    ]


def excess(row, p, q, radii=0.0):
    """By how much value - slack exceeds the distance of two points of the cores less the radii,
    an upper bound of the distance; 60 digits."""
    with localcontext() as context:
        context.prec = 60
        square = sum((x - y) ** 2 for x, y in zip(p, q, strict=True))
        apart = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
        claimed = Decimal(row[0]) - Decimal(row[layout.SLACK])
        return float(claimed - (apart - Decimal(radii)))


def along(rng, x):
    """Rotations whose first columns are the given unit vectors."""
    y = np.cross(x, rng.normal(size=x.shape))
    y /= np.linalg.norm(y, axis=1)[:, None]
    return np.stack([x, y, np.cross(x, y)], axis=2)


#: A body with a sharp tip at its origin.
TIP = np.array([[0, 0, 0], [1, 0.3, 0], [1, -0.3, 0.1], [1, 0, 0.4], [1, 0.1, -0.4], [2, 0.1, 0.1]])


@pytest.mark.parametrize("offset", [0.0, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("kind", ["polyhedron", "cloud", "box", "capsule"])
def test_slack_covers_all_rounding_tip_to_tip(kind, offset):
    """The distance of two tips in exact arithmetic: what rounds is not their small difference,
    but the far coordinates that cancel in it."""
    rng = np.random.default_rng(21)
    n = 400
    gap = 10.0 ** rng.uniform(-9, 0, n)
    poses_a, poses_b = poses(rng, n, 0.0), poses(rng, n, 0.0)
    b, end, radius, out_of_a = Polyhedron(TIP), np.zeros(3), 0.0, np.array([-1.0, 0.0, 0.0])
    if kind == "box":
        a, tip = Box((offset + 0.1, 0.1, 0.1)), -0.5 * np.array([offset + 0.1, 0.1, 0.1])
        out_of_a = np.full(3, -np.sqrt(1 / 3))
    elif kind == "capsule":
        a, tip = Capsule(0.3 + offset, offset), np.array([0.0, 0.0, offset / 2])
        out_of_a, radius = np.array([0.0, 0.0, 1.0]), a.radius
    else:
        shift = offset * rng.normal(size=3)
        inside = TIP[1:5].mean(axis=0) + rng.uniform(-0.1, 0.1, (9 if kind == "cloud" else 0, 3))
        a = Points(np.vstack([TIP, inside]) + shift)
        tip = a.points[0]
    outward = np.einsum("nij,j->ni", poses_a[:, :3, :3], out_of_a)
    poses_a[:, :3, 3] = -np.einsum("nij,j->ni", poses_a[:, :3, :3], tip)
    poses_b[:, :3, :3] = along(rng, outward)
    poses_b[:, :3, 3] = (gap + radius)[:, None] * outward
    out, _ = measure(a, poses_a, b, poses_b)
    over = [
        excess(out[k], placed_exactly(poses_a[k], tip), placed_exactly(poses_b[k], end), radius)
        for k in range(n)
    ]
    assert max(over) <= 0.0
    # The slack is what does it, and it is not idle.
    bare = out.copy()
    bare[:, layout.SLACK] = 0.0
    over = [
        excess(bare[k], placed_exactly(poses_a[k], tip), placed_exactly(poses_b[k], end), radius)
        for k in range(n)
    ]
    assert max(over) > 0.0
    assert out[:, layout.SLACK].max() <= 1e-14 * (4.0 + 4.0 * offset)


@pytest.mark.parametrize("radius", [0.1, 1e3])
def test_slack_covers_all_rounding_of_a_sphere_and_a_cylinder(radius):
    rng = np.random.default_rng(22)
    n = 400
    over, bare = [], []
    for cylinder in (Cylinder(0.4, 0.9), Cylinder(1e-4, 1e-4), Cylinder(50.0, 0.1)):
        local = rng.normal(size=(n, 3)) * (cylinder.radius + cylinder.length)
        # The nearest point of the cylinder; its error is square to the way, so it does not count.
        share = np.minimum(1.0, cylinder.radius / np.hypot(local[:, 0], local[:, 1]) * (1 - 1e-15))
        foot = local * np.stack([share, share, np.ones(n)], axis=1)
        half = cylinder.length / 2
        foot[:, 2] = np.clip(foot[:, 2], -half, half)
        apart = np.linalg.norm(local - foot, axis=1) > 1e-6 * cylinder.length
        local, foot = local[apart], foot[apart]
        poses_a = poses(rng, len(local), 1.0)
        poses_b = poses_a.copy()
        poses_b[:, :3, 3] += np.einsum("nij,nj->ni", poses_a[:, :3, :3], local)
        ball = Sphere(radius)
        out, _ = measure(cylinder, poses_a, ball, poses_b)
        for k in range(len(local)):
            ends = placed_exactly(poses_a[k], foot[k]), placed_exactly(poses_b[k], np.zeros(3))
            over.append(excess(out[k], *ends, radius))
            out[k, layout.SLACK] = 0.0
            bare.append(excess(out[k], *ends, radius))
    assert max(over) <= 0.0 < max(bare)


SIZES = st.sampled_from([1e-4, 3e-2, 1.0, 40.0, 1e3])
SHAPES = st.sampled_from(
    [
        *SPHERES,
        *CAPSULES,
        *BOXES,
        Box((0.5, 0.7, 0.0)),
        Box((0.0, 0.0, 1.0)),
        *CYLINDERS,
        *POLYHEDRA,
        Points([[0.2, 0.1, -0.1]]),
        Points([[0.0, 0.0, -0.5], [0.1, 0.0, 0.5]]),
        Points([[0.0, 0.0, 0.0], [0.7, 0.1, 0.0], [0.2, 0.6, 0.1]]),
        Points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1e-7, 0.0]]),
    ]
)


@st.composite
def placements(draw):
    """Two bodies of one scale at poses that are random, on a grid, or both at one place."""
    scale = draw(SIZES)
    a, b = scaled(draw(SHAPES), scale), scaled(draw(SHAPES), scale)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    style = draw(st.sampled_from(["free", "grid", "concentric"]))
    poses_a, poses_b = poses(rng, 8, 0.4 * scale), poses(rng, 8, 0.4 * scale)
    if style == "grid":
        about_z = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        about_x = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
        turns = np.array([np.eye(3), about_z, about_x])
        for placed in (poses_a, poses_b):
            placed[:, :3, :3] = turns[rng.integers(0, 3, 8)] @ turns[rng.integers(0, 3, 8)]
            placed[:, :3, 3] = rng.integers(-4, 5, (8, 3)) / 4 * scale
    elif style == "concentric":
        poses_b[:, :3, 3] = poses_a[:, :3, 3]
    return a, poses_a, b, poses_b, scale, rng


@settings(deadline=None, max_examples=150, derandomize=True)
@given(placements())
def test_answers_carry_their_proof(placement):
    a, poses_a, b, poses_b, scale, _ = placement
    out, codes = measure(a, poses_a, b, poses_b)
    # A flat cylinder around a rod has a ring of equal ways out: there the depth is only bounded.
    doubt = codes == 1
    assert (out[doubt, 0] < 0.0).all()
    if doubt.all():
        return
    sure = ~doubt
    check(a, poses_a[sure], b, poses_b[sure], out[sure], codes[sure], 2e-8 * scale)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(placements())
def test_symmetry(placement):
    a, poses_a, b, poses_b, scale, _ = placement
    there, _ = measure(a, poses_a, b, poses_b)
    back, _ = measure(b, poses_b, a, poses_a)
    assert np.abs(there[:, 0] - back[:, 0]).max() <= 1e-7 * scale


@settings(deadline=None, max_examples=100, derandomize=True)
@given(placements(), st.sampled_from([1.0, 1e2, 1e4]))
def test_a_rigid_motion_of_both_changes_nothing(placement, far):
    a, poses_a, b, poses_b, scale, rng = placement
    motion = poses(rng, 1, far)[0]
    before, _ = measure(a, poses_a, b, poses_b)
    after, _ = measure(a, motion @ poses_a, b, motion @ poses_b)
    assert np.abs(before[:, 0] - after[:, 0]).max() <= 1e-7 * scale + 1e-15 * far * 20


@settings(deadline=None, max_examples=100, derandomize=True)
@given(placements(), st.floats(-9.0, 0.0))
def test_a_translation_changes_the_distance_by_no_more_than_its_length(placement, exponent):
    a, poses_a, b, poses_b, scale, rng = placement
    step = rng.normal(size=3)
    step *= 10.0**exponent * scale / np.linalg.norm(step)
    before, _ = measure(a, poses_a, b, poses_b)
    poses_b[:, :3, 3] += step
    after, _ = measure(a, poses_a, b, poses_b)
    bound = np.linalg.norm(step) + 1e-7 * scale
    assert np.abs(before[:, 0] - after[:, 0]).max() <= bound


@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-9, 1e-6, -1e-12, -1e-9, -1e-6])
def test_contact_is_resolved_to_the_last_digits(gap):
    """Boxes as polyhedra, face to face, edge to edge and corner to face: the gap comes back."""
    cube = POLYHEDRA[3]
    box = Box((0.4, 0.4, 0.4))
    half = np.sqrt(0.5)
    turned = np.eye(4)
    turned[:3, :3] = [[half, -half, 0.0], [half, half, 0.0], [0.0, 0.0, 1.0]]
    leaning = turned.copy()
    leaning[:3, :3] = turned[:3, :3] @ [[half, 0.0, -half], [0.0, 1.0, 0.0], [half, 0.0, half]]
    for pose, reach in ((np.eye(4), 0.2), (turned, 0.4 * half), (leaning, None)):
        if reach is None:
            reach = float(np.abs(0.2 * leaning[0, :3]).sum())
        for along in (-0.1, 0.0, 0.13):
            placed = pose.copy()
            placed[:3, 3] = (0.5 + reach + gap, along, along / 2)
            out, codes = measure(cube, np.eye(4), box, placed)
            assert codes[0] == 0
            assert out[0, 0] == pytest.approx(gap, abs=2e-15)
            np.testing.assert_allclose(out[0, 7:10], (-1.0, 0.0, 0.0), atol=1e-12)


@pytest.mark.parametrize("apart", [0.0, 1e-5, 0.3])
def test_parallel_cylinders_and_capsules_have_a_closed_form(apart):
    """Sizes from 1e-4 to 10 in all combinations, with one centre or moved a little along and
    across: a cylinder of the summed sizes against a point."""
    rng = np.random.default_rng(23)
    sizes = list(itertools.product((1e-4, 1e-2, 0.1, 1.0, 10.0), (1e-4, 1e-2, 0.1, 1.0, 2.0, 10.0)))
    here = np.eye(4)[None]
    turned = poses(rng, 1, 1.0)
    for (wide, high), (thick, long), capsule in itertools.product(sizes, sizes, (False, True)):
        cylinder = Cylinder(wide, high)
        other = Capsule(thick, long) if capsule else Cylinder(thick, long)
        size = wide + high + thick + long
        move = apart * np.array([0.6 * (wide + thick), 0.8 * (wide + thick), high + long])
        side = np.hypot(move[0], move[1]) - (wide if capsule else wide + thick)
        end = move[2] - (high + long) / 2
        exact = max(side, end) - (thick if capsule else 0.0)
        for pose in (here, turned):
            there = pose.copy()
            there[0, :3, 3] += pose[0, :3, :3] @ move
            for swapped in (False, True):
                one, two = (cylinder, pose), (other, there)
                pair = (*two, *one) if swapped else (*one, *two)
                out, codes = measure(*pair)
                assert out[0, 0] == pytest.approx(exact, abs=1e-14 * (size + 4.0))
                check(*pair, out, codes, 1e-14 * (size + 4.0))


@pytest.mark.parametrize("lean", [1e-15, 1e-12, 1e-10, 1e-9, 1e-8])
def test_cylinders_that_lean_a_little_keep_their_proof(lean):
    rng = np.random.default_rng(24)
    poses_a = poses(rng, 50, 0.0)
    tilt = np.eye(3)
    tilt[0, 2], tilt[2, 0] = lean, -lean
    for a, b in itertools.product(CYLINDERS, [*CYLINDERS, *CAPSULES]):
        poses_b = poses_a.copy()
        poses_b[:, :3, :3] = poses_a[:, :3, :3] @ tilt
        poses_b[:, :3, 3] += rng.normal(size=(50, 3)) * rng.choice([0.3, 1.0], (50, 1))
        out, codes = measure(a, poses_a, b, poses_b)
        check(a, poses_a, b, poses_b, out, codes, REACHED * (size_of(a) + size_of(b)))
        proved = -depth_along(a, poses_a, b, poses_b, -out[:, 7:10])
        assert (proved >= out[:, 0] - out[:, layout.SLACK]).all()


def test_cylinders_with_parallel_collinear_and_crossing_axes():
    cylinder, flat = Cylinder(0.2, 1.0), Cylinder(0.5, 0.1)
    place = np.tile(np.eye(4), (6, 1, 1))
    place[:, :3, 3] = [
        (0.7, 0.0, 0.0),  # parallel, side by side
        (0.0, 0.0, 1.25),  # collinear, end to end
        (0.3, 0.0, 0.0),  # parallel, overlapping
        (0.0, 0.0, 0.0),  # the same
        (0.3, 0.4, 1.3),  # rim to rim: 0.1 across, 0.3 along
        (0.0, 0.0, 0.9),  # collinear, overlapping at the ends
    ]
    out, codes = measure(cylinder, np.tile(np.eye(4), (6, 1, 1)), cylinder, place)
    np.testing.assert_allclose(
        out[:, 0], [0.3, 0.25, -0.1, -0.4, np.hypot(0.1, 0.3), -0.1], atol=1e-9
    )
    assert (codes == 0).all()
    place[:3, :3, :3] = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    place[:3, :3, 3] = [(0.5, 0.0, 0.0), (0.25, 0.1, 0.1), (0.0, 0.0, 0.0)]
    out, codes = measure(cylinder, np.tile(np.eye(4), (3, 1, 1)), cylinder, place[:3])
    np.testing.assert_allclose(out[:, 0], [0.1, -0.15, -0.4], atol=1e-9)
    out, codes = measure(flat, np.eye(4), flat, np.eye(4))
    assert codes[0] == 0 and out[0, 0] == pytest.approx(-0.1, abs=1e-12)


def test_a_cap_is_as_far_as_it_looks_at_every_turn():
    """Straight above the cap, the direction is the axis to the last bit, and what is left of it
    across is rounding that may point along the axis: at 45 degrees it is nothing else."""
    turns = np.arange(24) * np.pi / 12
    c, s = np.cos(turns), np.sin(turns)
    rolls, pitches = np.tile(np.eye(4), (2, 24, 1, 1))
    rolls[:, 1, 1], rolls[:, 1, 2], rolls[:, 2, 1], rolls[:, 2, 2] = c, -s, s, c
    pitches[:, 0, 0], pitches[:, 0, 2], pitches[:, 2, 0], pitches[:, 2, 2] = c, s, -s, c
    placed = (pitches[:, None] @ rolls[None]).reshape(-1, 4, 4)
    cube = Polyhedron(list(itertools.product((-0.1, 0.1), repeat=3)))
    plates = (Cylinder(1.0, 1.0), Cylinder(1e3, 0.0226))
    for cylinder, side in itertools.product(plates, (0.0, 0.3)):
        size = size_of(cylinder)
        for other, half in (
            (Capsule(0.1, 0.0), 0.1),
            (Capsule(0.1, 0.2), 0.2),
            (Box((0.2, 0.2, 0.2)), 0.1),
            (cube, 0.1),
            (Cylinder(0.1, 0.2), 0.1),
        ):
            above = placed.copy()
            away = cylinder.length / 2 + 0.5 + half
            above[:, :3, 3] += away * placed[:, :3, 2] + side * placed[:, :3, 0]
            out, codes = measure(cylinder, placed, other, above)
            assert np.abs(out[:, 0] - 0.5).max() <= 1e-9 * size
            check(cylinder, placed, other, above, out, codes, 1e-8 * size)


def test_point_segment_triangle_and_flat_bodies():
    origin = np.tile(np.eye(4), (1, 1, 1))
    point = Points([[0.0, 0.0, 0.0]])
    segment = Points([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    triangle = Points([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]])
    square = Points([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    doubled = Points(np.repeat(triangle.points, 3, axis=0))
    flats = [point, segment, triangle, square, doubled, Box((2.0, 2.0, 0.0))]
    for a, b in itertools.product(flats, flats):
        # In one plane and overlapping: they touch, and there is no depth.
        out, codes = measure(a, origin, b, origin)
        assert codes[0] == 0 and abs(out[0, 0]) < 1e-15
        above = np.eye(4)
        above[2, 3] = 0.25
        out, codes = measure(a, origin, b, above)
        assert codes[0] == 0 and out[0, 0] == pytest.approx(0.25, abs=1e-15)
        np.testing.assert_allclose(out[0, 7:10], (0.0, 0.0, -1.0), atol=1e-12)
    ball = Sphere(0.5)
    for a in flats:
        out, codes = measure(a, origin, ball, origin)
        assert codes[0] == 0 and out[0, 0] == pytest.approx(-0.5, abs=1e-15)
    cylinder = Cylinder(0.5, 3.0)
    out, codes = measure(triangle, origin, cylinder, origin)
    # The shortest way to pull the axis out of the triangle is over an edge.
    reach = 1.0 / np.sqrt(5.0)
    assert codes[0] == 0 and out[0, 0] == pytest.approx(-(reach + 0.5), abs=1e-9)


@pytest.mark.parametrize("shape", [CYLINDERS[0], POLYHEDRA[1], CAPSULES[0], BOXES[0]])
def test_a_tiny_body_against_a_large_one(shape):
    """Sizes 1e-4 and 1e3 m, a micrometre apart: a rounding of the large one is 1e-13 m, and the
    direction found over the tiny one carries it to the far end of the large one."""
    rng = np.random.default_rng(14)
    large = Polyhedron(1e3 * POLYHEDRA[3].vertices)
    tiny = scaled(shape, 1e-4)
    poses_a, poses_b = poses(rng, 2000, 0.0), poses(rng, 2000, 300.0)
    out, codes = measure(large, poses_a, tiny, poses_b)
    check(large, poses_a, tiny, poses_b, out, codes, 2e-9)
    poses_b[:, :3, 3] += (out[:, 0] - 1e-6)[:, None] * out[:, 7:10]
    out, codes = measure(large, poses_a, tiny, poses_b)
    assert (codes != 0).mean() < 0.005
    # Never above the truth by more than the slack, and hardly below it.
    assert (out[:, 0] - out[:, layout.SLACK] <= 1e-6).all()
    assert np.abs(out[codes == 0, 0] - 1e-6).max() < 3e-9
    assert (out[:, 0] > 0.5e-6).all()


def test_far_from_the_origin():
    rng = np.random.default_rng(15)
    for a, b in ((CYLINDERS[0], POLYHEDRA[1]), (POLYHEDRA[0], BOXES[0])):
        poses_a, poses_b = poses(rng, 300, 0.5), poses(rng, 300, 0.5)
        near, _ = measure(a, poses_a, b, poses_b)
        poses_a[:, :3, 3] += 1e4
        poses_b[:, :3, 3] += 1e4
        far, codes = measure(a, poses_a, b, poses_b)
        assert np.abs(near[:, 0] - far[:, 0]).max() < 1e-8
        check(a, poses_a, b, poses_b, far, codes, 3e-8)


def test_one_body_inside_the_other():
    outer, inner = polyhedron(5, 30), scaled(polyhedron(6, 30), 0.1)
    rng = np.random.default_rng(16)
    poses_a, poses_b = poses(rng, 100, 0.0), poses(rng, 100, 0.05)
    for a, b in ((outer, inner), (Cylinder(0.5, 1.0), inner), (outer, scaled(CYLINDERS[1], 0.1))):
        out, codes = measure(a, poses_a, b, poses_b)
        assert (out[:, 0] < 0.0).all()
        check(a, poses_a, b, poses_b, out, codes, 1e-8)
        # After the way out they touch.
        moved = poses_b.copy()
        moved[:, :3, 3] += out[:, :1] * out[:, 7:10]
        after, _ = measure(a, poses_a, b, moved)
        assert np.abs(after[:, 0]).max() < 1e-8


def test_polyhedra_of_500_corners():
    rng = np.random.default_rng(17)
    a, b = polyhedron(7, 500), polyhedron(8, 500)
    poses_a, poses_b = poses(rng, 300, 0.4), poses(rng, 300, 0.4)
    out, codes = measure(a, poses_a, b, poses_b)
    check(a, poses_a, b, poses_b, out, codes, 1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_pose_that_is_not_finite_is_never_called_proved(bad):
    pose = np.eye(4)
    pose[0, 3] = bad
    for a, b in ((CYLINDERS[0], BOXES[0]), (POLYHEDRA[1], POLYHEDRA[0]), (CAPSULES[0], SPHERES[0])):
        out, codes = measure(a, np.eye(4), b, pose)
        assert codes[0] == 1 or not np.isfinite(out[0, 0])


def test_the_same_input_gives_the_same_bits():
    rng = np.random.default_rng(18)
    poses_a, poses_b = poses(rng, 500, 0.3), poses(rng, 500, 0.3)
    one, _ = measure(CYLINDERS[0], poses_a, POLYHEDRA[1], poses_b)
    two, _ = measure(CYLINDERS[0], poses_a, POLYHEDRA[1], poses_b)
    assert one.tobytes() == two.tobytes()


WITHOUT_JIT = """
import json, sys
import numpy as np
from standoff.geometry.narrowphase import layout
from standoff.geometry.narrowphase.bodies import Bodies, Solids
from standoff.geometry.narrowphase.convex import convex_pair_within
from standoff.geometry.narrowphase.bodies import PairScratch
from tests.geometry import test_distance_convex as t
from tests.worlds.convex_cases import measure, poses

rng = np.random.default_rng(19)
result = []
for a, b in t.FEW:
    out, codes = measure(a, poses(rng, 6, 0.3), b, poses(rng, 6, 0.3))
    result.append(out.tolist())

rows = np.zeros((2, layout.ROW_COLUMNS))
rows[:, :12] = np.eye(4)[:3].ravel()
rows[1, 3] = 3.0
rows[:, 12:14] = 0.5
refs = np.zeros((2, layout.REF_COLUMNS), dtype=np.int64)
limits = []
for kind in (layout.CAPSULE, layout.CYLINDER):
    refs[:, layout.KIND] = kind
    for limit in (1.0, 2.5, np.inf):
        out = np.zeros((1, layout.OUT_COLUMNS))
        bodies = Bodies(rows=rows, refs=refs, solids=Solids())
        code = convex_pair_within(bodies, 0, bodies, 1, limit, PairScratch(), out, 0)
        limits.append([int(code), float(out[0, 0])])
json.dump({"values": result, "limits": limits}, sys.stdout)
"""

FEW = [
    (CYLINDERS[0], CYLINDERS[1]),
    (CYLINDERS[2], POLYHEDRA[1]),
    (POLYHEDRA[0], POLYHEDRA[1]),
    (POLYHEDRA[1], CAPSULES[0]),
    (Points([[0.0, 0.0, 0.0], [0.7, 0.1, 0.0], [0.2, 0.6, 0.1]]), BOXES[0]),
]


def test_kernels_without_compilation_agree():
    root = Path(__file__).parents[2]
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", WITHOUT_JIT],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    rng = np.random.default_rng(19)
    for (a, b), plain in zip(FEW, answer["values"], strict=True):
        out, _ = measure(a, poses(rng, 6, 0.3), b, poses(rng, 6, 0.3))
        np.testing.assert_allclose(out[:, 0], np.array(plain)[:, 0], atol=1e-8)
    # Two capsules and two cylinders 2 m apart, with a limit below, above and without one.
    for code, value in (answer["limits"][0], answer["limits"][3]):
        assert code in (0, 2) and 1.0 < value <= 2.0 + 1e-9
    for code, value in answer["limits"][1:3] + answer["limits"][4:]:
        assert code == 0 and value == pytest.approx(2.0, abs=1e-9)
