"""Motions within bounds, and how early they make contact: the adversary of an urgency.

Nothing here is shared with the kernels. A motion is a velocity that changes by at most ``A dt`` a
step and stays within ``V``: what would leave that ball is projected onto it, which never makes the
change longer. Positions follow exactly, as the velocity is taken linear over a step.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numba
import numpy as np


@numba.njit(cache=False)
def least_gap(x, v, A, V, eps, angles, dt, each):
    """The smallest gap on the motion in the plane whose direction of acceleration runs through
    ``angles``, linear in between, with ``each`` steps from one to the next."""
    px, py, vx, vy = x[0], x[1], v[0], v[1]
    least = math.hypot(px, py) - eps
    for k in range((len(angles) - 1) * each):
        i, f = k // each, (k % each) / each
        angle = (1.0 - f) * angles[i] + f * angles[i + 1]
        wx, wy = vx + A * dt * math.cos(angle), vy + A * dt * math.sin(angle)
        speed = math.hypot(wx, wy)
        if speed > V:
            wx, wy = wx * V / speed, wy * V / speed
        px, py = px + 0.5 * dt * (vx + wx), py + 0.5 * dt * (vy + wy)
        vx, vy = wx, wy
        least = min(least, math.hypot(px, py) - eps)
    return least


@numba.njit(cache=False)
def search(x, v, A, V, eps, angles, dt, each, noise):
    """Local search over the angles by random steps that shrink; the smallest gap found."""
    best = least_gap(x, v, A, V, eps, angles, dt, each)
    trial = angles.copy()
    for r in range(len(noise)):
        for i in range(len(angles)):
            trial[i] = angles[i] + noise[r, i]
        gap = least_gap(x, v, A, V, eps, trial, dt, each)
        if gap < best:
            best = gap
            angles[:] = trial
    return best


def nearest_by_search(x, v, A, V, eps, horizon, rng, starts=(), rounds=1500, knots=7, each=40):
    """The smallest gap that an optimal-control search finds within a horizon; it sets out towards
    the other body, along given directions, and at random."""
    dt = horizon / ((knots - 1) * each)
    found = math.inf
    for start in (math.atan2(-x[1], -x[0]), *starts, rng.uniform(-math.pi, math.pi)):
        sizes = 1.5 * 0.994 ** np.arange(rounds) + 1e-3
        noise = rng.normal(size=(rounds, knots)) * sizes[:, None]
        angles = np.full(knots, start)
        found = min(found, search(x, v, A, V, eps, angles, dt, each, noise))
    return found


def known_contact(rng, coasting):
    """A state whose earliest contact is known, with ``A = V = 1``: the best motion, run back from
    the contact. Position, velocity, epsilon, time."""
    while True:
        last = 0.0 if coasting else rng.uniform(0.0, math.pi / 2)
        phi = rng.uniform(last, math.acos(math.cos(last) / 2.0))
        length = rng.uniform(0.0, 1.5)
        p1 = (math.cos(last) - math.cos(phi)) * np.array([math.sin(phi), -math.cos(phi)])
        count = 2000
        s = (np.arange(count) + 0.5) * (length / count)
        p = p1 + np.outer(length - s, [1.0, 0.0])
        a = p / np.linalg.norm(p, axis=1)[:, None] * (length / count)
        v0 = np.array([math.cos(phi), math.sin(phi)]) - a.sum(axis=0)
        v = v0 + np.vstack([np.zeros(2), np.cumsum(a, axis=0)])
        if (np.linalg.norm(v, axis=1) > 1.0 + 1e-9).any():
            continue
        way = (0.5 * (v[1:] + v[:-1])).sum(axis=0) * (length / count)
        way += (math.sin(phi) - math.sin(last), math.cos(last) - math.cos(phi))
        straight = rng.exponential() if coasting else 0.0
        eps = float(rng.choice([0.0, 0.1, 1.0]))
        x0 = -way - (straight + eps, 0.0)
        if -x0[0] <= eps:
            continue
        return x0, v0, eps, length + phi - last + straight


def first_root(x, v, A, eps, t):
    """How many times contact becomes possible or impossible in (0, t], exactly: sign changes of
    ``|x + v t|² - (eps + A t² / 2)²``, by Sturm's theorem in rational numbers."""
    X, W = [Fraction(float(c)) for c in x], [Fraction(float(c)) for c in v]
    A, eps, t = Fraction(float(A)), Fraction(float(eps)), Fraction(float(t))
    poly = [
        sum(c * c for c in X) - eps * eps,
        2 * sum(a * b for a, b in zip(X, W)),
        sum(c * c for c in W) - eps * A,
        Fraction(0),
        -A * A / 4,
    ]
    while poly and poly[-1] == 0:
        poly.pop()
    chain = [poly, [k * c for k, c in enumerate(poly)][1:]]
    while chain[-1]:
        a, b = list(chain[-2]), chain[-1]
        while len(a) >= len(b):
            factor = a[-1] / b[-1]
            for k in range(len(b)):
                a[len(a) - len(b) + k] -= factor * b[k]
            a.pop()
        while a and a[-1] == 0:
            a.pop()
        chain.append([-c for c in a])

    def changes(at):
        values = [sum(c * at**k for k, c in enumerate(p)) for p in chain if p]
        signs = [value > 0 for value in values if value != 0]
        return sum(a != b for a, b in pairwise(signs))

    return changes(Fraction(0)) - changes(t)
