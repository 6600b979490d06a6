"""Small planning problems, written as files."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

READY = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)
LEFT = (1.2, -0.5, 0.1, -2.0, 0.0, 1.6, 0.785)
ARM = tuple(f"panda_joint{k}" for k in range(1, 8))

#: A quarter turn about z, then one about x, as x, y, z, w.
ABOUT_Z = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))
ABOUT_X = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))


def content() -> dict[str, Any]:
    """One problem for a Panda: a table, a can, and a pole that hangs on a parent."""
    fingers = {"panda_finger_joint1": 0.065, "panda_finger_joint2": 0.065}
    table = {"id": "table", "type": "box", "dim": [0.6, 1.6, 0.04], "pos": [0.65, 0.0, 0.0]}
    can = {"id": "can", "type": "cylinder", "dim": [0.6, 0.03], "pos": [0.25, 0.17, 0.4]}
    pole = {"id": "pole", "type": "cylinder", "dim": [0.8, 0.02], "pos": [0.0, 0.0, 0.5]}
    for obstacle in (table, can):
        obstacle["quat"] = [0.0, 0.0, 0.0, 1.0]
    pole["quat"] = list(ABOUT_X)
    pole["parent_pose"] = {"pos": [0.4, 0.5, 0.0], "quat": list(ABOUT_Z)}
    return {
        "robot": "panda",
        "set": "small",
        "quaternion": "xyzw",
        "source": "made for a test",
        "problems": [
            {
                "index": 7,
                "start": {**dict(zip(ARM, READY)), **fingers},
                "goals": [dict(zip(ARM, LEFT))],
                "obstacles": [table, can, pole],
                "attached": 0,
            }
        ],
    }


def changed(*keys: Any, to: Any) -> dict[str, Any]:
    """The content with another value at one place; ``...`` takes the key out."""
    whole = deepcopy(content())
    at: Any = whole
    for key in keys[:-1]:
        at = at[key]
    if to is ...:
        del at[keys[-1]]
    else:
        at[keys[-1]] = to
    return whole


def write(folder: Path, value: Any, name: str = "small.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path
