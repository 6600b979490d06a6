"""Public names that are imported when they are first used, so that ``import standoff`` costs
nothing.

A package writes each of them once, as an import that type checkers and editors read:

    if TYPE_CHECKING:
        from standoff.cell.cell import Cell as Cell

    __getattr__, __dir__, __all__ = lazy(__name__, __file__)
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def names(file: str | Path) -> dict[str, str]:
    """The public names of a package, by its ``__init__.py``, and the module that each is from;
    the package itself where the name is a module of it."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = (node for node in block.body if isinstance(node, ast.ImportFrom))
    return {alias.name: node.module or "" for node in imports for alias in node.names}


def lazy(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package."""
    home = names(file)

    def find(name: str) -> Any:
        module = home.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if module == package:
            value: Any = import_module(f"{package}.{name}")
        else:
            value = getattr(import_module(module), name)
        setattr(sys.modules[package], name, value)
        if "numba" in sys.modules:
            import_module("standoff.compiled.first_compile")
        return value

    return find, lambda: sorted(home), sorted(home)
