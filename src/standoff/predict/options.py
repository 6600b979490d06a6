"""The parameters of a predictor, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from standoff.errors import PredictError
from standoff.kernels.predict import layout as p
from standoff.predict.amounts import choice, each, number_of, one, whole
from standoff.predict.deadlines import check_horizon
from standoff.predict.schedule import body_table
from standoff.shapes.pose import Array

UrgencyName = Literal["free", "bounded", "distance"]
_URGENCIES = {"free": p.FREE, "bounded": p.BOUNDED, "distance": p.DISTANCE}
#: The period that is chosen as Culley and Kempf do.
CULLEY_KEMPF = "culley-kempf"


@dataclass(frozen=True, eq=False)
class Options:
    """See `Predictor`; ``period`` is None where it is to be chosen at the first step, and
    ``bodies`` the table of `kernels.predict.layout`."""

    radii: Array
    bodies: Array
    margin: float
    period: float | None
    urgency: int
    method: str
    buckets: str
    partial: bool
    tests: int | None
    horizon: float | None


def checked(
    radii: Any,
    max_acceleration: Any,
    max_speed: Any,
    margin: Any,
    period: Any,
    urgency: Any,
    method: Any,
    buckets: Any,
    sort: Any,
    tests: Any,
    horizon: Any,
) -> Options:
    """Raises PredictError for what makes no sense."""
    count = number_of(radii)
    balls = each("radii", radii, count, "m")
    speed = None if max_speed is None else each("max_speed", max_speed, count, "m/s")
    usual = "free" if speed is None else "bounded"
    chosen = choice("urgency", usual if urgency is None else urgency, tuple(_URGENCIES))
    chosen_later = isinstance(period, str) and period == CULLEY_KEMPF
    for what, asked in ((f"urgency={chosen!r}", chosen != "free"),
                        (f"period={CULLEY_KEMPF!r}", chosen_later)):  # fmt: skip
        if asked and speed is None:
            raise PredictError(
                f"{what} needs a bound on speed", element="max_speed", value=None,
                allowed="a finite number of 0 or more [m/s]",
            )  # fmt: skip
    gap = one("margin", margin, "m")
    most = each("max_acceleration", max_acceleration, count, "m/s²")
    options = Options(
        radii=balls,
        bodies=body_table(balls, most, speed, gap),
        margin=gap,
        period=None if chosen_later else one("period", period, "s", zero=False),
        urgency=_URGENCIES[chosen],
        method=choice("method", method, ("dua", "deadlines")),
        buckets=choice("buckets", buckets, ("binary", "fibonacci")),
        partial=choice("sort", sort, ("full", "partial")) == "partial",
        tests=None if tests is None else whole("tests", tests),
        horizon=None if horizon is None else one("horizon", horizon, "s", zero=False),
    )
    if options.method == "dua" and (tests is not None or horizon is not None):
        raise PredictError(
            "tests and horizon are for deadlines", element="method", value=method,
            allowed="method='deadlines'",
        )  # fmt: skip
    if options.period is not None:
        check_horizon(options.horizon, options.period)
    return options
