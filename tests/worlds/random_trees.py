"""Random robots in one world, and where their points really go: plain, slow-minded kinematics that
share nothing with the kernels under test (Rodrigues' formula about the axis as given, points handed
up joint by joint, the library's sine and cosine)."""

from __future__ import annotations

import math

import numba
import numpy as np

from standoff.robots.description import Joint, Link, Mimic, Robot
from standoff.robots.tree import Mount, Tree

COLUMNS = 20  # origin (12), axis (3), multiplier, offset, kind (0 revolute, 1 slides), parent, q


def random_rotation(rng):
    a, b, c, d = (v := rng.normal(size=4)) / np.linalg.norm(v)
    return np.array(
        [
            [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
        ]
    )


def random_pose(rng, size):
    result = np.eye(4)
    result[:3, :3] = random_rotation(rng)
    result[:3, 3] = rng.normal(size=3) * size
    return result


class World:
    """One or two random robots, of millimetres, metres or kilometres: the tree under test, and the
    plain table of the same joints."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.size = rng.choice([1e-3, 1.0, 1.0, 1.0, 1e3])
        self.table: list[np.ndarray] = []
        self.names: list[str] = []
        mounts = []
        masters = 0
        for name in ("a", "b")[: 1 + (rng.random() < 0.3)]:
            base = random_pose(rng, self.size)
            robot, masters = self._robot(rng, name, base, masters)
            mounts.append(Mount(name, robot, base))
        self.tree = Tree(mounts)
        self.plain = np.array(self.table)

    def _robot(self, rng, name, base, masters):
        count = int(rng.integers(1, 13))
        row0, branching = len(self.table), rng.random() < 0.5
        kinds = rng.choice(["revolute", "continuous", "prismatic"], count, p=[0.5, 0.25, 0.25])
        leads = rng.random(count) > 0.2
        leads[rng.integers(count)] = True
        places = masters + np.cumsum(leads) - 1
        joints: dict[str, Joint] = {}
        for i in range(count):
            up = int(rng.integers(-1, i)) if branching else i - 1
            origin, axis = random_pose(rng, 0.3 * self.size), random_rotation(rng)[0]
            if rng.random() < 0.3:
                origin[:3, :3] = np.eye(3)
            mimic, multiplier, offset, lead = None, 1.0, 0.0, i
            if not leads[i]:
                lead = int(rng.choice(np.flatnonzero(leads)))
                multiplier, offset = rng.normal(), rng.normal()
                mimic = Mimic(f"j{lead}", multiplier, offset)
            lower, upper = np.sort(rng.normal(size=2) * 0.5 * self.size)
            if kinds[i] == "continuous":
                lower, upper = -math.inf, math.inf
            parent = f"l{up}" if up >= 0 else "base"
            joints[f"j{i}"] = Joint(
                f"j{i}", kinds[i], parent, f"l{i}", origin, axis, lower, upper, math.inf, mimic
            )
            row = np.zeros(COLUMNS)
            row[:12] = (origin if up >= 0 else base @ origin)[:3].ravel()
            row[12:15] = axis
            row[15:] = (
                multiplier,
                offset,
                kinds[i] == "prismatic",
                row0 + up if up >= 0 else -1,
                places[lead],
            )
            self.table.append(row)
            self.names.append(f"{name}/l{i}")
        links = {n: Link(n) for n in ("base", *(f"l{i}" for i in range(count)))}
        return Robot(name, links, joints, "base"), masters + int(leads.sum())

    def random_segment(self, rng):
        """Ends up to several turns apart, slides in and out of their limits, some at rest."""
        tree = self.tree
        slides = np.array([k == "prismatic" for k in tree.kinds])
        qa = rng.uniform(-4, 4, len(slides))
        dq = rng.normal(size=len(slides)) * rng.choice([0.1, 1.0, 3.0, 12.0])
        within = rng.uniform(0, 1, (2, len(slides)))
        low, high = np.where(slides, tree.lower, 0.0), np.where(slides, tree.upper, 0.0)
        stray = rng.choice([0.0, self.size])
        sa, sb = low + (high - low) * within + stray * rng.normal(size=(2, len(slides)))
        qb = np.where(slides, sb, qa + dq * (rng.random(len(slides)) < 0.8))
        return np.where(slides, sa, qa), qb


@numba.njit(cache=True)
def track(plain, link, stop, points, Q, out):
    """Where the points of a link are for each row of Q, seen from the link ``stop`` that carries it
    (-1: the world): each point is handed up from joint to joint."""
    for i in range(Q.shape[0]):
        for k in range(points.shape[0]):
            x, y, z = points[k]
            j = link
            while j != stop:
                row = plain[j]
                value = row[15] * Q[i, int(row[19])] + row[16]
                a, b, c = row[12], row[13], row[14]
                if row[17] == 1.0:
                    x, y, z = x + value * a, y + value * b, z + value * c
                else:
                    s, co = math.sin(value), math.cos(value)
                    along = (a * x + b * y + c * z) * (1.0 - co)
                    x, y, z = (
                        x * co + (b * z - c * y) * s + a * along,
                        y * co + (c * x - a * z) * s + b * along,
                        z * co + (a * y - b * x) * s + c * along,
                    )
                x, y, z = (
                    row[0] * x + row[1] * y + row[2] * z + row[3],
                    row[4] * x + row[5] * y + row[6] * z + row[7],
                    row[8] * x + row[9] * y + row[10] * z + row[11],
                )
                j = int(row[18])
            out[i, k, 0], out[i, k, 1], out[i, k, 2] = x, y, z
