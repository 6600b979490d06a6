"""Compiling every kernel ahead of its first use, but for those of the papers."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager

from numba.core.sigutils import normalize_signature

from standoff.compiled.jit import ENTRIES, ROOT


def entry_names() -> list[str]:
    """All kernels of this package that Python calls, after importing every module that has one.
    Those of the papers' experiments compile when they are run, as do those of tests."""
    files = (
        file for folder in ("kernels", "narrowphase") for file in ROOT.glob(f"*/{folder}/*.py")
    )
    paths = (file.relative_to(ROOT).with_suffix("").parts for file in files)
    modules = {".".join(("standoff", *parts)) for parts in paths if parts[0] != "papers"}
    for module in modules:
        importlib.import_module(module)
    return sorted(name for name, (made, _) in ENTRIES.items() if made.__module__ in modules)


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
    others = multiprocessing.active_children()
    with _safe_path(), ProcessPoolExecutor(processes, fresh, _end_with_parent) as pool:
        waiting = {pool.submit(build, name): name for name in names}
        try:
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        except BaseException:  # an interrupt, mostly: a compile that has begun may take a minute
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                if process not in others:
                    process.terminate()
            raise


def _end_with_parent() -> None:
    """A process that compiles ends once the one that started it is gone, even if that was killed.
    An interrupt is for the parent, which ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


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
