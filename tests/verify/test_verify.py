"""Certificates checked again: what holds is verified, and no tampering that matters passes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest

import standoff as so
from standoff.cli import main
from standoff.errors import CertificateError
from standoff.paths.certificate import (
    GROUP,
    MESH,
    PROOF,
    SHAPE,
    SPHERE,
    Certificate,
    Claim,
    Group,
    Primitive,
)
from standoff.view.verify import claim
from tests.oracles.path_prover import Prover, path_coefficients
from tests.worlds.path_cells import BOX, CASES, written

ROOT = Path(__file__).parents[2]


@cache
def case(name):
    """A cell, and a certificate that its motion is free."""
    prover = CASES[name](Path(mkdtemp()))
    made = prover.free()
    assert made is not None
    return prover.cell, made


def refused(cell, certificate, *words, **options):
    found = so.verify(cell, certificate, **options)
    assert not found.verified
    for word in words:
        assert word in found.reason, found.reason


def altered(certificate, k, **values):
    """With other values in proof ``k``."""
    proofs = certificate.proofs.copy()
    for name, value in values.items():
        proofs[name][k] = value
    return replace(certificate, proofs=proofs)


def rows_of(certificate, *methods):
    return np.flatnonzero(np.isin(certificate.proofs["method"], methods))


@pytest.mark.parametrize("engine", ["plain", "coal"])
@pytest.mark.parametrize("name", CASES)
def test_what_was_proved_is_verified(name, engine):
    cell, certificate = case(name)
    seen = []
    found = so.verify(
        cell, certificate, engine=engine, progress=lambda done, total: seen.append((done, total))
    )
    assert found.verified and found.reason is None
    assert found.proofs == len(certificate.proofs) == seen[-1][0] == seen[-1][1]
    assert found.kind == "free" and found.pairs > 0 and found.room > 0.0
    assert found.pieces == len(certificate.times) - 1
    if engine == "coal":
        assert found.asked > 0


def test_all_methods_are_among_the_cases():
    used = {int(m) for name in CASES for m in case(name)[1].proofs["method"]}
    assert used == {SHAPE, SPHERE, MESH, GROUP}


def test_a_file_is_checked_as_well(tmp_path):
    cell, certificate = case("two_arms")
    certificate.save(tmp_path / "c.json")
    assert so.verify(cell, tmp_path / "c.json").verified
    with pytest.raises(CertificateError, match="engine: unknown choice"):
        so.verify(cell, certificate, engine="bullet")


@pytest.mark.parametrize("name", CASES)
def test_no_proof_can_be_left_out(name):
    cell, certificate = case(name)
    for k in range(len(certificate.proofs)):
        fewer = replace(certificate, proofs=np.delete(certificate.proofs, k))
        refused(cell, fewer, "nothing proves them apart", engine="plain")


@pytest.mark.parametrize("name", CASES)
def test_no_interval_can_be_shortened(name):
    cell, certificate = case(name)
    for k, row in enumerate(certificate.proofs):
        if row["at"] == row["start"]:
            short = altered(certificate, k, end=np.nextafter(row["end"], 0.0))
        else:
            short = altered(certificate, k, start=np.nextafter(row["start"], 1.0))
        refused(cell, short, "nothing proves them apart", engine="plain")


@pytest.mark.parametrize("name", CASES)
def test_no_distance_can_be_raised(name):
    cell, certificate = case(name)
    for k in rows_of(certificate, SHAPE, SPHERE, MESH):
        raised = altered(certificate, k, distance=certificate.proofs["distance"][k] + 1e-6)
        refused(cell, raised, "claims a distance", f"proof {k} ", engine="plain")


@pytest.mark.parametrize("name", ["one_arm", "two_arms", "mimics", "glides", "slides"])
def test_no_normal_can_be_turned(name):
    cell, certificate = case(name)
    rng = np.random.default_rng(1)
    for k in rows_of(certificate, SHAPE, SPHERE)[::4]:
        n = certificate.proofs["normal"][k]
        aside = np.cross(n, rng.normal(size=3))
        turned = n + 0.3 * aside / np.linalg.norm(aside)
        refused(
            cell, altered(certificate, k, normal=turned / np.linalg.norm(turned)), f"proof {k} "
        )
        refused(cell, altered(certificate, k, normal=-n), f"proof {k} ")
        refused(cell, altered(certificate, k, normal=1.001 * n), "length")
        refused(cell, altered(certificate, k, normal=np.zeros(3)), "length")


@pytest.mark.parametrize("name", CASES)
def test_no_sphere_can_be_shrunk_or_moved(name):
    cell, certificate = case(name)
    for k, row in enumerate(certificate.primitives):
        if np.isinf(row.radius):
            continue
        x, y, z = row.centre
        for other in (
            replace(row, radius=row.radius * (1 - 1e-9)),
            replace(row, centre=(x, y + 1e-6, z)),
        ):
            others = (*certificate.primitives[:k], other, *certificate.primitives[k + 1 :])
            refused(cell, replace(certificate, primitives=others), f"sphere of primitive {k}")


def test_no_primitive_can_be_left_out_or_named_twice():
    cell, certificate = case("one_arm")
    bodies = certificate.primitives
    unused = Primitive("far", 1, (0, 0, 0), 1.0)
    refused(cell, replace(certificate, primitives=(*bodies, unused)), "'far'", "does not have")
    refused(cell, replace(certificate, primitives=(*bodies, bodies[0])), "twice")
    renamed = tuple(replace(p, body="near") if p.body == "far" else p for p in bodies)
    refused(cell, replace(certificate, primitives=renamed), "'near'")
    swapped = (bodies[0], bodies[2], bodies[1])  # the proofs now speak of the other box
    refused(cell, replace(certificate, primitives=swapped))


def test_groups_hold_their_members():
    cell, certificate = case("groups")
    (group,) = certificate.groups
    for k in range(3):
        upper = list(group.upper)
        upper[k] -= 1e-6
        smaller = replace(certificate, groups=(replace(group, upper=tuple(upper)),))
        refused(cell, smaller, "stands out of the box of group 0")
    for left_out in range(len(group.members)):
        members = tuple(m for i, m in enumerate(group.members) if i != left_out)
        fewer = replace(certificate, groups=(replace(group, members=members),))
        refused(cell, fewer, "nothing proves them apart")
    arm = next(i for i, p in enumerate(certificate.primitives) if p.body == "arm/l0")
    more = replace(certificate, groups=(replace(group, members=(*group.members, arm)),))
    refused(cell, more, "not a static, bounded part")


def test_a_group_must_stay_clear():
    cell, certificate = case("groups")
    (k,) = rows_of(certificate, GROUP)[:1]
    whole = altered(certificate, k, start=0.0, end=1.0, at=0.0)
    refused(cell, whole, f"proof {k} (group)", "falls short")


def test_a_higher_clearance_is_not_proved():
    for name in CASES:
        cell, certificate = case(name)
        found = so.verify(cell, certificate, engine="plain")
        more = certificate.clearance + found.room + 1e-6
        refused(cell, replace(certificate, clearance=more), "falls short", engine="plain")


def test_a_pair_s_own_clearance_counts():
    cell, certificate = case("two_arms")
    room = so.verify(cell, certificate).room
    for pair in (("left/l1", "right/l1"), ("left/l0", "right/l0"), ("left/l1", "floor")):
        for a, b in (pair, pair[::-1]):
            own = {**certificate.clearances, (a, b): 0.5 + room}
            refused(cell, replace(certificate, clearances=own), "falls short")
    wrong = {("left/l1", "nobody"): 0.1}
    refused(cell, replace(certificate, clearances=wrong), "'nobody'")


def test_a_clearance_that_is_asked_for_must_be_claimed():
    cell, certificate = case("one_arm")
    assert so.verify(cell, certificate, clearance=0.01).verified
    lowered = replace(certificate, clearance=0.005)
    assert so.verify(cell, lowered).verified  # claims less, and that is true
    refused(cell, lowered, "0.005", "0.01 m is asked for", clearance=0.01)
    own = replace(certificate, clearances={("arm/l0", "far"): -0.1})
    refused(cell, own, "far", "asked for", clearance=0.01)


def test_more_deviation_and_rounding_are_not_proved():
    for name in ("one_arm", "mimics", "slides"):
        cell, certificate = case(name)
        refused(cell, replace(certificate, deviation=certificate.deviation + 0.5), "falls short")
        refused(cell, replace(certificate, rounding=certificate.rounding + 0.5), "falls short")


def test_joints_and_moving_bodies_are_the_cells_own():
    cell, certificate = case("two_arms")
    order = [2, 3, 0, 1]
    turned = replace(
        certificate,
        joints=tuple(certificate.joints[i] for i in order),
        coefficients=certificate.coefficients[:, :, order],
    )
    refused(cell, turned, "other joints", "'right/j0'", "'left/j0'")
    fewer = certificate.joints[:3]
    shorter = replace(
        certificate, joints=fewer, coefficients=certificate.coefficients[:, :, :3],
        rounding=certificate.rounding[:, :3], deviation=certificate.deviation[:3],
    )  # fmt: skip
    refused(cell, shorter, "other joints", "'right/j1'")
    cell, certificate = case("glides")
    refused(cell, replace(certificate, moving=certificate.moving[::-1]), "other moving bodies")


@pytest.mark.parametrize("name", ["two_arms", "mimics"])
def test_pieces_must_join(name):
    cell, certificate = case(name)
    for k in range(2):
        coefficients = certificate.coefficients.copy()
        coefficients[k, 1, 0] += 1e-9 if k == 0 else 0.0
        coefficients[k, 0, 0] += 0.0 if k == 0 else 1e-9
        refused(cell, replace(certificate, coefficients=coefficients), "jumps", "piece 0")


def test_gliding_bodies_do_not_jump_or_bend():
    cell, certificate = case("glides")
    for column, words in ((3, "jumps"), (12, "jumps"), (16, "jumps"), (0, "rigid")):
        glides = certificate.glides.copy()
        glides[0, 0, column] += 1e-7
        refused(cell, replace(certificate, glides=glides), words)


@pytest.mark.parametrize("name", CASES)
def test_another_motion_is_not_proved_by_it(name):
    """Each coefficient altered, as far as the pieces still join."""
    cell, certificate = case(name)
    count = 0
    for joint in range(len(certificate.joints)):
        for power in range(6):
            coefficients = certificate.coefficients.copy()
            coefficients[-1 if power else slice(None), power, joint] += 2.0
            other = replace(certificate, coefficients=coefficients)
            found = so.verify(cell, other, engine="plain")
            assert not found.verified or not _colliding(cell, other)
            count += not found.verified
    assert count >= 3


def _colliding(cell, certificate):
    prover = Prover(cell, certificate.coefficients, glides=certificate.glides)
    watch = so.Monitor(cell, buffer=0.0)
    for piece in range(len(certificate.times) - 1):
        for u in np.linspace(0.0, 1.0, 41):
            q = sum(certificate.coefficients[piece, p] * u**p for p in range(6))
            poses = np.array(prover.frames(piece, u)[cell.tree.frames :]).reshape(-1, 4, 4)
            if watch.update(q, poses if len(poses) else None).warnings:
                return True
    return False


@pytest.mark.parametrize("name", ["one_arm", "two_arms", "slides", "mimics", "meshes", "glides"])
def test_another_cell_is_not_covered_by_it(name, tmp_path):
    """Obstacles moved to where the robot passes, and a body added."""
    cell, certificate = case(name)
    cell.save(tmp_path / "cell.toml")
    for body in [b for b in cell.bodies.values() if not b.moving and b.attachment is None]:
        if not body.shape.bounded:
            continue
        other = so.Cell.load(tmp_path / "cell.toml")
        q = certificate.coefficients[0].sum(axis=0)
        link = next(n for n in cell.model.names if "/" in n and cell.model.frame_of(n))
        _, local = cell.model.parts[cell.model.index[link]][0]
        at = cell.tree.forward(q)[cell.model.frame_of(link)] @ local
        other.remove_body(body.name)
        other.add_body(body.name, body.shape, at)
        moved = [p.body for p in certificate.primitives if p.body == body.name]
        assert moved
        refused(other, certificate, engine="plain")
    other = so.Cell.load(tmp_path / "cell.toml")
    other.add_body("new", so.Sphere(0.1), so.pose((0, 0, 9)))
    refused(other, certificate, "'new'", engine="plain")


def test_a_pair_that_is_watched_again_must_be_proved():
    cell, certificate = case("glides")
    cell.forbid("crate", "table")
    try:
        refused(cell, certificate, "crate and table", "nothing proves")
    finally:
        cell.allow("crate", "table")


def test_an_interval_as_long_as_the_piece_needs_a_distance_for_it():
    """One proof over everything, from the true distance at the start, is too short."""
    cell, certificate = case("one_arm")
    k = rows_of(certificate, SHAPE)[
        np.argmin(certificate.proofs["start"][rows_of(certificate, SHAPE)])
    ]
    row = certificate.proofs[k]
    assert row["at"] in (0.0, row["end"])
    longer = altered(certificate, k, start=min(row["at"], 0.0), end=1.0, at=0.0)
    refused(cell, longer, f"proof {k} ")


def sliding(folder, way, rows, clearance=0.0, turned=False):
    """A box on rails along x, a post at x = 1, and proofs (start, end, at) from true distances; the
    post comes first in them where they are ``turned``."""
    joint = '<joint name="j0" type="prismatic"><parent link="base"/><child link="l0"/>'
    joint += '<limit lower="-3" upper="3" velocity="2" effort="1"/></joint>'
    shape = '<geometry><box size="0.2 0.2 0.2"/></geometry>'
    text = (
        f'<robot name="r"><link name="base"/><link name="l0"><collision>{shape}</collision></link>'
    )
    (folder / "rail.urdf").write_text(f"{text}{joint}</robot>")
    cell = so.Cell()
    cell.add_robot(folder / "rail.urdf", name="r")
    cell.add_body("post", so.Box((0.2, 0.2, 0.2)), so.pose((1.0, 0, 0)))
    prover = Prover(cell, path_coefficients([[x] for x in way]), clearance=clearance)
    proofs = np.zeros(len(rows), dtype=PROOF)
    for proof, (start, end, at) in zip(proofs, rows):
        x = way[0] + at * (way[1] - way[0])
        proof["end"], proof["start"], proof["at"] = end, start, at
        proof["a"], proof["b"] = (1, 0) if turned else (0, 1)
        proof["distance"] = abs(1.0 - x) - 0.2
        proof["normal"] = (-1.0 if (x < 1.0) != turned else 1.0, 0.0, 0.0)
    return cell, replace(prover.certificate, proofs=proofs)


def test_bodies_that_draw_apart_must_have_been_apart(tmp_path):
    """0.05 m away where 0.1 m is asked for, and leaving: the interval ends far away, but it does
    not begin so."""
    cell, leaving = sliding(tmp_path, [0.75, -1.0], [(0.0, 1.0, 0.0)], clearance=0.1)
    refused(cell, leaving, "falls short of its clearance by 0.05 m")
    assert so.verify(cell, replace(leaving, clearance=0.04)).verified


@pytest.mark.parametrize("turned", [False, True])
def test_an_interval_is_looked_at_from_its_own_end(tmp_path, turned):
    """Leaving the post, the end of the interval knows nothing of its start; the start does. Coming
    nearer it is the other way round."""
    cell, back = sliding(tmp_path, [0.9, -0.5], [(0.0, 1.0, 1.0)], turned=turned)
    refused(cell, back, "falls short")
    cell, ahead = sliding(tmp_path, [-0.5, 0.9], [(0.0, 1.0, 0.0)], turned=turned)
    refused(cell, ahead, "falls short")
    for way, at in (([-0.5, 0.7], 1.0), ([0.7, -0.5], 0.0)):
        cell, right = sliding(tmp_path, way, [(0.0, 1.0, at)], turned=turned)
        assert so.verify(cell, right).verified
        assert so.verify(cell, right).room == pytest.approx(0.1, abs=1e-12)


def test_touching_at_one_instant_is_not_free(tmp_path):
    """Up to contact exactly, and up to a hair before it."""
    cell, touching = sliding(tmp_path, [-0.2, 0.8], [(0.0, 1.0, 0.0)])
    refused(cell, touching, "falls short")
    cell, before = sliding(tmp_path, [-0.2, 0.8 - 1e-11], [(0.0, 1.0, 0.0)])
    assert so.verify(cell, before).verified


def test_a_group_is_looked_at_from_the_interval_s_own_end(tmp_path):
    """The arm's sphere, of 0.174 m, leaves the box around the post or comes up to it."""
    for way, at, ok in (
        ([0.9, -0.5], 1.0, False),
        ([-0.5, 0.9], 0.0, False),
        ([-0.5, 0.7], 1.0, True),
        ([0.7, -0.5], 0.0, True),
        ([-0.5, 0.7], 0.0, True),
        ([-0.5, 0.73], 0.0, False),
    ):
        cell, certificate = sliding(tmp_path, way, [(0.0, 1.0, at)])
        box = Group((0.9, -0.1, -0.1), (1.1, 0.1, 0.1), (1,))
        grouped = altered(replace(certificate, groups=(box,)), 0, method=GROUP, b=0)
        found = so.verify(cell, grouped)
        assert found.verified == ok, (way, at, found)
        # Nothing is known of how deep a centre is in a box, whatever depth is allowed.
        through = replace(grouped, coefficients=path_coefficients([[0.0], [2.0]]), clearance=-5.0)
        refused(cell, through, "falls short")


