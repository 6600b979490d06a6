"""HPP's side of the paths benchmark: runs under HPP's own Python, told what to do on a pipe.

    python paths_hpp_worker.py SCENE.npz

The scene holds the URDF text, the names of its joints and geometries, the pairs of geometries to
check and the edges. Each line on stdin is a list of edges to validate by `Dichotomy(0)`, in JSON;
each answer is a line of JSON: whether each was found free, and how long it took. Paths are made
before the clock starts.
"""

from __future__ import annotations

import json
import os
import sys
import time

import numpy as np

# HPP and its parsers write to standard output at will: the answers get a pipe of their own.
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import pinocchio  # noqa: E402  (HPP's bindings need its types)
from pyhpp.core import Dichotomy, Problem, Straight  # noqa: E402
from pyhpp.pinocchio import Device, urdf  # noqa: E402


def device(scene):
    """The cell as one device, with its own pairs and no others."""
    found = Device("cell")
    text = str(scene["urdf"])
    urdf.loadModelFromString(found, 0, "", "anchor", text, "", pinocchio.SE3.Identity())
    geometry = found.geomModel()
    number = {g.name: i for i, g in enumerate(geometry.geometryObjects)}
    missing = [name for name in scene["geometries"] if name not in number]
    if missing:
        raise RuntimeError(f"HPP did not read the shapes {', '.join(missing)}")
    geometry.removeAllCollisionPairs()
    names = scene["geometries"]
    for i, j in scene["pairs"]:
        pair = pinocchio.CollisionPair(number[names[i]], number[names[j]])
        geometry.addCollisionPair(pair)
    return found


def configurations(robot, scene, key):
    """Rows of the cell's moving joints in the order of HPP's own."""
    model = robot.model()
    at = [model.joints[model.getJointId(name)].idx_q for name in scene["joints"]]
    rows = np.zeros((len(scene[key]), robot.configSize()))
    rows[:, at] = scene[key]
    return rows


def main():
    scene = np.load(sys.argv[1])
    robot = device(scene)
    problem = Problem(robot)
    steering, validation = Straight(problem), Dichotomy(robot, 0.0)
    starts, ends = configurations(robot, scene, "starts"), configurations(robot, scene, "ends")
    print(json.dumps({"edges": len(starts)}), file=ANSWERS, flush=True)
    clock = time.process_time_ns
    for line in sys.stdin:
        free, nanoseconds = [], []
        for path in [steering(starts[k], ends[k]) for k in json.loads(line)]:
            begin = clock()
            answer = validation.validate(path, False)
            nanoseconds.append(clock() - begin)
            free.append(bool(answer[0]))
        print(json.dumps({"free": free, "ns": nanoseconds}), file=ANSWERS, flush=True)


if __name__ == "__main__":
    main()
