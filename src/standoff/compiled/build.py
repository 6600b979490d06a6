"""Compiling every kernel ahead of its first use."""

from __future__ import annotations

import importlib
import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

from numba.core.sigutils import normalize_signature

from standoff.compiled.jit import ENTRIES, kernel_files


def entry_names() -> list[str]:
    """All kernels that Python calls, after importing every module that has one."""
    root = Path(__file__).parent.parent
    for file in kernel_files(root):
        parts = file.relative_to(root).with_suffix("").parts
        importlib.import_module(".".join(("standoff", *parts)))
    return sorted(ENTRIES)


def build(name: str) -> bool:
    """Compile one kernel, or load it; whether it was new."""
    importlib.import_module(f"standoff.{name.rpartition('.')[0]}")
    dispatcher, signature = ENTRIES[name]
    # The types alone, as a call would have it: the cache knows a kernel by what it is given.
    types, _ = normalize_signature(signature)
    dispatcher.compile(types)
    return sum(dispatcher.stats.cache_misses.values()) > 0


def build_all(processes: int = 1) -> Iterator[tuple[str, bool]]:
    """Compile the kernels; yields the name of each as it is ready, and whether it was new.

    In several processes, what two kernels call may be compiled twice: each writes whole files that
    hold the same, and the last one stays.
    """
    names = entry_names()
    if processes == 1:
        for name in names:
            yield name, build(name)
        return
    # Started afresh and not forked: the parent may have threads.
    fresh = multiprocessing.get_context("spawn")
    with _safe_path(), ProcessPoolExecutor(processes, mp_context=fresh) as pool:
        waiting = {pool.submit(build, name): name for name in names}
        for done in as_completed(waiting):
            yield waiting[done], done.result()


@contextmanager
def _safe_path() -> Iterator[None]:
    """Processes that are started meanwhile run no modules of the current folder."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before