@pytest.mark.parametrize("post", ["mesh", "cylinder"])
def test_a_mesh_is_not_passed_through(tmp_path, post):
    """The rails again, one of the two boxes a mesh, or a ball of triangles beside a cylinder."""
    from tests.worlds.mesh_shapes import box_mesh

    cell, certificate = sliding(tmp_path, [-0.5, 0.9], [(0.0, 1.0, 0.0)])
    cell.remove_body("post")
    if post == "mesh":
        cell.add_body("post", box_mesh(0.2, 0.2, 0.2), so.pose((1.0, 0, 0)))
    else:
        cell.add_body("post", so.Cylinder(0.1, 0.2), so.pose((1.0, 0, 0)))
        cell.add_body("skin", box_mesh(0.19, 0.19, 0.19))
        cell.attach("skin", "r/l0", pose=np.eye(4))
        primitives = (*certificate.primitives, Primitive("skin", 0, (0.0, 0.0, 0.0), 0.2))
        more = np.concatenate([certificate.proofs, certificate.proofs])
        more["a"][1] = 2
        more["distance"][1] += 0.005
        certificate = replace(certificate, primitives=primitives, proofs=more)
    methods = MESH if post == "mesh" else [SHAPE, MESH]
    certificate = replace(altered(certificate, slice(None), method=methods), clearance=0.0)
    refused(cell, certificate, "falls short")
    shorter = replace(certificate, coefficients=path_coefficients([[-0.5], [0.79]]))
    found = so.verify(cell, shorter)
    assert found.verified and found.room == pytest.approx(0.01, abs=1e-9), found


