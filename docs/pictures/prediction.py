"""The earliest contact of a pair, and when it is looked at (paper 004)."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import Circle
from style import AMBER, BLUE, GREY, RED, keep, panels

import standoff as so

A, EPSILON, PERIOD = 0.6, 0.15, 0.01  # [m/s²], [m], [s]


def main() -> None:
    """What can be reached until the earliest contact; and a pair that comes and goes."""
    figure, (plane, time) = panels(2, 3.6)
    x, v = np.array([-1.6, -0.5, 0.0]), np.array([0.55, 0.45, 0.0])
    tau = float(so.predict.urgency(x, v, max_acceleration=A, margin=EPSILON))
    plane.add_patch(Circle((0, 0), EPSILON, fc=RED, alpha=0.5, ec=RED))
    for t in np.linspace(0.0, tau, 6):
        at, last = x + t * v, t == tau
        colour = BLUE if last else GREY
        circle = Circle(at[:2], 0.5 * A * t * t, fill=False, ec=colour, lw=2 if last else 0.9)
        plane.add_patch(circle)
        plane.plot(*at[:2], ".", color=colour)
    plane.annotate("", (x + 0.5 * v)[:2], x[:2], arrowprops={"arrowstyle": "->", "color": BLUE})
    plane.text(x[0], x[1] - 0.2, "x, v", ha="center")
    plane.text(0.0, -0.35, "contact: within ε", color=RED, ha="center")
    plane.set(aspect="equal", xlim=(-2.0, 0.7), ylim=(-1.0, 1.1), xticks=[], yticks=[])
    plane.set_title(f"what can be reached, until τ = {tau:.2f} s")

    # A pair that comes and goes. Each look tells for how long nobody needs to look again.
    t = np.arange(0.0, 14.0, PERIOD)
    far, turn = 0.66 + 0.46 * np.cos(0.9 * t), 0.2 * t
    where = np.stack([far * np.cos(turn), far * np.sin(turn), 0.0 * t], axis=1)
    speed = np.gradient(where, PERIOD, axis=0)
    tau = so.predict.urgency(where, speed, max_acceleration=A, margin=EPSILON)
    time.plot(t, far - EPSILON, color=GREY, label="gap [m]")
    time.plot(t, tau, color=BLUE, lw=1, label="τ, no contact before [s]")
    looks = [0]
    while (following := looks[-1] + max(1, int(tau[looks[-1]] / PERIOD) - 2)) < len(t):
        looks.append(following)
    time.plot(t[looks], tau[looks], "o", color=AMBER, ms=5, label="a look")
    time.set(xlabel="t [s]", ylim=(0, 3.2), title=f"{len(looks)} looks in {len(t)} steps")
    time.legend(loc="upper right", fontsize=8, ncols=3)
    keep(figure, "prediction")


if __name__ == "__main__":
    main()
