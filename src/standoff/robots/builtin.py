"""Robots that come with the package, written from public joint figures; no meshes needed."""

from __future__ import annotations

from pathlib import Path

from standoff.errors import UnknownNameError

_FOLDER = Path(__file__).parent / "models"

#: Names of the robots: the seven-joint arm of paper 000, an ABB IRB 2400/16, a Franka Panda.
MODELS = ("arm7", "irb2400", "panda")


def model_path(name: str) -> Path:
    """The URDF file of a built-in robot."""
    if not isinstance(name, str) or name not in MODELS:
        raise UnknownNameError(str(name), MODELS, what="built-in robot")
    return _FOLDER / f"{name}.urdf"


def srdf_path(name: str) -> Path | None:
    """The SRDF file of a built-in robot: its pairs of links that are built to overlap; None where
    there are none."""
    path = model_path(name).with_suffix(".srdf")
    return path if path.is_file() else None