@pytest.mark.parametrize("solid", [so.Box((3.0, 3.0, 3.0)), so.Sphere(2.0), "polyhedron", "mesh"])
def test_a_mesh_inside_a_solid_is_not_free(tmp_path, solid):
    """Its triangles keep their distance from the surface around it."""
    from tests.worlds.mesh_shapes import box_arrays, box_mesh

    if solid == "polyhedron":
        solid = so.Polyhedron(box_arrays(3.0, 3.0, 3.0)[0])
    elif solid == "mesh":
        solid = box_mesh(3.0, 3.0, 3.0)
    cell = so.Cell(unwatched="allow")
    cell.add_robot(written(tmp_path, "in", ("revolute", "0 0 1", "0 0 0", "")), name="arm")
    cell.add_body("ring", box_mesh(0.2, 0.2, 0.2))
    cell.attach("ring", "arm/l0", pose=np.eye(4))
    cell.add_body("hall", solid)
    prover = Prover(cell, path_coefficients([[0.0], [0.1]]))
    for a, b in ((0, 1), (1, 0)):
        proofs = prover._rows([(0, 0.0, 1.0, MESH, a, b)])
        proofs["distance"] = 1.0
        refused(cell, replace(prover.certificate, proofs=proofs), "claims a distance of 1 m")


