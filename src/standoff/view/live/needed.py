"""What the page needs, and how to get it."""

from __future__ import annotations

from importlib.util import find_spec

from standoff.errors import MissingPackageError


def need_viser() -> None:
    """Raises:
    MissingPackageError: viser is not installed; says how to install it.
    """
    if find_spec("viser") is None:
        raise MissingPackageError("viser", "standoff[view]", "the live page")
