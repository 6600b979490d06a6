"""What people give as a number: what is taken, what is refused, and what the refusal says."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from standoff.errors import MonitorError, ShapeError
from standoff.scalars import amount, choice, flag, number, whole


class Odd:
    """Raises whatever is asked of it."""

    def __float__(self) -> float:
        raise RuntimeError("no")

    __index__ = __float__  # type: ignore[assignment]


@pytest.mark.parametrize(
    "value", [1, 0.5, np.float32(0.5), np.int8(2), np.array(0.5), Decimal("0.5"), Fraction(1, 2)]
)
def test_numbers_of_any_kind_are_taken_as_floats(value):
    found = number("x", value, ShapeError)
    assert type(found) is float and found == float(value)


@pytest.mark.parametrize(
    "value",
    [None, True, np.True_, "1", b"1", 1j, np.complex64(1), [1.0], np.array([1.0]), np.array("1"),
     np.ma.masked, 10**400, Odd()],
)  # fmt: skip
def test_what_is_no_number_is_refused_by_name(value):
    with pytest.raises(MonitorError, match=r"period: not a number; got .*\[s\]"):
        amount("period", value, MonitorError, "s")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -1e-9])
def test_an_amount_is_finite_and_not_negative(value):
    allowed = r"allowed: a finite number, 0 or more \[m\]"
    with pytest.raises(ShapeError, match=rf"radius: not a possible value; .*{allowed}"):
        amount("radius", value, ShapeError, "m")


def test_zero_and_infinity_only_where_they_are_asked_for():
    assert amount("x", 0, ShapeError, "m") == 0.0
    with pytest.raises(ShapeError, match="a finite number, more than 0"):
        amount("x", 0.0, ShapeError, "m", zero=False)
    assert amount("x", math.inf, ShapeError, "m", most=math.inf) == math.inf


def test_bounds_are_part_of_the_message():
    with pytest.raises(ShapeError, match="a finite number from 1 to 2"):
        number("x", 3, ShapeError, least=1.0, most=2.0)
    with pytest.raises(ShapeError, match="no edge; got 3; allowed: one of mine"):
        number("x", 3, ShapeError, most=2.0, allowed="one of mine", problem="no edge")
    assert number("x", -2.5, ShapeError) == -2.5


def test_whole_numbers():
    assert (
        whole("n", np.int8(3), ShapeError) == 3 and type(whole("n", np.int8(3), ShapeError)) is int
    )
    for value in (True, 1.0, "1", None, Odd()):
        with pytest.raises(ShapeError, match="n: not a whole number"):
            whole("n", value, ShapeError)
    for value in (-1, 1_000_001):
        with pytest.raises(ShapeError, match="a whole number from 0 to 1,000,000"):
            whole("n", value, ShapeError, 0, 1_000_000)


def test_flags_and_choices():
    assert flag("on", np.True_, ShapeError) is True
    with pytest.raises(ShapeError, match=r"on: .*True or False"):
        flag("on", 1, ShapeError)
    assert choice("how", "a", ShapeError, ("a", "b")) == "a"
    with pytest.raises(ShapeError, match="how: unknown choice; got 'c'; allowed: a, b"):
        choice("how", "c", ShapeError, ("a", "b"))
