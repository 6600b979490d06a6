"""Xacro files, through the optional package ``xacro``."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from standoff.errors import MissingPackageError, RobotError
from standoff.robots import xml


def expand(path: Path) -> bytes:
    """The URDF text that a xacro file expands to.

    Xacro evaluates Python expressions that stand in the file, and reads the files it includes:
    only files whose name ends in ``robots.xacro`` come here, and only such files as one would run.
    The refusal of entities holds for the file itself and for the result, not for included files.

    Raises:
        MissingPackageError: the package ``xacro`` is not installed.
        RobotError: it could not expand the file.
    """
    xml.parse(xml.read_bytes(path), str(path))
    try:
        import xacro
    except ImportError as error:
        raise MissingPackageError("xacro", "xacro", "files with macros", file=path) from error
    messages = io.StringIO()
    try:
        with contextlib.redirect_stderr(messages):
            document = xacro.process_file(str(path))
        return bytes(document.toxml(encoding="utf-8"))
    except (Exception, SystemExit) as error:
        # Whatever an expression in the file raises comes through here, of any type.
        said = " ".join((str(error) or type(error).__name__, messages.getvalue())).strip()
        raise RobotError(f"xacro cannot expand this file: {said}", file=path) from error
