"""Kernels called by their address: compiled once, and not into every caller.

Numba puts a copy of a kernel into each kernel that calls it, and optimises it there once more.
Where that would take long, or where few callers need it, the address is handed over instead; the
call itself costs what any other does.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numba.core.config
from numba.core import types

from standoff.compiled.jit import ENTRIES

_config: Any = numba.core.config

#: Whether kernels are interpreted: there is no machine code, and so no address, then.
INTERPRETED: bool = _config.DISABLE_JIT


def address_of(name: str) -> int:
    """Where the machine code of an entry is, compiling it if need be; not 0. Where kernels are
    interpreted, its number among the entries, from 1."""
    importlib.import_module(f"standoff.{name.rpartition('.')[0]}")
    if INTERPRETED:
        return 1 + list(ENTRIES).index(name)
    dispatcher, signature = ENTRIES[name]
    dispatcher.compile(signature)
    (compiled,) = dispatcher.overloads.values()
    found: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return found


def interpreted_at(address: int) -> Callable[..., Any]:
    """The function behind an address of `address_of` where kernels are interpreted."""
    function: Callable[..., Any] = list(ENTRIES.values())[address - 1][0]
    return function


def call_at(result: Any, arguments: tuple[Any, ...]) -> tuple[Any, Callable[..., Any]]:
    """Signature and body of an intrinsic ``f(address, ...)`` that calls what is there with the
    remaining arguments."""

    def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        convention = context.call_conv
        kind = convention.get_function_type(result, arguments)
        function = builder.inttoptr(values[0], kind.as_pointer())
        _, found = convention.call_function(builder, function, result, arguments, values[1:])
        return found

    return result(types.int64, *arguments), call
