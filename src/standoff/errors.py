"""What bad input gets: one family of exceptions that say where, what and what is allowed.

Every error raised on purpose by Standoff is an :class:`Error`. The message is composed from
the parts given, and the parts stay readable as attributes, so that a program can act on them.
"""

from __future__ import annotations

import copy
import difflib
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

#: Stands for "no value": None may be the offending value itself.
NOTHING: Any = object()

#: Values longer than this are cut in messages, [characters].
_VALUE_LENGTH = 200


class Error(Exception):
    """Base of all errors of this package.

    Args:
        problem: what is wrong, as a sentence without a full stop.
        file: the file the input came from.
        element: the element inside it, e.g. ``joint 'elbow' / axis``.
        value: the offending value, shown cut to a readable length.
        allowed: what would have been accepted.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        element: str | None = None,
        value: Any = NOTHING,
        allowed: str | None = None,
    ) -> None:
        self.problem = problem
        self.file = str(file) if file is not None else None
        self.element = element
        self.value = None if value is NOTHING else value
        self.given = value is not NOTHING
        self.allowed = allowed
        where = ": ".join(part for part in (self.file, element) if part)
        text = f"{where}: {problem}" if where else problem
        if value is not NOTHING:
            text += f"; got {_short(value)}"
        if allowed:
            text += f"; allowed: {allowed}"
        super().__init__(text)

    def at(self, file: str | Path, element: str | None = None) -> Error:
        """The same error, of the same kind, with the place where it came up: the file, and the
        element of it that asked for what failed."""
        moved = copy.copy(self)
        problem = f"{self.file}: {self.problem}" if self.file else self.problem
        Error.__init__(
            moved,
            problem,
            file=file,
            element=": ".join(part for part in (element, self.element) if part) or None,
            value=self.value if self.given else NOTHING,
            allowed=self.allowed,
        )
        return moved

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[Error], args: tuple[Any, ...], state: dict[str, Any]) -> Error:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class ShapeError(Error):
    """A shape that cannot be: a negative radius, a flat hull, a non-finite size."""


class PoseError(Error):
    """A pose that is none: not finite, not a rigid motion, a quaternion of the wrong length."""


class MeshError(Error):
    """A mesh that cannot be read or used: missing, empty, not finite, indices out of range."""


class RobotError(Error):
    """A URDF, SRDF or xacro file that cannot be read without dropping something."""


class CellError(Error):
    """A cell file or a change to a cell that makes no sense."""


class UnknownNameError(CellError):
    """A name nobody bears; the message offers the nearest known ones.

    Args:
        there: what else to say of what there is.
    """

    def __init__(
        self, name: str, known: Iterable[str], *, what: str = "name", there: str = "", **where: Any
    ) -> None:
        self.name = name
        self.nearest = nearest(name, known)
        hint = ", ".join(repr(n) for n in self.nearest)
        hints = (f"did you mean {hint}?" if hint else "", there)
        super().__init__(
            f"unknown {what} {name!r}", allowed=" ".join(filter(None, hints)) or None, **where
        )


class DuplicateNameError(CellError):
    """A name that is already taken."""


class ConfigurationError(CellError):
    """Joint values that do not fit the cell: wrong length, unknown joint, not finite."""


class MonitorError(Error):
    """A setting of a monitor that makes no sense: a negative buffer, a stop described twice."""


class InterferenceError(Error):
    """Parts that cannot be compared, or a comparison that was asked for wrongly."""


class PredictError(Error):
    """A setting of a predictor that makes no sense: a negative radius, a bound left out."""


class StreamError(Error):
    """A source or a sink that cannot be opened: no such file, no such kind, no such option."""


class PathError(Error):
    """A motion that makes no sense: a jump, times that do not increase, too high a degree."""


class PlanError(Error):
    """A planning problem that makes no sense: a start beyond its limits, no goal at all."""


class CertificateError(Error):
    """A certificate that cannot be read or makes no sense: a missing field, a primitive that is not
    there. (One that reads well and proves nothing is no error: `verify` says so.)"""


class MissingPackageError(Error):
    """An optional package is not installed; the message ends with the command that installs it.

    Args:
        package: its name as people know it.
        install: what pip is to install: an extra, ``standoff[view]``, or the package itself.
        needed: what needs it, as the object of "is needed for".
        where: as for `Error`.
    """

    def __init__(self, package: str, install: str, needed: str, **where: Any) -> None:
        super().__init__(missing_package(package, install, needed), **where)


def reason_of(error: BaseException) -> str:
    """What the system says of an error, without its number and file; else what it says itself."""
    return getattr(error, "strerror", None) or str(error)


def missing_package(package: str, install: str, needed: str) -> str:
    """What to say where a package is missing, in one wording for all of them.

    pip is that of this very Python. Where Standoff is installed it finds ``standoff[view]`` there,
    and gets only what the extra adds.
    """
    command = f"{shlex.quote(sys.executable or 'python')} -m pip install {shlex.quote(install)}"
    return f"{package} is not installed, which is needed for {needed}; get it with: {command}"


class UnsupportedPairError(Error):
    """A pair of shapes that no kernel answers for; both are named."""


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known names most like ``name``, best first; all of them where there are few."""
    names = sorted(set(map(str, known)))
    found = difflib.get_close_matches(str(name), names, n=count, cutoff=0.4)
    return found or (names if len(names) <= count else names[:count])


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except RecursionError:
        text = f"a {type(value).__name__} nested too deeply to show"
    except Exception:
        text = f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= _VALUE_LENGTH else text[: _VALUE_LENGTH - 1] + "…"
