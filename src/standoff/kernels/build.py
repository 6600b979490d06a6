"""Compiling every kernel ahead of its first use."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from numba.core.sigutils import normalize_signature

import standoff.kernels
from standoff.kernels.jit import ENTRIES


def entry_names() -> list[str]:
    """All kernels that Python calls, after importing every module that has one."""
    for module in pkgutil.walk_packages(standoff.kernels.__path__, "standoff.kernels."):
        importlib.import_module(module.name)
    return sorted(ENTRIES)


def build_all() -> Iterator[tuple[str, bool]]:
    """Compile the kernels one by one; yields the name of each and whether it was new."""
    for name in entry_names():
        dispatcher, signature = ENTRIES[name]
        # The types alone, as a call would have it: the cache knows a kernel by what it is given.
        types, _ = normalize_signature(signature)
        dispatcher.compile(types)
        yield name, sum(dispatcher.stats.cache_misses.values()) > 0
