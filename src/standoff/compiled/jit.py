"""The one way a kernel is compiled here, and where its machine code is kept.

Numba's cache notices a change in the file of a function, but not in the files of the functions it
calls. So the machine code of a file lives in a folder named after the content of that file and of
all files of this package that it imports, directly or not: touch one, and what leans on it is
compiled anew. ``NUMBA_CACHE_DIR`` moves the folder, as everywhere.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numba.core.config
from numba.core import types
from numba.extending import register_jitable

#: Numba's settings; typed loosely, as they are made at run time.
_config: Any = numba.core.config

#: Whether kernels are interpreted: there is no machine code then, and so no address.
INTERPRETED: bool = _config.DISABLE_JIT

ROOT = Path(__file__).parent.parent


@functools.cache
def _imported(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """The text of a file, and the files of this package that it imports."""
    text = path.read_bytes()
    found: set[Path] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("standoff"):
            module = ROOT.joinpath(*(node.module or "").split(".")[1:])
            names = [module, *(module / name.name for name in node.names)]
            found.update(file for name in names if (file := name.with_suffix(".py")).exists())
    return text, tuple(sorted(found))


def source_digest(path: Path) -> str:
    """A number for the content of a file and of all that it imports."""
    waiting, seen = [path], {path}
    while waiting:
        for file in _imported(waiting.pop())[1]:
            if file not in seen:
                seen.add(file)
                waiting.append(file)
    digest = hashlib.sha256()
    for file in sorted(seen):
        digest.update(file.name.encode() + _imported(file)[0])
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


#: The folder that holds all machine code.
CACHE_DIR = _cache_root() / "kernels"

#: Kernels that Python calls, with the one signature each is compiled for, by qualified name.
ENTRIES: dict[str, tuple[Any, Any]] = {}


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Lazily, cached, without the GIL, with IEEE division; no fastmath, ever."""
    before = _config.CACHE_DIR
    # Read by Numba while the decorator runs, and only then.
    _config.CACHE_DIR = str(CACHE_DIR / source_digest(Path(function.__code__.co_filename)))
    try:
        dispatcher = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    finally:
        _config.CACHE_DIR = before
    if not INTERPRETED:
        dispatcher.get_call_template = _without_literals(dispatcher.get_call_template)
    return dispatcher


def _without_literals(template: Callable[..., Any]) -> Callable[..., Any]:
    """Numba compiles a kernel once more for each constant it is called with: ``f(w, 3)`` and
    ``f(w, 6)`` are two functions to it, and so is all they call. One is enough."""

    def plain(args: Any, kws: Any) -> Any:
        return template(tuple(map(types.unliteral, args)), kws)

    return plain


def kernel(function: Callable[..., Any]) -> Any:
    """A kernel that allocates nothing, compiled without reference counts. Numba counts every array
    that a function is given, with two atomic operations: 30 ns for three, more than a short kernel
    takes."""
    return _compiled(function, _nrt=False, forceinline=False)


def inlined(function: Callable[..., Any]) -> Any:
    """A `kernel` that becomes part of its caller: for the thin ones that choose another by its
    kind. Handing on an array takes nine words, and three of them 10 ns."""
    return _compiled(function, _nrt=False, forceinline=True)


def spliced(function: Callable[..., Any]) -> Any:
    """A `kernel` whose text becomes part of its caller's before types are known: for the few that
    return a view of an array, which no kernel without reference counts may."""
    return _compiled(function, _nrt=False, inline="always")


def shared(function: Callable[..., Any]) -> Any:
    """A function of a few numbers that Python calls as it is, and kernels as a kernel."""
    return register_jitable(function)


def allocating(function: Callable[..., Any]) -> Any:
    """A kernel that makes arrays of its own; none that runs each cycle is one."""
    return _compiled(function, _nrt=True, forceinline=False)


def entry(
    signature: Any, compiled: Callable[[Callable[..., Any]], Any] = kernel
) -> Callable[[Callable[..., Any]], Any]:
    """A kernel that Python calls, or kernels by its address. ``signature`` is the one set of types
    it is ever called with, as a string or, where views of tables are among them, Numba's own; so
    that ``standoff compile`` can build it before anybody waits for it; ``compiled`` is `kernel`
    or `allocating`."""

    def register(function: Callable[..., Any]) -> Any:
        dispatcher = compiled(function)
        name = f"{function.__module__.removeprefix('standoff.')}.{function.__name__}"
        ENTRIES[name] = (dispatcher, signature)
        return dispatcher

    return register
