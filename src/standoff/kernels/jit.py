"""The one way a kernel is compiled here, and where its machine code is kept.

Numba's cache notices a change in the file of a function, but not in the files of the functions it
calls. So the machine code lives in a folder named after the content of *all* kernel sources: touch
one, and all are compiled anew, once. ``NUMBA_CACHE_DIR`` moves the folder, as everywhere.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import config


def _source_digest() -> str:
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "standoff"
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "standoff" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "standoff"


#: The folder that holds the machine code of exactly these sources.
CACHE_DIR = _cache_root() / f"kernels-{_source_digest()}"

#: Kernels that Python calls, with the one signature each is compiled for, by qualified name.
ENTRIES: dict[str, tuple[Any, str]] = {}


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Lazily, cached, without the GIL, with IEEE division; no fastmath, ever."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(CACHE_DIR)  # read by Numba while the decorator runs, and only then
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    finally:
        config.CACHE_DIR = before


def kernel(function: Callable[..., Any]) -> Any:
    """A compiled function that may do whatever a compiled function can."""
    return _compiled(function)


def lean(function: Callable[..., Any]) -> Any:
    """A kernel that allocates nothing, compiled without reference counts. Numba counts every array
    that a function is given, with two atomic operations: 30 ns for three, more than a short kernel
    takes. What it calls inherits this, so nothing below it may allocate."""
    return _compiled(function, _nrt=False, forceinline=False)


def inlined(function: Callable[..., Any]) -> Any:
    """A `lean` kernel that becomes part of its caller: for short ones that are given arrays.
    Handing on an array takes nine words, and three of them 5 ns. It calls nothing but lean and
    inlined kernels, for others would inherit the inlining."""
    return _compiled(function, _nrt=False, forceinline=True)


def entry(
    signature: str, compiled: Callable[[Callable[..., Any]], Any] = kernel
) -> Callable[[Callable[..., Any]], Any]:
    """A kernel that Python calls. ``signature`` is the one set of types it is ever called with,
    so that ``standoff compile`` can build it before anybody waits for it; ``compiled`` is `kernel`
    or `lean`."""

    def register(function: Callable[..., Any]) -> Any:
        dispatcher = compiled(function)
        name = f"{function.__module__.removeprefix('standoff.kernels.')}.{function.__name__}"
        ENTRIES[name] = (dispatcher, signature)
        return dispatcher

    return register
