"""The car body of paper 001's Fig. 7(c): a shell of sheet metal, of 19,668 triangles."""

from __future__ import annotations

import math

import numpy as np

from standoff.geometry.pose import Array
from standoff.papers.meshes001 import Mask, Surface, block, joined, refined, sheet

CAR_TRIANGLES = 19668

#: Half length, half width and thickness of the sheet, [m].
_HALF_LENGTH = 2.1
_HALF_WIDTH = 0.82
_SHEET = 0.004

#: Height of the roof line along the car from its nose (-1) to its tail (1), [m].
_STATIONS = (-1.0, -0.95, -0.45, -0.12, 0.05, 0.45, 0.72, 0.95, 1.0)
_HEIGHTS = (0.35, 0.62, 0.74, 1.22, 1.28, 1.26, 0.88, 0.80, 0.45)

_ALONG, _AROUND = 84, 44


def car_body() -> Surface:
    """Along x, the nose at -2.1 m, standing on z = 0: sides, hood and roof of one sheet with
    openings for windows, doors and wheels, a floor pan, and two beams across."""
    u = np.linspace(-1.0, 1.0, _ALONG + 1)
    v = np.linspace(0.0, 1.0, _AROUND + 1)
    shell = sheet(_skin(u, v), _SHEET, _openings(u, v))
    pan = np.stack(
        np.meshgrid(np.linspace(-1.9, 1.9, 25), np.linspace(-0.7, 0.7, 13), indexing="ij"), axis=-1
    )
    floor = np.concatenate([pan, 0.22 + 0.0 * pan[..., :1]], axis=-1)
    whole = joined(
        shell,
        sheet(floor, _SHEET),
        block((-0.75, -0.78, 0.55), (-0.69, 0.78, 0.62)),
        block((0.95, -0.72, 0.50), (1.01, 0.72, 0.57)),
    )
    return refined(whole, CAR_TRIANGLES)


def _skin(u: Array, v: Array) -> Array:
    """The outside: at each station along ``u`` an arch over ``v``, from one sill over the roof to
    the other, a superellipse that is squarer below than above."""
    points = np.empty((len(u), len(v), 3))
    for i, s in enumerate(u):
        top = float(np.interp(s, _STATIONS, _HEIGHTS)) - 0.22
        narrow = 1.0 - 0.18 * abs(s) ** 3
        for j, w in enumerate(v):
            angle = math.pi * (1.0 - w)
            c, t = math.cos(angle), math.sin(angle)
            y = math.copysign(abs(c) ** 0.55, c) * _HALF_WIDTH * narrow
            points[i, j] = _HALF_LENGTH * s, y, 0.22 + top * t**0.75
    return points


def _openings(u: Array, v: Array) -> Mask:
    """Which cells of the sheet are there."""
    s = 0.5 * (u[1:] + u[:-1])[:, None]
    w = 0.5 * (v[1:] + v[:-1])[None, :]
    side = np.minimum(w, 1.0 - w)
    wheel = (np.minimum(abs(s + 0.62), abs(s - 0.62)) < 0.16) & (side < 0.06)
    window = (s > -0.05) & (s < 0.5) & (abs(s - 0.22) > 0.03) & (side > 0.19) & (side < 0.30)
    door = (s > -0.05) & (s < 0.19) & (side < 0.16) & (side > 0.03)
    windscreen = (s > -0.38) & (s < -0.14) & (side > 0.28)
    rear = (s > 0.5) & (s < 0.7) & (side > 0.30)
    kept: Mask = ~(wheel | window | door | windscreen | rear)
    return kept
