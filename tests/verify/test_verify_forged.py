"""Forged certificates: whatever number is altered, what is still accepted is true."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

import standoff as so
from standoff.geometry.convex_hull import convex_hull
from standoff.paths.certificate import Certificate
from standoff.view.verify import claim as words
from tests.oracles.coal import CoalCell

#: What a number is replaced by, besides itself changed a little and a lot.
HUGE = (-1e9, -1.0, 0.0, 1e-3, 1.0, 1e6, 1e9)


def panda(at):
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="panda")
    cell.add_body("box", so.Box((0.2, 0.2, 0.2)), so.pose(at))
    return cell


def motion(cell):
    q = np.array([0.0, 0.0, 0.0, -1.57, 0.0, 1.57, 0.0, 0.0])
    return q, q + 0.3 * np.eye(len(q))[0]


def depth_by_coal(cell, certificate):
    """The signed distance of the pair of a witness, at the place of the motion that it names."""
    claim = certificate.verdict
    q = sum(c * claim.u**k for k, c in enumerate(certificate.coefficients[claim.piece]))
    oracle = CoalCell(cell)
    frames = oracle.frames(q)
    placed = [oracle.place(name, frames)[part] for name, part in zip(claim.pair, claim.parts)]
    return oracle.distance(*placed)


def forged(certificate, rng):
    """The certificate with one number altered, again and again: of the claim, the spheres, the
    motion, the roundings, the clearances."""
    claim = certificate.verdict
    for name in ("distance", "u", "t"):
        if getattr(claim, name) is not None:
            own = getattr(claim, name)
            for x in (*HUGE, own - 1e-3, own + 1e-3, 2.0 * own):
                if name != "u" or 0.0 <= x <= 1.0:
                    yield replace(certificate, verdict=replace(claim, **{name: x}))
    if claim.q is not None:
        for j in range(len(claim.q)):
            q = list(claim.q)
            q[j] += 0.5
            yield replace(certificate, verdict=replace(claim, q=tuple(q)))
    for k, row in enumerate(certificate.primitives):
        for other in (replace(row, radius=1e6), replace(row, centre=(1e6, 0.0, 0.0), radius=2e6)):
            rows = (*certificate.primitives[:k], other, *certificate.primitives[k + 1 :])
            yield replace(certificate, primitives=rows)
    for name in ("clearance", "tolerance"):
        for x in HUGE:
            if name == "clearance" or x >= 0.0:
                yield replace(certificate, **{name: x})
    for field in fields(Certificate):
        values = getattr(certificate, field.name)
        if field.name not in ("deviation", "times", "coefficients", "rounding") or not values.size:
            continue
        for x in (1e-3, 1.0, 1e6):
            changed = values.copy()
            changed.flat[-1 if field.name == "times" else rng.integers(values.size)] += x
            yield replace(certificate, **{field.name: changed})


@pytest.mark.parametrize("at", [(0.55, 0.0, 0.5), (0.45, 0.05, 0.45)])
def test_a_forged_collision_that_is_accepted_is_one(at):
    cell = panda(at)
    verdict = so.PathChecker(cell).segment(*motion(cell))
    made = verdict.certificate()
    assert made.verdict.kind == "collision" and so.verify(cell, made).verified
    accepted = 0
    for other in forged(made, np.random.default_rng(0)):
        if so.verify(cell, other, engine="plain").verified:
            accepted += 1
            d = depth_by_coal(cell, other)
            assert d <= 1e-6, other.verdict
            assert other.verdict.distance >= 1.01 * d - 1e-5, (other.verdict, d)
    assert accepted > 0


@pytest.mark.parametrize("lie", [{"distance": -1e9}, {"distance": -0.5}, {"distance": 0.0}])
def test_bodies_that_are_apart_do_not_collide_whatever_is_claimed(lie):
    """The blur of a witness was a part of the distance and of the radii that it claimed."""
    near, far = panda((0.55, 0.0, 0.5)), panda((0.55, 0.0, 1.5))
    made = so.PathChecker(near).segment(*motion(near)).certificate()
    primitives = tuple(
        replace(p, centre=(0.55, 0.0, 1.5), radius=1e7) if p.body == "box" else p
        for p in made.primitives
    )
    claim = replace(made.verdict, **lie)
    found = so.verify(far, replace(made, primitives=primitives, verdict=claim))
    assert not found.verified and "said to collide" in found.reason


@pytest.mark.parametrize("lie", [-1e9, -1.0])
@pytest.mark.parametrize("body", [so.Box((0.2, 0.2, 0.2)), "mesh"])
def test_bodies_too_close_are_not_as_deep_in_each_other_as_is_claimed(lie, body):
    """The depth of a collision was checked; of bodies called too close any was accepted."""
    cell = panda((0.55, 0.0, 0.5))
    if body == "mesh":
        box = cell.bodies["box"].shape
        points, faces = convex_hull(box.core()[0], "box")
        cell.remove_body("box")
        cell.add_body("box", so.Mesh(points, faces), so.pose((0.55, 0.0, 0.5)))
    made = so.PathChecker(cell).segment(*motion(cell)).certificate()
    claim = replace(made.verdict, kind="too_close")
    assert so.verify(cell, replace(made, verdict=claim), engine="plain").verified
    forged = replace(made, verdict=replace(claim, distance=lie))
    found = so.verify(cell, forged, engine="plain")
    assert not found.verified and "depth of" in found.reason


def test_a_witness_is_on_the_motion_however_rounded():
    near, far = panda((0.55, 0.0, 0.5)), panda((0.0, -0.55, 0.5))
    made = so.PathChecker(near).segment(*motion(near)).certificate()
    away = made.coefficients.copy()
    away[:, 0, 0] += 2.0
    loose = replace(made, coefficients=away, rounding=made.rounding + 3.0)
    assert not so.verify(near, loose).verified
    assert not so.verify(far, loose).verified


def test_a_forged_proof_of_freedom_that_is_accepted_is_true():
    cell = panda((0.55, 0.0, 0.95))
    made = so.PathChecker(cell, clearance=0.002).segment(*motion(cell)).certificate()
    assert made.verdict.kind == "free" and so.verify(cell, made, engine="plain").verified
    rng = np.random.default_rng(1)
    accepted = []
    others = list(forged(made, rng))
    for name in ("distance", "normal", "start", "end", "at", "a", "b", "method", "piece"):
        for x in (-1.0, 0.0, 1e-3, 1.0, 3.0):
            proofs = made.proofs.copy()
            proofs[name][rng.integers(len(proofs))] = x
            try:
                others.append(replace(made, proofs=proofs))
            except so.errors.CertificateError:
                continue
    for other in others:
        if so.verify(cell, other, engine="plain").verified:
            accepted.append(other)
            watch = so.Monitor(cell, buffer=max(0.0, other.clearance))
            for piece in range(len(other.times) - 1):
                for u in np.linspace(0.0, 1.0, 33):
                    q = sum(c * u**k for k, c in enumerate(other.coefficients[piece]))
                    assert not watch.update(q).warnings
    assert 0 < len(accepted) < len(others)


@pytest.mark.parametrize("huge", [1e15, 1e308])
@pytest.mark.parametrize("body", ["floor", "box"])
def test_a_motion_too_large_to_be_worked_out_shows_no_collision(body, huge):
    """With coefficients of 1e15 rad a joint was off by 0.04 rad. With 1e308 the distance was no
    number, and none is larger than what is allowed: a hand 5 m above a floor was in it."""
    cell = panda((0.55, 0.0, 0.5))
    cell.add_body("floor", so.HalfSpace(), so.pose((0.0, 0.0, -5.0)))
    made = so.PathChecker(cell).segment(*motion(cell)).certificate()
    away = made.coefficients.copy()
    away[0, 1:, 0] = 5 * [huge] if huge > 1e300 else [huge, -2.0 * huge, 0.0, 0.0, 0.0]
    claim = replace(made.verdict, pair=("panda/panda_hand", body), parts=(0, 0), t=None)
    found = so.verify(cell, replace(made, coefficients=away, verdict=claim), engine="plain")
    assert not found.verified and "not known well enough" in found.reason


@pytest.mark.parametrize("huge", [1e17, 1e308])
def test_a_glide_too_large_to_be_worked_out_shows_no_collision(huge):
    cell = so.Cell()
    cell.add_body("cart", so.Box((0.2, 0.2, 0.2)), moving=True)
    cell.add_body("floor", so.HalfSpace(), so.pose((0.0, 0.0, -0.05)))
    glide = so.Glide(so.pose((0.0, 0.0, 0.0)), (0.1, 0.0, 0.0))
    made = so.PathChecker(cell).segment((), (), moving={"cart": glide}).certificate()
    assert made.verdict.kind == "collision" and so.verify(cell, made).verified
    glides = made.glides.copy()
    glides[0, 0, 3], glides[0, 0, 12] = huge, huge
    found = so.verify(cell, replace(made, glides=glides), engine="plain")
    assert not found.verified and "not known well enough" in found.reason


def test_too_close_by_a_tolerance_of_a_kilometre_says_so():
    """A tolerance is part of the claim: bodies a metre apart are nearer than a kilometre."""
    cell = panda((0.55, 0.0, 0.5))
    made = so.PathChecker(cell, clearance=0.1).segment(*motion(cell)).certificate()
    claim = replace(made.verdict, kind="too_close", distance=1.0)
    text = words(replace(made, tolerance=1e3, verdict=claim))
    assert text.endswith("1e+03 mm; the clearance is 100 mm, the tolerance 1e+06 mm")


def test_the_clearance_that_is_shown_is_the_one_that_was_checked():
    """Of a pair that is given in both orders the larger clearance counts; the other was shown."""
    cell = panda((0.55, 0.0, 0.5))
    made = so.PathChecker(cell, clearance=0.1).segment(*motion(cell)).certificate()
    a, b = made.verdict.pair
    claim = replace(made.verdict, kind="too_close", distance=0.0)
    text = words(replace(made, clearances={(a, b): 0.0, (b, a): 1.0}, verdict=claim))
    assert text.endswith("the clearance is 1000 mm, the tolerance 1 mm")
