"""Interference between parts: planar projections, region octrees, and the exact answer.

The package has the name of its function, and is called as it: ``standoff.interference(parts)`` is
`standoff.interference.compare.interference`.
"""

import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    """Importing any module of the package makes ``standoff.interference`` the package."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """`standoff.interference.compare.interference`."""
        from standoff.interference.compare import interference

        return interference(*arguments, **options)


sys.modules[__name__].__class__ = _CallablePackage
