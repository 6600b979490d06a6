"""Speed and separation monitoring: the buffer that a speed asks for, term by term.

ISO 13855 keeps a safeguard ``S = K T + C`` away from a machine; ISO/TS 15066 keeps a person
``S_p = S_h + S_r + S_s + C + Z_d + Z_r`` away from a moving robot. Paper 000, section IV, asks the
same of any two bodies. Here the body may speed up until it brakes, its stop is called only at the
next reading, and it brakes more slowly with a load; docs/separation.md derives each term.

Every term is a polynomial of degree two in the speed of the body without a negative coefficient,
so the buffer never shrinks as the body gets faster. `Stop` says how far a body goes, and for how
long, once its brakes act.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from standoff.errors import MonitorError
from standoff.scalars import amount
from standoff.tolerances import EPS

#: ``(c0, c1, c2)`` stands for ``c0 + c1 v + c2 v²``, [m], [s], [s²/m].
Coefficients = tuple[float, float, float]

#: The terms in the order of their reports, with the letters of ISO/TS 15066 where it has any.
_SYMBOLS = {
    "other": "S_h",
    "period": "S_r",
    "reaction": "S_r",
    "acceleration": "",
    "stopping": "S_s",
    "load": "",
    "intrusion": "C",
    "position_error": "Z_r",
    "other_position_error": "Z_d",
}


@dataclass(frozen=True)
class SeparationDistance:
    """A buffer by its terms, each in metres and none negative; made by `separation`.

    Attributes:
        speed: what the terms are given at, the highest speed of the body, [m/s].
        other: how far the other one comes until the body stands, [m].
        period: how far the body moves until the next reading, [m].
        reaction: how far it moves from that reading until its brakes act, [m].
        acceleration: how much farther it gets by speeding up until then, [m].
        stopping: how far it moves while it brakes, without a load, [m].
        load: how much farther it gets because of what it holds, [m].
        intrusion: how far the other one gets in before it is noticed, [m].
        position_error: how far off the position of the body may be, [m].
        other_position_error: how far off the position of the other one may be, [m].
        coefficients: ``(c0, c1, c2)`` of the total ``c0 + c1 v + c2 v²`` at the speed ``v``.
        fastest: highest speed the coefficients hold for, [m/s]: ``speed`` where the stop was
            described by what was measured, infinite where it was by a deceleration.
        period_time: longest time between two readings that the terms allow for, [s].
        gain: the acceleration that they allow for, [m/s²].
        formulas: the formula of each term with its numbers, in the order of `terms`.
    """

    speed: float
    other: float
    period: float
    reaction: float
    acceleration: float
    stopping: float
    load: float
    intrusion: float
    position_error: float
    other_position_error: float
    coefficients: Coefficients
    fastest: float
    period_time: float
    gain: float
    formulas: tuple[str, ...] = field(repr=False)

    @property
    def total(self) -> float:
        """The buffer at ``speed``, [m]: the sum of all terms."""
        return _value(self.coefficients, self.speed)

    def at(self, speed: float) -> float:
        """The buffer at another speed of the body, [m]; never smaller at a higher one.

        It is ``c0 + v (c1 + v c2)``, in this order: a kernel that computes it so gets the same
        bits. Above `fastest` nothing is known of the stop, and asking is an error.
        """
        v = amount("separation.at: speed", speed, MonitorError, "m/s")
        if v > self.fastest:
            raise MonitorError(
                "faster than the speed that stopping_time or stopping_distance was given for",
                element="separation.at: speed",
                value=speed,
                allowed=f"up to {self.fastest:g} [m/s]; beyond it, a separation with the figures "
                "of that speed, or with a deceleration",
            )
        result = _value(self.coefficients, v)
        if not math.isfinite(result):
            raise MonitorError(
                "an endless buffer",
                element="separation.at: speed",
                value=speed,
                allowed="a speed that gives a finite one",
            )
        return result

    def terms(self) -> dict[str, float]:
        """All terms by name, [m], in the order of the table; their sum is `total`."""
        return {name: getattr(self, name) for name in _SYMBOLS}

    def __str__(self) -> str:
        rows = [("term", "", "formula", "metres")]
        for (name, value), formula in zip(self.terms().items(), self.formulas, strict=True):
            rows.append((name, _SYMBOLS[name], formula, f"{value:.4f}"))
        rows.append(("total", "S_p", f"at {self.speed:g} m/s", f"{self.total:.4f}"))
        a, b, c, d = (max(map(len, column)) for column in zip(*rows))
        return "\n".join(
            f"{name:{a}}  {symbol:{b}}  {formula:{c}}  {metres:>{d}}"
            for name, symbol, formula, metres in rows
        )


def separation(
    speed: float,
    *,
    reaction: float,
    period: float,
    stopping_time: float | None = None,
    stopping_distance: float | None = None,
    deceleration: float | None = None,
    acceleration: float = 0.0,
    moved_mass: float | None = None,
    load: float = 0.0,
    intrusion: float = 0.0,
    position_error: float = 0.0,
    other_position_error: float = 0.0,
    other_speed: float = 0.0,
) -> SeparationDistance:
    """How wide the buffer of a body must be for it to stand before anything is touched.

    The stop is described in one way: by ``deceleration``, or by what was measured at ``speed``,
    ``stopping_distance``, ``stopping_time`` or both. A time alone counts as spent at full speed.

    This computes distances. It is no risk assessment, and Standoff is no safety-rated device.

    Args:
        speed: highest speed of the fastest point of the body, [m/s].
        reaction: from a reading until the brakes act, computing and transport included, [s].
        period: longest time between two readings, [s]: a violation may begin right after one.
        stopping_time: from the brakes acting until standstill, [s].
        stopping_distance: way of the fastest point in that time, [m].
        deceleration: the least that the brakes achieve, [m/s²].
        acceleration: by how much the velocity of its fastest point changes at most until its
            brakes act, [m/s²]; needed where the buffer follows a measured speed. A speed computed
            from two readings lags by half of this times the time between them: the monitor adds
            that.
        moved_mass: mass that the brakes hold back without a load, as it appears at the load, [kg].
        load: mass grasped, [kg]; the stop grows by ``(moved_mass + load) / moved_mass``.
        intrusion: how far the other one gets in before it is noticed, C of both standards, [m].
        position_error: of the body, its tracking and its model, [m].
        other_position_error: of what it must not touch, [m].
        other_speed: of what approaches without a buffer of its own, [m/s]; a body that the
            monitor moves brings its own, and the two add up.

    Raises:
        MonitorError: for a number that is negative or not finite, a stop that is not described,
            described twice or impossible, a load without a mass to compare it with.
    """
    v = _amount("speed", speed, "m/s")
    react = _amount("reaction", reaction, "s")
    wait = _amount("period", period, "s")
    gain = _amount("acceleration", acceleration, "m/s²")
    reach = _amount("intrusion", intrusion, "m")
    error = _amount("position_error", position_error, "m")
    other_error = _amount("other_position_error", other_position_error, "m")
    v_other = _amount("other_speed", other_speed, "m/s")
    stop = described_stop(v, stopping_time, stopping_distance, deceleration, v_other)
    more, masses = load_ratio(moved_mass, load)

    # Until the brakes act the body goes v t + A t² / 2, and then stops from v + u.
    until = wait + react
    u = gain * until
    d1, d2 = stop.distance
    t0, t1 = stop.time
    gained = d1 * u + d2 * u * u
    faster_stop = (gained, d1 + 2 * d2 * u, d2)
    terms: dict[str, tuple[Coefficients, str]] = {
        "other": (
            (v_other * (until + (1 + more) * (t0 + t1 * u)), v_other * (1 + more) * t1, 0.0),
            f"{v_other:g} m/s × ({wait:g} + {react:g} + {(1 + more) * (t0 + t1 * (v + u)):g}) s",
        ),
        "period": ((0.0, wait, 0.0), f"{v:g} m/s × {wait:g} s"),
        "reaction": ((0.0, react, 0.0), f"{v:g} m/s × {react:g} s"),
        "acceleration": (
            (gain * until * until / 2 + gained, 2 * d2 * u, 0.0),
            f"{gain:g} m/s² × ({until:g} s)² / 2, and stops from {u:g} m/s more"
            if gain
            else "keeps its speed",
        ),
        "stopping": ((0.0, d1, d2), stop.formula),
        "load": (
            (more * faster_stop[0], more * faster_stop[1], more * faster_stop[2]),
            f"{masses} × {_value(faster_stop, v):g} m" if more else "no load",
        ),
        "intrusion": ((reach, 0.0, 0.0), "as given"),
        "position_error": ((error, 0.0, 0.0), "as given"),
        "other_position_error": ((other_error, 0.0, 0.0), "as given"),
    }
    c0, c1, c2 = (sum(column) for column in zip(*(c for c, _ in terms.values())))
    result = SeparationDistance(
        speed=v,
        **{name: _value(coefficients, v) for name, (coefficients, _) in terms.items()},
        coefficients=(c0, c1, c2),
        fastest=stop.fastest,
        period_time=wait,
        gain=gain,
        formulas=tuple(formula for _, formula in terms.values()),
    )
    if not math.isfinite(result.total):
        raise MonitorError(
            "an endless buffer",
            element="separation",
            value=result.terms(),
            allowed="terms whose sum is finite",
        )
    return result


def _value(coefficients: Coefficients, v: float) -> float:
    c0, c1, c2 = coefficients
    return c0 + v * (c1 + v * c2)


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
        a = _amount("deceleration", deceleration, "m/s²", zero=False)
        return Stop((0.0, 0.5 / a), (0.0, 1 / a), math.inf, f"({v:g} m/s)² / (2 × {a:g} m/s²)")
    if distance is None:
        if time is None:
            raise MonitorError(
                "the stop is not described",
                element="separation",
                allowed="stopping_time, stopping_distance or deceleration",
            )
        t = _amount("stopping_time", time, "s")
        return Stop((t, 0.0), (t, 0.0), v, f"{v:g} m/s × {t:g} s")
    return _measured_stop(v, time, _amount("stopping_distance", distance, "m"), v_other)


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
        t = _amount("stopping_time", time, "s")
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
    held = _amount("load", load, "kg")
    if moved_mass is None:
        if held > 0.0:
            raise MonitorError(
                "a load without the mass that it is added to",
                element="separation: load",
                value=load,
                allowed="0 [kg], or moved_mass beside it",
            )
        return 0.0, ""
    mass = _amount("moved_mass", moved_mass, "kg", zero=False)
    return held / mass, f"{held:g} kg / {mass:g} kg"


def _amount(name: str, value: Any, unit: str, *, zero: bool = True) -> float:
    return amount(f"separation: {name}", value, MonitorError, unit, zero=zero)
