"""The robots that the problem sets are for, as capsules and as meshes, with their SRDF's pairs."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import standoff as so

SHARE = "cmeel.prefix/share/example-robot-data/robots"

#: URDF and SRDF of the package example-robot-data, by the name that problem files use.
DESCRIBED = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf"),
    "baxter": (
        "baxter_description/urdf/baxter.urdf",
        "baxter_description/srdf/baxter_manipulation.srdf",
    ),
}
GEOMETRY = {"capsules": "capsules", "meshes": "auto"}


@dataclass(frozen=True)
class Robots:
    """Where robots come from: ``folder/NAME/NAME.urdf`` with its SRDF beside, or, where there is no
    folder, the package example-robot-data."""

    folder: Path | None = None

    def build(self, problem: so.plan.Problem, model: str) -> so.plan.PlacedProblem:
        """The cell of a problem; ``model`` is ``capsules`` or ``meshes``."""
        urdf, srdf = self.files(problem.robot)
        return problem.build(urdf, srdf, GEOMETRY[model])

    def files(self, name: str) -> tuple[Path, Path]:
        if self.folder is not None:
            stem = self.folder / name / name
            return stem.with_suffix(".urdf"), stem.with_suffix(".srdf")
        if name not in DESCRIBED:
            raise SystemExit(
                f"no robot {name!r} in example-robot-data; name a folder with --robots"
            )
        root = Path(distribution("example-robot-data").locate_file(SHARE))
        urdf, srdf = DESCRIBED[name]
        return root / urdf, root / srdf
