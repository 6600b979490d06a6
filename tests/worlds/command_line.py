"""The command as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
STANDOFF = Path(sys.executable).parent / "standoff"

#: How a PNG file begins.
PNG = b"\x89PNG\r\n\x1a\n"


def run(*args, **env):
    return subprocess.run(
        [STANDOFF, *map(str, args)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "120", **env},
        timeout=300,
    )


def words(text):
    """A text on one line."""
    return " ".join(text.split())
