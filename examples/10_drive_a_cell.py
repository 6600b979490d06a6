"""Drive a cell by hand, in a browser.

Two arms and a table on a live page: a slider for each joint, a handle on each hand, the nearest
pair with its distance, the buffers, the octree, and a list of warnings. Move an arm into the other
one's room and see it turn red. Needs the extra `view`. Run it, and open the address it prints:

    python examples/10_drive_a_cell.py

Ctrl-C ends it; with a number it ends by itself after so many seconds. The page is served to this
machine alone and loads nothing from elsewhere. The same from the command line:

    standoff view two_arms
"""

from __future__ import annotations

import sys
import threading

import standoff as so
from standoff.view.live import drive_by_hand

cell = so.Cell()
cell.add_robot("builtin:panda", name="left")
cell.add_robot("builtin:panda", name="right", base=so.pose((0.0, -0.6, 0.0)))
cell.add_body("table", so.Box((0.6, 1.6, 0.04)), so.pose((0.65, -0.3, 0.2)))
cell.set_state([0.0, 0.0, 0.0, -1.57, 0.0, 1.57, 0.0, 0.0] * 2)


def monitor(period: float) -> so.Monitor:
    """The page asks for a monitor that is given a reading every ``period`` seconds."""
    return so.Monitor(
        cell, buffer=0.03, thresholds=so.Thresholds(self_collision=0.005), period=period
    )


over = threading.Event()
if len(sys.argv) > 1:
    threading.Timer(float(sys.argv[1]), over.set).start()
try:
    drive_by_hand(cell, monitor, title="two arms", stop=over)
except so.Error as error:  # the page is of the extra `view`
    sys.exit(str(error))
