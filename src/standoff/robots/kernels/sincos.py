"""Sine and cosine of one angle together, without a call and without a branch on the common path.

The angle is reduced once for both by the nearest multiple ``k`` of pi/2 (Cody and Waite: pi/2 in
three parts, the first two of 33 bits, so that ``k`` times each is exact), and two minimax
polynomials on [-pi/4, pi/4] (errors below 2^-57 of the result) do the rest. For angles up to
``SINCOS_RANGE`` the results are within 3 units in the last place (2 up to 100 rad); beyond it,
libm's own reduction takes over. Not a number, and infinity, give not a number.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel

#: Angles up to which the kernels' own sine and cosine are used, [rad]: the multiple of pi/2 that is
#: taken off has then at most 17 bits, and 17 + 33 bits fit a float64, so the reduction is exact.
#: Joints stay far below it (16,000 turns); libm answers beyond.
SINCOS_RANGE = 1e5

_TWO_OVER_PI = 0.6366197723675814
_HALF_PI_1 = 1.5707963267341256
_HALF_PI_2 = 6.077100506303966e-11
_HALF_PI_3 = 2.0222662487959506e-21

_S1 = -0.16666666666666646
_S2 = 0.008333333333325067
_S3 = -0.00019841269831512683
_S4 = 2.755731419121516e-06
_S5 = -2.505082627887241e-08
_S6 = 1.590031864349526e-10

_C1 = 0.0416666666666666
_C2 = -0.0013888888888874125
_C3 = 2.4801587289482276e-05
_C4 = -2.7557314352345095e-07
_C5 = 2.0875723273501773e-09
_C6 = -1.1359647762331228e-11


@kernel
def sincos_within(x):
    """(sin x, cos x) for ``|x| <= SINCOS_RANGE``; only arithmetic, so that loops vectorise."""
    k = math.floor(x * _TWO_OVER_PI + 0.5)
    r = ((x - k * _HALF_PI_1) - k * _HALF_PI_2) - k * _HALF_PI_3
    y = r * r
    s = r + r * y * (_S1 + y * (_S2 + y * (_S3 + y * (_S4 + y * (_S5 + y * _S6)))))
    half = 0.5 * y
    head = 1.0 - half
    c = head + (
        ((1.0 - head) - half)
        + y * y * (_C1 + y * (_C2 + y * (_C3 + y * (_C4 + y * (_C5 + y * _C6)))))
    )
    quadrant = k - 4.0 * math.floor(0.25 * k)
    odd = quadrant == 1.0 or quadrant == 3.0
    sine = c if odd else s
    cosine = s if odd else c
    return (-sine if quadrant >= 2.0 else sine), (
        -cosine if quadrant == 1.0 or quadrant == 2.0 else cosine
    )


@kernel
def sincos(x):
    """(sin x, cos x) for any x."""
    if abs(x) <= SINCOS_RANGE:
        return sincos_within(x)
    if math.isinf(x):
        return math.nan, math.nan
    return math.sin(x), math.cos(x)
