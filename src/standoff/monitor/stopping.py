"""How far a body goes, and for how long, once its brakes act."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from standoff.constants import EPS
from standoff.errors import MonitorError
from standoff.monitor.amounts import amount


class Stop(NamedTuple):
    """A stop from the speed ``v`` takes ``d1 v + d2 v²`` [m] and ``t0 + t1 v`` [s].

    Attributes:
        distance: ``(d1, d2)``, [s] and [s²/m].
        time: ``(t0, t1)``, [s] and [s²/m].
        fastest: highest speed that this holds for, [m/s].
        formula: the distance at the highest speed, with its numbers.
    """

    distance: tuple[float, float]
    time: tuple[float, float]
    fastest: float
    formula: str


def described_stop(v: float, time: Any, distance: Any, deceleration: Any, v_other: float) -> Stop:
    """The stop of a body whose highest speed is ``v``, from the one description that is given."""
    if deceleration is not None:
        if time is not None or distance is not None:
            raise MonitorError(
                "the stop is described twice",
                element="separation: deceleration",
                value=deceleration,
                allowed="either deceleration, or stopping_time and stopping_distance",
            )
        a = amount("separation: deceleration", deceleration, "m/s²", zero=False)
        return Stop((0.0, 0.5 / a), (0.0, 1 / a), math.inf, f"({v:g} m/s)² / (2 × {a:g} m/s²)")
    if distance is None:
        if time is None:
            raise MonitorError(
                "the stop is not described",
                element="separation",
                allowed="stopping_time, stopping_distance or deceleration",
            )
        t = amount("separation: stopping_time", time, "s")
        return Stop((t, 0.0), (t, 0.0), v, f"{v:g} m/s × {t:g} s")
    return _measured_stop(v, time, amount("separation: stopping_distance", distance, "m"), v_other)


def _measured_stop(v: float, time: Any, d: float, v_other: float) -> Stop:
    """A stop by its distance at the highest speed, and its time where that was measured too.

    From a lower speed w it is d w / v at most: dead time and braking make the way convex in w."""
    if time is None:
        if v_other > 0.0:
            raise MonitorError(
                "the time to stop is missing, in which the other one comes nearer",
                element="separation: other_speed",
                value=v_other,
                allowed="0 [m/s] with stopping_distance alone; else stopping_time beside it",
            )
        t = 0.0
    else:
        t = amount("separation: stopping_time", time, "s")
        # A body that only brakes stays within d <= v t; two roundings may lie between the sides.
        if d > v * t * (1 + 2 * EPS):
            raise MonitorError(
                f"farther than {v:g} m/s gets in the stopping_time of {t:g} s",
                element="separation: stopping_distance",
                value=d,
                allowed=f"0 to {v * t:g} [m]",
            )
    if v == 0.0 and d > 0.0:
        raise MonitorError(
            "a body at rest needs no way to stop",
            element="separation: stopping_distance",
            value=d,
            allowed="0 [m], or the speed it was measured at as speed",
        )
    slope = d / v if d > 0.0 else 0.0
    return Stop((slope, 0.0), (t, 0.0), v, f"{d:g} m, measured at {v:g} m/s")


def load_ratio(moved_mass: Any, load: Any) -> tuple[float, str]:
    """By how much the same brakes need longer, as a part of the stop without a load, and this as a
    fraction in words. By F = m a, time and distance grow by
    (moved_mass + load) / moved_mass = 1 + load / moved_mass."""
    held = amount("separation: load", load, "kg")
    if moved_mass is None:
        if held > 0.0:
            raise MonitorError(
                "a load without the mass that it is added to",
                element="separation: load",
                value=load,
                allowed="0 [kg], or moved_mass beside it",
            )
        return 0.0, ""
    mass = amount("separation: moved_mass", moved_mass, "kg", zero=False)
    return held / mass, f"{held:g} kg / {mass:g} kg"
