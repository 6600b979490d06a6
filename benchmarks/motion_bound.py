"""How tight is the motion bound, beside that of paper 001?

First the experiment of the paper's Fig. 5, as `standoff papers 001 --only fig5` has it. Then what a
certificate needs: how far may the tip get from where it is in the middle of a stretch of a segment?
Paper: ``h Σ R |dq|``. Ours: ``h |v| + h² M / 2``, or the paper's where that is shorter. Truth: the
farthest of 200 samples. All as the median of bound over truth, for a whole segment and for the
pieces that bisection leaves of it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from rich.console import Console

from standoff.motion.motion_bound import MotionBound, MovingBody
from standoff.papers.paper001_bounds import fig5, planar
from standoff.papers.paper001_segments import Bench
from standoff.papers.toolkit import show
from standoff.robots.tree import Tree

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.oracles.pinocchio import tree_of

SEGMENTS = 1000
SAMPLES = 200
PIECES = (1, 2, 4, 8, 16, 32)


def positions(tree: Tree, frame: int, point: np.ndarray, Q: np.ndarray) -> np.ndarray:
    return (tree.forward_batch(Q)[:, frame] @ np.append(point, 1.0))[:, :3]


def tightness(
    tree: Tree, body: MovingBody, segments: list[tuple[np.ndarray, np.ndarray]], pieces: int
) -> tuple[float, float, float]:
    """Median of bound over truth on one random piece of each segment: paper's, ours, best."""
    rng = np.random.default_rng(pieces)
    bound = MotionBound(tree, [body])
    pair = bound.pair(body.name)
    first, second = [], []
    for qa, qb in segments:
        dq, h = qb - qa, 0.5 / pieces
        tc = (rng.integers(pieces) + 0.5) / pieces
        over = bound.segment(qa, qb)
        t = np.append(tc, np.linspace(tc - h, tc + h, SAMPLES))[:, None]
        path = positions(tree, body.frame, bound.points[0], qa + t * dq)
        true = np.linalg.norm(path[1:] - path[0], axis=1).max()
        poses, twists = tree.velocities(qa + tc * dq, dq)
        lever = path[0] - poses[body.frame, :3, 3]
        v = np.linalg.norm(twists[body.frame, 3:] + np.cross(twists[body.frame, :3], lever))
        first.append(h * over.length(pair) / true)
        second.append((h * v + 0.5 * h * h * over.curvature(pair)) / true)
    best = np.minimum(first, second)
    return float(np.median(first)), float(np.median(second)), float(np.median(best))


def table(title: str, cases: list[tuple[str, Tree, MovingBody, list]]) -> None:
    print(f"\n{title}: median of bound over truth, by pieces of the segment:")
    print("paper's / ours / the shorter of the two")
    print("          " + "".join(f"{f'1/{p}' if p > 1 else 'whole':>21}" for p in PIECES))
    for name, tree, body, segments in cases:
        cells = (tightness(tree, body, segments, p) for p in PIECES)
        print(f"{name:10}" + "".join(f"{f'{a:.2f} / {b:.2f} / {c:.2f}':>21}" for a, b, c in cells))


def main() -> None:
    rng = np.random.default_rng(0)
    bench = Bench()
    bench.links = SEGMENTS
    show(fig5(bench), Console())

    linkages = []
    for count in range(1, 8):
        tree = planar(count)
        body = MovingBody("tip", count, np.array([[1.0, 0.0, 0.0]]))
        ends = rng.uniform(-np.pi, np.pi, (300, 2, count))
        linkages.append((f"{count} links", tree, body, [tuple(pair) for pair in ends]))
    table("Planar linkages", linkages)

    tree = tree_of("panda")
    cases = []
    for i in (2, 4, 6, 7):
        frame, offset = tree.link(f"r/panda_link{i}")
        body = MovingBody("link", frame, (offset @ [0.0, 0.0, 0.1, 1.0])[None, :3])
        cases.append((f"link {i}", tree, body, panda_edges(tree, rng)))
    table("Panda, edges of 1 to 3 rad", cases)


def panda_edges(tree: Tree, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    edges = []
    for _ in range(300):
        qa, qb = rng.uniform(tree.lower, tree.upper, (2, len(tree.joints)))
        edges.append((qa, qa + (qb - qa) * rng.uniform(1, 3) / np.linalg.norm(qb - qa)))
    return edges


if __name__ == "__main__":
    main()