def test_methods_must_fit_the_shapes():
    cell, certificate = case("meshes")
    (k,) = rows_of(certificate, MESH)[:1]
    refused(cell, altered(certificate, k, method=SHAPE, normal=(0, 0, 1)), "no direction need")
    cell, certificate = case("two_arms")
    floor = next(i for i, p in enumerate(certificate.primitives) if p.body == "floor")
    (k,) = np.flatnonzero(certificate.proofs["b"] == floor)[:1]
    refused(cell, altered(certificate, k, method=SPHERE), "no sphere holds")
    refused(cell, altered(certificate, k, method=MESH), "none of the two is a mesh")


def test_undecided_proves_nothing():
    cell, certificate = case("one_arm")
    refused(cell, replace(certificate, verdict=Claim("undecided")), "undecided")


def test_a_body_inside_a_solid_is_not_free(tmp_path):
    """Surfaces keep their distance, and yet the ball is inside: the mesh is a solid."""
    from tests.worlds.mesh_shapes import box_mesh

    cell = so.Cell()
    cell.add_robot(written(tmp_path, "in", ("revolute", "0 0 1", "0 0 0", BOX)), name="arm")
    cell.add_body("hall", box_mesh(3.0, 3.0, 3.0))
    prover = Prover(cell, path_coefficients([[0.0], [0.1]]), spheres=False)
    assert prover.free(50) is None
    proofs = prover._rows([(0, 0.0, 1.0, MESH, 0, 1)])
    proofs["distance"] = 1.0
    refused(cell, replace(prover.certificate, proofs=proofs), "claims a distance of 1 m")


