"""How often to look, and how far to grow, so that nothing collides between two looks.

Paper 002, section IV: a body needs a way ``d`` to brake, and is grown by it; to cover the interval
``T`` until the next look it is grown by a further ``D``. From a look on, a body moves at most

    L = v T + d

before it has come to a stop because of what the next look sees. Let ``s_a`` and ``s_b``, between 0
and ``L_a`` and ``L_b``, be how far the two have come along their directions ``u_a`` and ``u_b``.
The distance has become less by at most

    |s_a u_a - s_b u_b|  <=  max(L_a, L_b, |L_a u_a - L_b u_b|),

as that is a convex function of (s_a, s_b), which is greatest at a corner. Head on it is the sum
``L_a + L_b``, and so ``2 d`` for two alike and ``T = 0``; at right angles it is the root of the sum
of squares, and side by side the longer way alone, as the other body may have stopped. (The paper
has it the wrong way round: "larger otherwise".) Where a direction is not known, it is the sum.

With ``w``, the unit vector from a to b along which a plane separates the two, as one does any two
convex bodies, the distance along w becomes less by at most

    max(0, u_a . w) L_a + max(0, -u_b . w) L_b,

and the lesser of the two bounds holds. A direction that is not known counts as straight at the
other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.constants import NORMAL_TOLERANCE, SPAN_ROUNDING
from standoff.errors import InterferenceError
from standoff.overlap.amounts import amount
from standoff.shapes.pose import Array, numbers


@dataclass(frozen=True)
class SafeInterval:
    """An interval between two looks, and what it takes.

    Attributes:
        interval: ``T``, from one look to the next, [s]; infinite where the two cannot meet.
        separation: the bodies must be farther apart than this at a look, or be warned about, [m].
        distance: ``D``, by which each body is grown beyond its braking distance, [m].
        growth: by how much a and b are grown, [m]: together they make the separation.
    """

    interval: float
    separation: float
    distance: float
    growth: tuple[float, float]


def safe_interval(
    speeds: tuple[float, float],
    braking: tuple[float, float] = (0.0, 0.0),
    *,
    interval: float | None = None,
    distance: float | None = None,
    directions: tuple[ArrayLike | None, ArrayLike | None] = (None, None),
    towards: ArrayLike | None = None,
) -> SafeInterval:
    """The separation that two bodies need at each look for an ``interval`` T [s] between looks, or
    the longest interval that growing each by ``distance`` D [m] beyond its braking distance covers.

    Nothing collides as long as each look warns of bodies no farther apart than ``separation``, and
    both then come to rest within their braking distances.

    Args:
        speeds: no point of either body moves faster, [m/s]; 0 for a body at rest.
        braking: the way that any point of either body takes to stop at most, [m], the way until
            the brakes work included.
        interval, distance: one of the two.
        directions: unit vectors along which the bodies move, all points alike, while they brake as
            well; None where that is not known, or where the body turns.
        towards: unit vector from a to b, along which a plane separates them; None: not known.
    """
    v_a, v_b = _pair("speeds", speeds, "m/s")
    d_a, d_b = _pair("braking", braking, "m")
    u_a, u_b = _directions(directions)
    w = None if towards is None else _unit("towards", towards)
    if (interval is None) == (distance is None):
        raise InterferenceError(
            "one of the two", element="interval, distance", value=(interval, distance)
        )
    if interval is None:
        reach = amount("distance", distance, "m")
        interval = _longest(d_a + d_b + 2.0 * reach, v_a, v_b, d_a, d_b, u_a, u_b, w)
    else:
        interval = amount("interval", interval, "s")
        reach = -1.0
    if interval == math.inf:
        needed = d_a + d_b + 2.0 * reach
        shares = (d_a + reach, d_b + reach)
        return SafeInterval(interval, needed, reach, shares)
    way_a, way_b = v_a * interval + d_a, v_b * interval + d_b
    needed = _needed(way_a, way_b, u_a, u_b, w) * (1.0 + SPAN_ROUNDING)
    if reach < 0.0:
        reach = max(0.0, 0.5 * (needed - d_a - d_b))
    share = way_a / (way_a + way_b) if way_a + way_b > 0.0 else 0.5
    return SafeInterval(interval, needed, reach, (needed * share, needed * (1.0 - share)))


def _needed(a: float, b: float, u_a: Array | None, u_b: Array | None, w: Array | None) -> float:
    """The lesser of the two bounds, for ways ``a`` and ``b``."""
    found = a + b
    if u_a is not None and u_b is not None:
        found = max(a, b, math.hypot(*(a * u_a - b * u_b)))
    if w is not None:
        at_a = 1.0 if u_a is None else max(0.0, float(u_a @ w))
        at_b = 1.0 if u_b is None else max(0.0, -float(u_b @ w))
        found = min(found, at_a * a + at_b * b)
    return found


def _longest(
    room: float,
    v_a: float,
    v_b: float,
    d_a: float,
    d_b: float,
    u_a: Array | None,
    u_b: Array | None,
    w: Array | None,
) -> float:
    """The longest interval for which either bound is no more than ``room``."""
    room *= 1.0 - SPAN_ROUNDING
    times = [_quotient(room - d_a - d_b, v_a + v_b)]
    if u_a is not None and u_b is not None:
        # |p + T q|² is convex in T and no more than 1 at 0: it exceeds 1 after its last root. In
        # units of the room, so that no square is too small to be told from 0.
        unit = room if room > 0.0 else 1.0
        p, q = (d_a * u_a - d_b * u_b) / unit, (v_a * u_a - v_b * u_b) / unit
        within = max((room / unit) ** 2 - float(p @ p), 0.0)
        slope = float(p @ q)
        turn = math.hypot(slope, math.sqrt(within) * math.hypot(*q))
        if slope >= 0.0:
            root = _quotient(within, slope + turn)
        else:
            root = (turn - slope) / math.hypot(*q) / math.hypot(*q)
        times.append(min(root, _quotient(room - d_a, v_a), _quotient(room - d_b, v_b)))
    if w is not None:
        at_a = 1.0 if u_a is None else max(0.0, float(u_a @ w))
        at_b = 1.0 if u_b is None else max(0.0, -float(u_b @ w))
        times.append(_quotient(room - at_a * d_a - at_b * d_b, at_a * v_a + at_b * v_b))
    return max(times) * (1.0 - SPAN_ROUNDING) if max(times) < math.inf else math.inf


def _quotient(way: float, speed: float) -> float:
    """The time for a way; without end at rest."""
    return max(way, 0.0) / speed if speed > 0.0 else math.inf


def _pair(element: str, values: Any, unit: str) -> tuple[float, float]:
    try:
        a, b = values
    except (TypeError, ValueError) as error:
        raise InterferenceError(
            "not two numbers", element=element, value=values, allowed=f"(of a, of b), [{unit}]"
        ) from error
    return amount(f"{element} of a", a, unit), amount(f"{element} of b", b, unit)


def _directions(given: Any) -> tuple[Array | None, Array | None]:
    try:
        a, b = given
    except (TypeError, ValueError) as error:
        raise InterferenceError(
            "not two directions",
            element="directions",
            value=given,
            allowed="(of a, of b), unit vectors or None",
        ) from error
    return (
        None if a is None else _unit("direction of a", a),
        None if b is None else _unit("direction of b", b),
    )


def _unit(element: str, given: ArrayLike) -> Array:
    vector = numbers(given, element)
    length = float(np.linalg.norm(vector)) if vector.shape == (3,) else math.nan
    if not abs(length - 1.0) <= NORMAL_TOLERANCE:
        raise InterferenceError(
            "not a direction", element=element, value=given, allowed="x, y, z of length 1"
        )
    return np.asarray(vector / length)
