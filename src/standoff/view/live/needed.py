"""What the page needs, and how to get it."""

from __future__ import annotations

from importlib.util import find_spec

from standoff.errors import Error

INSTALL = 'pip install "standoff[view]"'


def need_viser() -> None:
    """Raises:
    Error: viser is not installed; says how to install it.
    """
    if find_spec("viser") is None:
        raise Error("the live page needs viser, which is not installed", allowed=INSTALL)
