"""What proves a segment free: a few distances, and how long each holds (paper 001).

One pair of a motion over a post: its true distance, and each proof of the certificate as a bar from
the instant it argues from to the end of what it proves.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from style import BLUE, GREY, INK, RED, keep, panels

import standoff as so
from standoff.paths.certificate import METHODS

CLEARANCE = 0.005  # [m]
RIGHT = np.array([-0.8, 0.0, 0.0, -2.0, 0.0, 2.0, 0.785, 0.02])
LEFT = np.array([0.8, 0.0, 0.0, -2.0, 0.0, 2.0, 0.785, 0.02])
FINGER = "arm/panda_leftfinger"


def main() -> None:
    """The segment, its proof, one pair of it and all of it."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    cell.add_body("post", so.Box((0.06, 0.06, 0.4)), so.pose((0.62, 0.0, 0.156)))
    verdict = so.PathChecker(cell, clearance=CLEARANCE).segment(RIGHT, LEFT)
    assert verdict.free, verdict
    proof = verdict.certificate()
    figure, (pair, whole) = panels(2, 3.3, width_ratios=(3, 2))

    t = np.linspace(0.0, 1.0, 401)
    true = [1e3 * distance(cell, (1 - u) * RIGHT + u * LEFT) for u in t]
    pair.plot(t, true, color=GREY, lw=1.2, label="distance, sampled for this picture")
    for row in proof.proofs:
        method, a, b = METHODS[row["method"]], row["a"], row["b"]
        if method == "group" or not wanted(proof.primitives[a], proof.primitives[b]):
            continue
        colour = BLUE if method == "shape" else INK
        at = 1e3 * row["distance"]
        pair.plot([row["start"], row["end"]], [at, at], color=colour, lw=3, alpha=0.6)
        pair.plot(row["at"], at, "o", color=colour, ms=5)
    pair.plot([], [], "o-", color=BLUE, label="a distance, and the interval it proves free")
    pair.plot([], [], "o-", color=INK, label="the same from bounding spheres")
    pair.axhline(1e3 * CLEARANCE, color=RED, lw=1, ls="--", label="clearance")
    pair.set(
        xlabel="t", ylabel="finger – post [mm]", title="one pair of the segment", ylim=(0, 300)
    )
    pair.legend(loc="upper center", fontsize=8)

    count = Counter(METHODS[row["method"]] for row in proof.proofs)
    words = {
        "group": "boxes around obstacles",
        "sphere": "bounding spheres",
        "shape": "the shapes themselves",
    }
    found = {words[name]: count[name] for name in ("shape", "sphere", "group") if count[name]}
    bars = whole.barh(
        list(found), list(found.values()), color=[BLUE, INK, GREY][: len(found)], alpha=0.7
    )
    whole.bar_label(bars, padding=3)
    whole.set(title=f"what its {len(proof.proofs)} proofs rest on", xticks=[])
    whole.spines["bottom"].set_visible(False)
    keep(figure, "bisection")


def wanted(a: object, b: object) -> bool:
    """Whether two primitives are the ones shown: the finger's first part and the post."""
    return {(p.body, p.part) for p in (a, b)} == {(FINGER, 0), ("post", 0)}


def distance(cell: so.Cell, q: np.ndarray) -> float:
    """Of the finger's first part and the post, [m]."""
    post = cell.bodies["post"]
    element = cell.robots["arm"].robot.links[FINGER.partition("/")[2]].elements[0]
    return so.distance(
        element.shape, cell.pose(FINGER, q) @ element.origin, post.shape, post.pose
    ).distance


if __name__ == "__main__":
    main()
