"""HPP in a process of its own: its libraries are found through ``LD_LIBRARY_PATH`` alone, which
counts only for a process that is started with it.

The interpreter is the one named by the caller or by ``STANDOFF_HPP_PYTHON``, or this one where
`hpp-python` is installed beside Standoff.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

import numpy as np

import standoff as so
from peers.paths_urdf import export

WORKER = Path(__file__).with_name("paths_hpp_worker.py")
LOCATE = "import cmeel, pathlib; print(pathlib.Path(cmeel.__file__).parents[1] / 'cmeel.prefix')"


def interpreter(given: str | None = None) -> str | None:
    """The Python that has HPP; None where none is known."""
    named = given or os.environ.get("STANDOFF_HPP_PYTHON")
    if named:
        return named
    return sys.executable if find_spec("pyhpp") else None


class Hpp:
    """Edges of a cell checked by `Dichotomy(0)`, in the worker; use in a ``with``."""

    def __init__(
        self,
        python: str,
        cell: so.Cell,
        frozen: Mapping[str, float],
        starts: np.ndarray,
        ends: np.ndarray,
        *,
        capsules: bool = True,
    ) -> None:
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        made = export(cell, frozen, folder, capsules=capsules)
        np.savez(
            folder / "scene.npz",
            urdf=made.urdf,
            joints=made.joints,
            geometries=made.geometries,
            pairs=made.pairs,
            starts=np.asarray(starts)[:, made.columns],
            ends=np.asarray(ends)[:, made.columns],
        )
        self._noise = (folder / "stderr").open("w+")
        self._process = subprocess.Popen(
            [python, str(WORKER), str(folder / "scene.npz")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._noise,
            text=True,
            env=environment(python),
        )
        self.edges = int(self._answer()["edges"])

    def run(self, edges: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
        """Whether these edges are free, by their numbers, and how long each took, [ns]."""
        assert self._process.stdin is not None
        print(json.dumps([int(k) for k in edges]), file=self._process.stdin, flush=True)
        answer = self._answer()
        return np.array(answer["free"], dtype=bool), np.array(answer["ns"], dtype=np.int64)

    def _answer(self) -> dict[str, list[int]]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self._noise.seek(0)
            raise RuntimeError(f"HPP's process ended:\n{self._noise.read()[-2000:]}")
        found: dict[str, list[int]] = json.loads(line)
        return found

    def __enter__(self) -> Hpp:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()
        self._noise.close()
        self._folder.cleanup()


def environment(python: str) -> dict[str, str]:
    """This process's, with HPP's libraries in front; without what points to our own packages."""
    found = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    prefix = subprocess.run(
        [python, "-c", LOCATE], check=True, capture_output=True, text=True, env=found
    ).stdout.strip()
    folders = [f"{prefix}/lib", found.get("LD_LIBRARY_PATH", "")]
    found["LD_LIBRARY_PATH"] = os.pathsep.join(f for f in folders if f)
    return found
