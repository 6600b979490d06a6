"""Does looking on cost anything, and is it smooth?

    python benchmarks/view.py [--quick]

1. The monitor's cycle on the test bed of paper 000, alone and while a `LivePage` is told of every
   cycle: with nobody looking, and with pages that take all that is sent. In turns, in one run, at
   2,000 cycles a second; the ratio of the medians and of the 99th percentiles is the answer. What
   `show` itself takes is given beside.
2. 200 bodies that all move: how long an update of the page takes here, and how many updates a
   second arrive at a page, twenty being asked for.

A page is a connection that speaks as viser's own page does and reads everything. What a browser
draws of it hangs on its graphics card and is not measured.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import standoff as so
from standoff.papers.testbed import TASKS, testbed_cell, testbed_monitor
from standoff.view.live import LivePage
from standoff.view.live.cell_page import CellPage
from standoff.view.live.seen import seen
from standoff.view.live.server import address, close, open_server
from standoff.view.live.ticking import TICK

#: Time between two cycles, [s]; pages that look on; bodies of the second question.
PACE, PAGES, BODIES = 0.0005, 3, 200

console = Console(width=110)


async def look(url: str, seconds: float) -> list[tuple[float, int]]:
    """When something arrived at a page, and how many bytes."""
    import viser
    import websockets.asyncio.client

    found = []
    async with websockets.asyncio.client.connect(
        url.replace("http", "ws"), subprotocols=[f"viser-v{viser.__version__}"], max_size=None
    ) as socket:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            try:
                data = await asyncio.wait_for(socket.recv(), left)
            except (TimeoutError, websockets.exceptions.ConnectionClosed):
                break
            found.append((time.monotonic(), len(data)))
    return found


def looking(url: str, seconds: float) -> subprocess.Popen:
    """A page in a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), "--look", url, str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def cycles(joints: np.ndarray, told: Callable | None, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Times of ``count`` cycles and of telling, [µs]."""
    cell = testbed_cell()
    monitor = testbed_monitor(cell)
    spent, telling = np.zeros(count), np.zeros(count)
    for k in range(count):
        q = joints[k % len(joints)]
        if k % len(joints) == 0:
            monitor = testbed_monitor(cell)
        start = time.perf_counter_ns()
        cycle = monitor.update(q)
        middle = time.perf_counter_ns()
        if told is not None:
            told(cell, q, None, cycle, time=k * PACE)
        end = time.perf_counter_ns()
        spent[k], telling[k] = (middle - start) / 1e3, (end - middle) / 1e3
        rest = PACE - (time.perf_counter_ns() - start) / 1e9
        if rest > 0.0:
            time.sleep(rest)
    return spent[10:], telling[10:]


def cycle_times(rounds: int, count: int) -> None:
    joints = TASKS[0].joints(testbed_cell())
    cycles(joints, None, 200)
    names = ("alone", "a page, nobody looks", f"a page, {PAGES} look")
    found: dict[str, list] = {name: [] for name in names}
    told: dict[str, list] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            if name == "alone":
                spent, telling = cycles(joints, None, count)
            else:
                with LivePage(port=0, buffers=0.03) as page:
                    cycles(joints, page.show, 2000)  # the page has drawn the cell by then
                    looks = []
                    if name == names[2]:
                        looks = [looking(page.address, 60.0) for _ in range(PAGES)]
                        time.sleep(3.0)
                    spent, telling = cycles(joints, page.show, count)
                    for process in looks:
                        process.kill()
                        process.wait()
            found[name].append(spent)
            told[name].append(telling)
    table = Table("cycle of the monitor", "median [µs]", "99 % [µs]", "show, median [µs]", box=None)
    base = np.concatenate(found[names[0]])
    for name in names:
        spent, telling = np.concatenate(found[name]), np.concatenate(told[name])
        table.add_row(
            name,
            f"{np.median(spent):.1f} ({np.median(spent) / np.median(base):.2f} ×)",
            f"{np.percentile(spent, 99):.1f} "
            f"({np.percentile(spent, 99) / np.percentile(base, 99):.2f} ×)",
            "–" if name == names[0] else f"{np.median(telling):.1f}",
        )
    console.print(table)


def updates(seconds: float) -> None:
    rng = np.random.default_rng(0)
    cell = so.Cell()
    start = rng.uniform(-3.0, 3.0, (BODIES, 3))
    for k in range(BODIES):
        shape = (so.Sphere(0.06), so.Box((0.1, 0.1, 0.1)), so.Capsule(0.04, 0.1))[k % 3]
        cell.add_body(f"body{k}", shape, pose=so.pose(start[k]), moving=True)
    server = open_server("bodies", port=0)
    q = np.zeros(0)
    page = CellPage(server, cell, "bodies", buffers=dict)
    page.options()
    page.show(seen(q, np.array([so.pose(p) for p in start])))
    process = looking(address(server), seconds)
    time.sleep(1.5)
    spent, cpu = [], time.process_time()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        moment = time.monotonic()
        poses = np.array([np.eye(4)] * BODIES)
        poses[:, :3, 3] = start + 0.3 * np.sin(moment + np.arange(BODIES))[:, None]
        begun = time.perf_counter()
        page.show(seen(q, poses))
        spent.append(1e3 * (time.perf_counter() - begun))
        assert page.nodes.sent == BODIES
        time.sleep(max(0.0, TICK - (time.monotonic() - moment)))
    cpu = 1e3 * (time.process_time() - cpu) / len(spent)
    output = process.communicate()[0].split()
    close(server)
    console.print(
        f"{BODIES} bodies, all moving: {np.median(spent):.1f} ms an update here (99 % "
        f"{np.percentile(spent, 99):.1f}; {cpu:.1f} ms of a core with serving it), "
        f"{output[0]} updates a second at a page, "
        f"{output[1]} kB each",
        highlight=False,
    )


def told_by(url: str, seconds: float) -> None:
    """What a page got in its last second and a half, as updates a second and kB an update: what
    comes within a quarter of a tick is one update."""
    got = asyncio.run(look(url, seconds))
    last = [(t, n) for t, n in got if t > got[-1][0] - 0.6 * seconds]
    times = np.array([t for t, _ in last])
    count = 1 + int((np.diff(times) > TICK / 4).sum())
    span = times[-1] - times[0]
    print(f"{count / span:.1f} {sum(n for _, n in last) / count / 1e3:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--look", nargs=2)
    arguments = parser.parse_args()
    if arguments.look:
        told_by(arguments.look[0], float(arguments.look[1]))
        return
    rounds, count, seconds = (2, 3000, 6.0) if arguments.quick else (4, 10_000, 15.0)
    cycle_times(rounds, count)
    updates(seconds)


if __name__ == "__main__":
    main()
