"""Paper 000's test bed and its three tasks: joint angles, cycle by cycle.

What the paper says: two arms of seven joints, 35 primitives, a cube of 250 in, a buffer of 1.2 in,
tips no faster than 24 in/s; three files of joint angles, sampled from an operator at a simulator,
of 1000, 150 and 2000 cycles. In the first the left arm moves toward the box on the table in front
while the right arm goes above the box on the table to the right. The second is like it, but the
left arm collides with the front table. In the third the right arm collides with the front table
while it tries to grasp the box that lies there. Its program stopped at the first warning, so a
task that collides ends there.

What is chosen here: the key poses, and when the arms are there. Each arm has key poses of its own
and moves from one to the next with least jerk, at rest in each; what differs between two of them
moves, so that there are stretches of one arm only, of a wrist only and of all fourteen links. A
cycle lasts 50 ms, the time that the paper gives for NASA's test robots of then. The last key pose
of an arm that collides lies beyond the end of the task: it is cut short there, at full swing, as
the operator is who did not see the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from standoff.broadphase.kinds import KINDS
from standoff.cell.cell import Cell
from standoff.cell.shipped import shipped_cell
from standoff.errors import CellError
from standoff.geometry.pose import Array
from standoff.monitor.monitor import Monitor

INCH = 0.0254

#: Width of the safety buffer around each moving primitive, [m]: 1.2 in.
BUFFER = 1.2 * INCH

#: The root cube of the paper's octree: its centre, [m], and its edge of 250 in, [m].
ROOT = ((20 * INCH, -10 * INCH, 107 * INCH), 250 * INCH)

#: Options of an index.
OF_INDEX = {"split", "side", "root", "reserve", "follow", "smallest"}

#: From one set of joint angles to the next, [s].
PERIOD = 0.05

#: The fastest that the tip of an arm may move, [m/s]: 24 in/s.
MAX_SPEED = 24 * INCH


#: The seven joints of an arm, [degrees], by the cycle at which it is there.
KeyPoses = Mapping[int, tuple[float, float, float, float, float, float, float]]


@dataclass(frozen=True, eq=False)
class Task:
    """One task of the test bed.

    Attributes:
        name: short, for a file or an option.
        title: what happens, in a line.
        cycles: how many sets of joint angles there are.
        left, right: key poses of either arm, the first at cycle 0; an arm stays in its last one.
        collides: the pair that the task is to end with; None where it ends well.
    """

    name: str
    title: str
    cycles: int
    left: KeyPoses
    right: KeyPoses
    collides: tuple[str, str] | None = None

    def joints(self, cell: Cell) -> Array:
        """Joint angles (cycles, 14), [rad], in the order of ``cell.joints``.

        Raises:
            CellError: the joints of the cell are not those of the two arms.
        """
        found = {}
        for arm, keys in (("left", self.left), ("right", self.right)):
            angles = _least_jerk(keys, self.cycles)
            found.update({f"{arm}/joint{i + 1}": angles[:, i] for i in range(angles.shape[1])})
        if sorted(found) != sorted(cell.joints):
            raise CellError(
                "not the joints of the test bed", value=cell.joints, allowed=", ".join(found)
            )
        return np.stack([found[name] for name in cell.joints], axis=1)


def testbed_cell() -> Cell:
    """The cell of ``cells/testbed.toml``: the arms in the pose in which every task begins."""
    return Cell.load(shipped_cell("testbed"))


def testbed_monitor(cell: Cell, **options: Any) -> Monitor:
    """A monitor with the paper's root cube, buffer, N and speed; options, those of its index among
    them, go before these."""
    usual: dict[str, Any] = {"buffer": BUFFER, "period": PERIOD, "max_speed": MAX_SPEED}
    kind = KINDS[options.pop("index", "octree")]
    names = {field.name for field in fields(kind)}
    own = {"root": ROOT, "split": 10} | {k: options.pop(k) for k in OF_INDEX & options.keys()}
    chosen = kind(**{k: v for k, v in own.items() if k in names})
    return Monitor(cell, index=chosen, **(usual | options))


def _least_jerk(keys: KeyPoses, cycles: int) -> Array:
    """Angles (cycles, 7), [rad], through the key poses, at rest in each.

    Of all motions between two poses at rest, s(u) = 10 u³ - 15 u⁴ + 6 u⁵ has the least jerk.
    """
    times, poses = np.array([*keys]), np.radians([*keys.values()])
    cycle = np.arange(cycles)
    before = np.clip(np.searchsorted(times, cycle, side="right") - 1, 0, len(keys) - 2)
    u = (cycle - times[before]) / (times[before + 1] - times[before])
    u = np.clip(u, 0.0, 1.0)[:, None]
    s = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    result: Array = poses[before] + s * (poses[before + 1] - poses[before])
    return result


# Joints 1 to 7, [degrees]: roll and pitch in turn. In the ready pose the upper arm points up, the
# forearm forward, the hand down: every link along an axis of coordinates.
_READY = (0, 0, 0, 90, 0, 90, 0)

_LEFT_OVER_TABLE = (-9, 11, -1, 72, -8, 78, 0)
_LEFT_HAND_TURNED = (-9, 11, -1, 72, -30, 55, 60)
_LEFT_AT_BOX = (-19, 26, -2, 88, -5, 47, 60)  # the tip 4 in above the front box
_LEFT_IN_TABLE = (-2, 56, 6, 97, 2, 3, 0)  # the tip 6 in below the top of the front table
_LEFT_OVER_TRAY = (81, 13, 0, 73, 4, 68, 0)
_LEFT_TRAY_HAND_TURNED = (81, 13, 0, 73, 30, 85, -40)

_RIGHT_LIFTED = (-21, -5, -2, 68, 6, 102, 0)
_RIGHT_OVER_TABLE = (-75, 27, 0, 52, -1, 95, 0)
_RIGHT_ABOVE_BOX = (-81, 48, 0, 45, 0, 88, 0)  # the tip 5 in above the right box
_RIGHT_GRIPPER_TURNED = (-81, 48, 0, 45, 0, 88, 90)
_RIGHT_IN_FRONT = (8, 16, 1, 72, 8, 74, 0)
_RIGHT_FRONT_HAND_TURNED = (8, 16, 1, 72, 20, 60, 45)
_RIGHT_BESIDE_BOX = (9, 29, 3, 99, 11, 35, 45)  # the tip level with the top of the front box
_RIGHT_IN_TABLE = (8, 54, 8, 101, 6, 7, 45)  # the tip 6 in below the top of the front table

#: The three tasks, in the order of the paper.
TASKS: tuple[Task, ...] = (
    Task(
        "1",
        "the left arm moves toward the front box, the right arm above the right one",
        1000,
        left={
            0: _READY,
            200: _LEFT_OVER_TABLE,
            350: _LEFT_OVER_TABLE,
            450: _LEFT_HAND_TURNED,
            650: _LEFT_HAND_TURNED,
            950: _LEFT_AT_BOX,
        },
        right={
            0: _READY,
            150: _READY,
            350: _RIGHT_LIFTED,
            450: _RIGHT_LIFTED,
            650: _RIGHT_OVER_TABLE,
            900: _RIGHT_ABOVE_BOX,
            1000: _RIGHT_GRIPPER_TURNED,
        },
    ),
    Task(
        "2",
        "as the first, but the left arm collides with the front table",
        150,
        left={0: _READY, 235: _LEFT_IN_TABLE},
        right={
            0: _READY,
            40: _READY,
            110: _RIGHT_LIFTED,
        },
        collides=("left/link7", "front_table"),
    ),
    Task(
        "3",
        "the right arm collides with the front table as it tries to grasp the box on it",
        2000,
        left={
            0: _READY,
            300: _LEFT_OVER_TRAY,
            1150: _LEFT_OVER_TRAY,
            1300: _LEFT_TRAY_HAND_TURNED,
        },
        right={
            0: _READY,
            200: _READY,
            350: _RIGHT_LIFTED,
            600: _RIGHT_OVER_TABLE,
            800: _RIGHT_ABOVE_BOX,
            900: _RIGHT_GRIPPER_TURNED,
            1050: _RIGHT_OVER_TABLE,
            1210: _RIGHT_IN_FRONT,
            1300: _RIGHT_IN_FRONT,
            1450: _RIGHT_FRONT_HAND_TURNED,
            1880: _RIGHT_BESIDE_BOX,
            2141: _RIGHT_IN_TABLE,
        },
        collides=("right/link7", "front_table"),
    ),
)
