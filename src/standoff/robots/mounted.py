"""A robot in a cell: the files it came from, the model chosen for each link, its base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from standoff.errors import RobotError
from standoff.geometry.covering import Covering
from standoff.geometry.pose import IDENTITY, Array
from standoff.robots.builtin import model_path, srdf_path
from standoff.robots.description import Robot
from standoff.robots.simplify import Choice, check_choice, simplify
from standoff.robots.urdf import ReadGeometry, read_robot

#: Written before the name of a model that ships with Standoff, where a path is expected.
BUILTIN = "builtin:"


@dataclass(frozen=True, eq=False)
class MountedRobot:
    """Attributes:
    robot: as used, with the geometry chosen.
    written: as its files describe it.
    source: the URDF's path, or ``builtin:name``.
    base: 4 x 4 pose of the root link in the world.
    swaps: links whose model differs from ``choice``.
    coverings: what was laid around links that are covered by capsules.
    """

    robot: Robot
    written: Robot
    source: str
    srdf: str | None
    choice: Choice
    search_paths: tuple[Path, ...] = ()
    swaps: Mapping[str, Choice] = field(default_factory=dict)
    coverings: Mapping[str, Covering] = field(default_factory=dict)
    base: Array = field(default_factory=IDENTITY.copy)

    def swap(self, link: str, choice: Choice) -> MountedRobot:
        """The same robot with another model of one link."""
        check_choice(choice)
        if choice.geometry == "visual" != self.choice.geometry:
            raise RobotError(
                "visual shapes were not read",
                element=f"link {link!r}",
                value=choice.geometry,
                allowed='a robot that was added with geometry="visual"',
            )
        swaps = {**self.swaps, link: choice}
        if choice == self.choice:
            del swaps[link]
        made, covering = simplify(self.written.links[link], choice, self.written)
        coverings = {k: c for k, c in self.coverings.items() if k != link}
        if covering is not None:
            coverings[link] = covering
        robot = replace(self.robot, links={**self.robot.links, link: made})
        return replace(self, robot=robot, swaps=swaps, coverings=coverings)


def read_mounted(
    source: str | Path,
    srdf: str | Path | None,
    choice: Choice,
    search_paths: tuple[Path, ...] = (),
) -> MountedRobot:
    """Read a robot from a URDF file, or a builtin model with the SRDF that belongs to it."""
    check_choice(choice)
    path, beside = resolve(source, srdf)
    how: ReadGeometry = "visual" if choice.geometry == "visual" else "as_written"
    written = read_robot(path, srdf=beside, search_paths=search_paths, geometry=how)
    made = {name: simplify(link, choice, written) for name, link in written.links.items()}
    return MountedRobot(
        robot=replace(written, links={name: link for name, (link, _) in made.items()}),
        written=written,
        source=str(source),
        srdf=None if srdf is None else str(srdf),
        choice=choice,
        search_paths=search_paths,
        coverings={name: covering for name, (_, covering) in made.items() if covering},
    )


def resolve(source: str | Path, srdf: str | Path | None) -> tuple[Path, Path | None]:
    """The files behind a path or ``builtin:name``."""
    text = str(source)
    if not text.startswith(BUILTIN):
        return Path(source), None if srdf is None else Path(srdf)
    name = text.removeprefix(BUILTIN)
    return model_path(name), srdf_path(name) if srdf is None else Path(srdf)