def test_kernels_are_not_called(tmp_path):
    """With every compiled function replaced by one that raises, verdicts are the same."""
    code = r"""
import re, sys
from pathlib import Path
import numba, pytest
from tests.worlds.path_cells import CASES
import standoff as so
made = []
for name in ("two_arms", "meshes", "groups"):
    prover = CASES[name](Path(sys.argv[1]))
    made.append((prover.cell, prover.free(), prover.cell.model, list(prover.cell.pairs.watched())))
def forbidden(*args): raise AssertionError("a kernel was called")
count = 0
for module in [m for n, m in sys.modules.items() if n.startswith("standoff")]:
    for name, value in list(vars(module).items()):
        kernel = getattr(value, "__module__", "") or ""
        if re.search(r"\.(kernels|narrowphase)\.", kernel) and callable(value):
            setattr(module, name, forbidden); count += 1
assert count > 100
with pytest.raises(AssertionError):
    made[0][0].tree.forward([0.0] * 4)
for cell, certificate, *_ in made:
    assert so.verify(cell, certificate, engine="plain").verified
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr


def witness(name, u, pair, kind, parts=(0, 0), piece=0, **changes):
    """A certificate whose verdict is that two bodies are near at an instant."""
    cell, certificate = case(name)
    q = sum(certificate.coefficients[piece, p] * u**p for p in range(6))
    prover = Prover(cell, certificate.coefficients, glides=certificate.glides)
    frames = prover.frames(piece, u)
    placed = []
    for body, part in zip(pair, parts):
        shape, local = cell.model.parts[cell.model.index[body]][part]
        placed += [shape, frames[cell.model.frame_of(body)] @ local]
    distance = so.distance(*placed).distance
    claim = Claim(kind, piece, u, float(piece + u), tuple(q.tolist()), pair, parts, distance)
    return cell, replace(certificate, verdict=claim, **changes), distance


PAIRS = [
    ("one_arm", ("arm/l0", "box")), ("two_arms", ("left/l1", "right/l0")),
    ("two_arms", ("left/l1", "floor")), ("slides", ("s/l2", "post")), ("mimics", ("m/l3", "tip")),
    ("glides", ("arm/l0", "cart")), ("meshes", ("ring", "stone")), ("meshes", ("ring", "post")),
    ("meshes", ("block", "ring")), ("meshes", ("ring", "floor")), ("meshes", ("bar", "ring")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "pair"), PAIRS)
def test_too_close_is_shown_by_its_witness(name, pair):
    cell, certificate, d = witness(name, 0.7, pair, "too_close")
    assert d > 0.0
    near = replace(certificate, clearance=d - 1e-4, clearances={}, tolerance=2e-4)
    found = so.verify(cell, near)
    assert found.verified and found.kind == "too_close", found.reason
    refused(cell, replace(near, clearance=d - 1e-3), "apart, and not nearer")
    claim = near.verdict
    refused(cell, replace(near, verdict=replace(claim, distance=d + 1e-3)), "apart, and not")
    refused(cell, replace(near, verdict=replace(claim, kind="collision")), "said to collide")
    bumped = replace(claim, kind="collision", distance=-d)
    refused(cell, replace(near, verdict=bumped), "said to collide, but", "m apart")
    q = list(claim.q)
    q[0] += 1e-6
    refused(cell, replace(near, verdict=replace(claim, q=tuple(q))), "not on the motion")
    refused(cell, replace(near, verdict=replace(claim, u=0.71)), "not on the motion")
    refused(cell, replace(near, verdict=replace(claim, t=0.1)), "t = 0.1")
    refused(cell, replace(near, verdict=replace(claim, parts=(0, 7))), "part 7")


def test_a_witness_of_a_pair_that_may_touch_is_none():
    cell, certificate, _ = witness("two_arms", 0.2, ("left/l0", "left/l1"), "collision")
    refused(cell, certificate, "not watched")


@pytest.mark.parametrize(("name", "pair"), PAIRS)
def test_a_collision_is_shown_by_its_witness(name, pair, tmp_path):
    """The obstacle is put where the other body is, deep and then barely."""
    cell, certificate, _ = witness(name, 0.7, pair, "collision")
    shown, hidden = sorted(pair, key=lambda n: "/" not in n and cell.bodies[n].attachment is None)
    cell.save(tmp_path / "cell.toml")
    model = cell.model
    frames = Prover(cell, certificate.coefficients, glides=certificate.glides).frames(0, 0.7)
    (a, local), (b, _) = (model.parts[model.index[n]][0] for n in (shown, hidden))
    at = frames[model.frame_of(shown)] @ local
    if hidden not in cell.bodies:  # two links: turn the witness on the spot into a wrong one
        refused(cell, certificate, "said to collide")
        return
    body = cell.bodies[hidden]
    for deep in (0.0, 0.03):
        other = so.Cell.load(tmp_path / "cell.toml")
        other.remove_body(hidden)
        there = body.pose.copy()
        start = so.distance(a, at, b, there)
        if isinstance(a, so.Mesh):  # its vertex, so that the surfaces surely cross
            point = at[:3, :3] @ a.vertices[0] + at[:3, 3]
        else:
            point = at[:3, 3]
        if deep == 0.0:
            there[:3, 3] += point - (start.point_b - 1e-3 * start.normal)
        else:
            there[:3, 3] += start.point_a - start.point_b + deep * start.normal
        if body.moving:
            glides = certificate.glides.copy()
            column = list(cell.moving).index(hidden)
            old = frames[model.frame_of(hidden)]
            glides[:, column, [3, 7, 11]] += (
                there[:3, 3] - body.pose[:3, 3] + (body.pose - old)[:3, 3]
            )
            continue
        other.add_body(hidden, body.shape, there, moving=body.moving)
        d = so.distance(a, at, b, there).distance
        assert d <= 0.0
        changed = replace(certificate, verdict=replace(certificate.verdict, distance=d))
        moved = tuple(
            replace(p, centre=tuple(np.array(p.centre) + there[:3, 3] - body.pose[:3, 3]))
            if p.body == hidden and np.isfinite(p.radius) else p
            for p in changed.primitives
        )  # fmt: skip
        changed = replace(changed, primitives=moved, groups=(), proofs=changed.proofs[:0])
        found = so.verify(other, changed)
        assert found.verified, found.reason
        wrong = replace(changed, verdict=replace(changed.verdict, distance=0.01))
        refused(other, wrong, "said to collide at a distance of 0.01")


def test_bounded_penetration_is_proved_and_disproved(tmp_path):
    """A negative clearance: a link slides through the skin of a box, not deeper than allowed."""
    cell = so.Cell()
    cell.add_robot(written(tmp_path, "deep", ("revolute", "0 0 1", "0 0 0", BOX)), name="arm")
    q = np.array([0.4])
    shape, local = cell.model.parts[0][0]
    at = cell.tree.forward(q)[1] @ local
    there = at @ so.pose((0.0, 0.04 + 0.1 - 0.02, 0.0))
    cell.add_body("box", so.Box((0.2, 0.2, 0.2)), there)
    way = path_coefficients([q, q - 0.05])
    assert Prover(cell, way, clearance=-0.015).free(300) is None
    made = Prover(cell, way, clearance=-0.025).free(300)
    assert made is not None and so.verify(cell, made).verified
    d = so.distance(shape, at, so.Box((0.2, 0.2, 0.2)), there).distance
    assert d == pytest.approx(-0.02, abs=1e-12)
    claim = Claim("collision", 0, 0.0, 0.0, (0.4,), ("arm/l0", "box"), (0, 0), d)
    assert so.verify(cell, replace(made, clearance=-0.0199, verdict=claim)).verified
    deeper = replace(claim, distance=-0.03)
    refused(cell, replace(made, clearance=-0.021, verdict=deeper), "not shown to be deeper")


def test_the_command_says_what_came_of_it(tmp_path, monkeypatch, capsys):
    cell, certificate = case("two_arms")
    cell.save(tmp_path / "cell.toml")
    own = so.Cell.load(tmp_path / "cell.toml")
    certificate.save(tmp_path / "good.json", cell=own)
    certificate.save(tmp_path / "bare.json")
    replace(certificate, clearance=0.5).save(tmp_path / "bad.json", cell=own)

    def run(status, *args):
        """What the command prints, both streams together."""
        monkeypatch.setattr(sys, "argv", ["standoff", "verify", *map(str, args)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert (ended.value.code or 0) == status, printed
        return " ".join((printed.out + printed.err).split())

    printed = run(0, tmp_path / "good.json")
    assert "verified" in printed and "free at every instant" in printed
    assert f"{len(certificate.proofs)} proofs" in printed
    printed = run(1, tmp_path / "bad.json", "--engine", "plain")
    assert "refused" in printed and "falls short" in printed
    assert "brings no cell along" in run(2, tmp_path / "bare.json")
    run(0, tmp_path / "bare.json", "--cell", tmp_path / "cell.toml")
    assert "is asked for" in run(1, tmp_path / "good.json", "--clearance", "0.1")
    assert "cannot be read" in run(2, tmp_path / "none.json")
    assert "unknown choice" in run(2, tmp_path / "good.json", "--engine", "bullet")
    q, pair = (0.35, 1.25, 1.1, 1.2), ("left/l1", "right/l1")
    shown = Claim("too_close", 1, 0.5, 1.5, q, pair, (0, 0), 0.5)
    replace(certificate, verdict=shown).save(tmp_path / "near.json", cell=own)
    assert "left/l1 and right/l1 come too close in piece 1" in run(1, tmp_path / "near.json")


def test_the_cell_may_be_a_shipped_one(tmp_path, monkeypatch, capsys):
    cell = so.Cell()
    cell.add_robot("builtin:arm7")
    q = np.zeros(len(cell.joints))
    so.PathChecker(cell).path([q, q + 0.05]).certificate().save(tmp_path / "bare.json")
    for name, status in (("builtin:arm7", 0), ("builtin:amr7", 2), ("testbed", 1)):
        args = ["standoff", "verify", str(tmp_path / "bare.json"), "--cell", name]
        monkeypatch.setattr(sys, "argv", args)
        with pytest.raises(SystemExit) as ended:
            main()
        assert (ended.value.code or 0) == status, capsys.readouterr()
    assert "arm7" in capsys.readouterr().err


def test_clearances_of_single_pairs_are_part_of_the_claim():
    _, certificate = case("two_arms")
    own = {("left/l1", "floor"): -0.002, ("right/l1", "floor"): 0.03}
    said = claim(replace(certificate, clearance=0.01, clearances=own))
    assert "with a clearance of 10 mm (2 pairs have their own, 1 of them less: " in said
    assert "left/l1 – floor -2 mm, right/l1 – floor 30 mm)" in said
    many = {(f"a{k}", "b"): 0.001 * k for k in range(12)}
    said = claim(replace(certificate, clearance=0.0, clearances=many))
    assert "12 pairs have their own, none of them less: a0 – b 0 mm" in said
    assert "a7 – b 7 mm, and 4 more, 8 mm or above" in said


def test_certificates_are_what_the_package_exports():
    assert so.Certificate is Certificate


def test_what_passes_a_mesh_within_the_tolerance_can_be_listed(tmp_path):
    """A box slides along a mesh: the check proves it by a direction, which the listing goes
    without. It stopped at the first pair within clearance and tolerance, at any budget."""
    cell, _ = sliding(tmp_path, [0.0, 0.2], [])
    cell.remove_body("post")
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    cube = so.Polyhedron(corners)
    notch = cube.vertices.copy()
    notch[np.argmax(notch.sum(axis=1))] = 0.3  # no longer convex
    wall = so.Mesh(notch - [0.5, 0.0, 0.5], cube.faces)
    cell.add_body("wall", wall, so.pose((0.0, 0.1 + 0.0103, 0.0)))
    checker = so.PathChecker(cell, clearance=0.01, tolerance=1e-3)
    verdict = checker.segment([0.0], [0.2])
    assert verdict.free
    made = verdict.certificate()
    assert (made.proofs["method"] == MESH).any()
    assert so.verify(cell, made).verified
