"""How long does a newcomer wait? `standoff info` cold (kernels compile) and warm, and `compile`.

Budgets: whatever `info` needs compiles cold in under 20 s; a warm `info` answers in under 2 s.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parent.parent
STANDOFF = Path(sys.executable).parent / "standoff"
#: Where the wheels of Pinocchio's family keep their data.
PREFIX = Path(sysconfig.get_path("purelib")) / "cmeel.prefix"
WARM_RUNS = 5


def robots() -> dict[str, list[str]]:
    """What `info` is asked about: a shipped cell, a shipped model, and a robot with meshes."""
    asked = {
        "two arms (cell)": ["cells/two_arms.toml"],
        "panda (builtin)": ["builtin:panda"],
    }
    share = PREFIX / "share" / "example-robot-data" / "robots"
    if not share.is_dir():
        print("example-robot-data is not installed: the Panda with meshes is left out")
        return asked
    urdf = share / "panda_description" / "urdf" / "panda.urdf"
    asked["panda (meshes)"] = [str(urdf)]
    asked["panda (meshes as capsules)"] = [str(urdf), "--geometry", "capsules"]
    return asked


def seconds(*args: str, cache: str) -> float:
    start = time.perf_counter()
    run = subprocess.run(
        [STANDOFF, *args],
        cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        capture_output=True,
        text=True,
    )
    if run.returncode:
        sys.exit(run.stderr)
    return time.perf_counter() - start


def main() -> None:
    table = Table("standoff info", r"cold \[s]", r"warm, median \[s]", r"warm, worst \[s]")
    for name, args in robots().items():
        with tempfile.TemporaryDirectory() as cache:
            cold = seconds("info", *args, cache=cache)
            warm = [seconds("info", *args, cache=cache) for _ in range(WARM_RUNS)]
        median = statistics.median(warm)
        table.add_row(name, f"{cold:.1f}", f"{median:.2f}", f"{max(warm):.2f}")
    with tempfile.TemporaryDirectory() as cache:
        full = seconds("compile", cache=cache)
        again = seconds("compile", cache=cache)
    Console().print(table)
    print(f"standoff compile: {full:.1f} s cold, {again:.1f} s warm")


if __name__ == "__main__":
    main()
