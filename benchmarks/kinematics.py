"""How fast is forward kinematics with velocities and capsule ends, beside Pinocchio's own?

Pinocchio is called from Python once a configuration, ``forwardKinematics(model, data, q, v)``, and
leaves joint placements and velocities; ours runs a batch in one call and leaves placements and
velocities of all frames as well as both ends, and their velocities, of a capsule on every link.
Both in turns in the same run, so that the ratio holds where the times do not.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import numpy as np
import pinocchio as pin

from standoff.robots.kernels import kinematics

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.oracles import capsule_ends
from tests.oracles.pinocchio import ROBOTS, Oracle, random_configurations

BATCH = 1024
ROUNDS = 15


def seconds(run) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def contest(name: str) -> None:
    oracle = Oracle(name, mimic=False)
    tree, model, data = oracle.tree, oracle.model, oracle.data
    rng = np.random.default_rng(0)
    Q, DQ = random_configurations(tree, BATCH, rng)
    pairs = [oracle.configuration(q, dq) for q, dq in zip(Q, DQ)]
    moving = [f for f, _ in map(tree.link, tree.links) if f > 0]
    frame = np.array(moving, dtype=np.int64)
    turns = tree.scratch()
    poses, twists = np.empty((BATCH, tree.frames, 12)), np.empty((BATCH, tree.frames, 6))
    ends = capsule_ends.Ends(
        reals=tree.reals, ints=tree.ints, turns=turns, frame=frame,
        local=rng.normal(size=(len(frame), 6)) * 0.1, poses=BATCH * tree.frames,
        twists=BATCH * tree.frames, ends=BATCH * len(frame), velocities=BATCH * len(frame),
    )  # fmt: skip

    def pinocchio() -> None:
        for q, v in pairs:
            pin.forwardKinematics(model, data, q, v)

    def with_ends() -> None:
        capsule_ends.place_ends(ends.address, Q, DQ)

    def poses_alone() -> None:
        kinematics.forward_batch(tree.reals, tree.ints, Q, turns, poses)

    def one_by_one() -> None:
        for q, dq, p, t in zip(Q, DQ, poses, twists):
            kinematics.forward_velocity(tree.reals, tree.ints, q, dq, turns, p, t)

    runs = (pinocchio, with_ends, poses_alone, one_by_one)
    for run in runs:
        run()
    times = [[seconds(run) / BATCH * 1e6 for run in runs] for _ in range(ROUNDS)]
    middle = [statistics.median(column) for column in zip(*times)]
    worst = [max(column) for column in zip(*times)]
    ratio = statistics.median(row[0] / row[1] for row in times)
    cells = [f"{name:7} {tree.frames - 1:6} {len(frame):8}"]
    cells += [f"{f'{m:.2f} ({w:.2f})':>14}" for m, w in zip(middle, worst)]
    print("  ".join(cells), f"{ratio:8.2f}x")


def main() -> None:
    print(f"µs a configuration, batches of {BATCH}: median (worst) of {ROUNDS} rounds")
    heads = ("Pinocchio", "ours with ends", "poses", "call by call")
    print(
        "robot   joints capsules  " + "  ".join(f"{h:>14}" for h in heads) + "   Pinocchio / ours"
    )
    for name in ROBOTS:
        contest(name)


if __name__ == "__main__":
    main()
