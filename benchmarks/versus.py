"""Is this commit slower than an older one? The same rows on both, turn by turn in one run.

    python benchmarks/versus.py COMMIT [--turns 7] [--row monitor ...]

The older commit is checked out below `build/versus` with an environment of its own, which shares
the installed packages of this one. Two processes, one for each commit, measure the rows of
`peers/versus_rows.py` by turns, so that drift of the machine hits both alike; a row's figure is the
median of its turns. `compile` counts the processor seconds of compiling everything from an empty
cache, once on each side, and `first update` those until a new process has answered one reading.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
from pathlib import Path

from peers.versus_rows import ROWS
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
ROOT = HERE.parent
FLOOR, GOALS = 1.1, {"monitor": 0.9, "segment": 0.9}
COMPILE = {"compile": ("compile", 0.7), "first update": ("first", None)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit", help="what to measure against")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--row", action="append", choices=[*ROWS, *COMPILE], help="this row alone")
    arguments = parser.parse_args()
    rows = arguments.row or [*ROWS, *COMPILE]
    console = Console()
    sides = {"before": checkout(arguments.commit), "now": ROOT}
    python = {side: environment(folder, side) for side, folder in sides.items()}
    times: dict[str, dict[str, float]] = {}
    for name in rows:
        with console.status(name):
            if name in COMPILE:
                times[name] = {side: processor_seconds(python[side], name) for side in sides}
            else:
                times[name] = contest(python, name, arguments.turns)
    console.print(table(times, arguments.commit))


def checkout(commit: str) -> Path:
    """The commit, in a folder named after it."""
    git = ("git", "-C", str(ROOT))
    name = subprocess.check_output([*git, "rev-parse", f"{commit}^{{commit}}"], text=True).strip()
    folder = ROOT / "build" / "versus" / name[:12]
    if not folder.exists():
        subprocess.run([*git, "worktree", "add", "--detach", str(folder), name], check=True)
    return folder


def environment(folder: Path, side: str) -> Path:
    """A Python whose `standoff` is that of the folder, with the packages of this environment."""
    venv = ROOT / "build" / "versus" / f"{side}-venv"
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    packages = sysconfig.get_path("purelib", vars={"base": str(venv), "platbase": str(venv)})
    own = sysconfig.get_path("purelib")
    # The folder stands before what this environment has installed, itself included.
    lines = f"{folder / 'src'}\nimport site; site.addsitedir({own!r})\n"
    Path(packages, "versus.pth").write_text(lines)
    return python


def contest(python: dict[str, Path], name: str, turns: int) -> dict[str, float]:
    """The median of the turns of each side, in microseconds."""
    workers = {side: Worker(path, side, name) for side, path in python.items()}
    try:
        found = {side: [] for side in workers}
        for _ in range(turns):
            for side, worker in workers.items():
                found[side].append(worker.turn())
    finally:
        for worker in workers.values():
            worker.process.kill()
    return {side: statistics.median(values) for side, values in found.items()}


class Worker:
    """A process that measures a row each time it is asked to."""

    def __init__(self, python: Path, side: str, name: str) -> None:
        program = [str(python), "-m", "peers.versus_rows", name]
        self.name, self.side = name, side
        self.process = subprocess.Popen(
            program, cwd=HERE, env=settings(side), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self.turn()  # compiles, and warms up

    def turn(self) -> float:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.name}, {self.side}: the process ended, see above")
        return float(line)


def settings(side: str, cache: Path | None = None) -> dict[str, str]:
    folder = cache or ROOT / "build" / "versus" / f"{side}-kernels"
    return {**os.environ, "NUMBA_CACHE_DIR": str(folder), "NUMBA_NUM_THREADS": "1"}


def processor_seconds(python: Path, name: str) -> float:
    """Of a whole process that starts without machine code, its children included."""
    cache = ROOT / "build" / "versus" / "cold"
    shutil.rmtree(cache, ignore_errors=True)
    before = os.times()
    program = [str(python), "-m", "peers.versus_rows", COMPILE[name][0]]
    subprocess.run(
        program, cwd=HERE, env=settings("", cache), check=True, stdout=subprocess.DEVNULL
    )
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def table(times: dict[str, dict[str, float]], commit: str) -> Table:
    result = Table(title=f"This tree over {commit}")
    result.add_column("row")
    for column in ("before", "now", "now / before", "floor", "goal"):
        result.add_column(column, justify="right")
    for name, sides in times.items():
        before, now = sides["before"], sides["now"]
        unit = "s" if name in COMPILE else "µs"
        limits = COMPILE[name][1] if name in COMPILE else FLOOR, GOALS.get(name.partition(",")[0])
        marks = ("" if x is None else f"{x} {'✓' if now / before <= x else '✗'}" for x in limits)
        result.add_row(
            name, f"{before:.2f} {unit}", f"{now:.2f} {unit}", f"{now / before:.2f}", *marks
        )
    return result


if __name__ == "__main__":
    main()
