"""The earliest contact with a bound on speed as paper 004 publishes it: for comparison only.

It leaves out turning at full speed, so that it comes out too late: 1.640 instead of 1.570 with
``A = V = 1``, ``x = (-1, -1)`` and ``v = (0, 1)``. Nothing that promises anything calls it.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.predict.kernels.time_to_contact import tau_free
from standoff.tolerances import NEAREST_HALVINGS


@kernel
def paper_gap(x, v, acceleration, speed, gap_radius, t):
    """What is missing to contact at ``t``: the left side of (19) less epsilon, with ``a`` opposite
    to ``x + v t`` and ``T`` from (15)."""
    (x, y, z), (vx, vy, vz) = x, v
    ux, uy, uz = x + t * vx, y + t * vy, z + t * vz
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    if not length > 0.0:
        return -gap_radius
    along = -(ux * vx + uy * vy + uz * vz) / length
    left = speed * speed - (vx * vx + vy * vy + vz * vz)
    full = (math.sqrt(max(0.0, left) + along * along) - along) / acceleration
    full = min(full, t)
    return length - acceleration * (full * t - 0.5 * full * full) - gap_radius


@kernel
def tau_paper(x, v, acceleration, speed, gap_radius):
    """(13), or where the speed bound is met before it, the solution of (15) to (22). Edges as in
    `tau_free`; infinity as well where it finds none."""
    low = tau_free(x, v, acceleration, gap_radius)
    if not (low > 0.0 and low < math.inf and speed < math.inf and acceleration > 0.0):
        return low if speed >= 0.0 else 0.0
    # At `low` something is missing if the bound is met by then; it is found by doubling, halving.
    if not paper_gap(x, v, acceleration, speed, gap_radius, low) > 0.0:
        return low
    step = low / NEAREST_HALVINGS
    high = low + step
    while paper_gap(x, v, acceleration, speed, gap_radius, high) > 0.0:
        low = high
        step *= 2.0
        high += step
        if not high < math.inf:
            return math.inf
    for _ in range(NEAREST_HALVINGS):
        middle = 0.5 * (low + high)
        if paper_gap(x, v, acceleration, speed, gap_radius, middle) > 0.0:
            low = middle
        else:
            high = middle
    return low


@entry(
    "void(float64[:,::1], float64[:,::1], float64[::1], float64[::1], float64[::1], float64[::1])"
)
def tau_paper_many(x, v, acceleration, speed, gap_radius, tau):
    """`tau_paper` of each row."""
    for i in range(tau.shape[0]):
        at, moving = (x[i, 0], x[i, 1], x[i, 2]), (v[i, 0], v[i, 1], v[i, 2])
        tau[i] = tau_paper(at, moving, acceleration[i], speed[i], gap_radius[i])
