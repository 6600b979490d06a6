"""Kernels called by their address: compiled once, and not into every caller.

Numba puts a copy of a kernel into each kernel that calls it, and optimises it there once more.
Where that would take long, or where few callers need it, the address is handed over instead; the
call itself costs what any other does.

    pair_distance_at = called(PAIR)           # PAIR: the signature that the entry states
    address = address_of("geometry.narrowphase.dispatch.pair_distance")
    status = pair_distance_at(address, ...)   # in a kernel
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from inspect import Parameter, Signature
from typing import Any, cast

from numba.core import types
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic

from standoff.compiled.jit import ENTRIES, INTERPRETED


@cache
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


def called(signature: Any) -> Callable[..., Any]:
    """A function for kernels, ``f(address, ...)``, that calls the entry at an address, which has
    this signature, with the remaining arguments."""
    if INTERPRETED:

        def interpreted(address: int, *arguments: Any) -> Any:
            return list(ENTRIES.values())[address - 1][0](*arguments)

        return interpreted

    arguments, result = normalize_signature(signature)

    def call(typing_context: Any, address: Any, *given: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            convention = context.call_conv
            kind = convention.get_function_type(result, arguments)
            function = builder.inttoptr(values[0], kind.as_pointer())
            _, found = convention.call_function(builder, function, result, arguments, values[1:])
            return found

        return result(types.int64, *arguments), build

    # Numba packs what a starred argument takes into a tuple: each gets a name of its own.
    names = ["typing_context", "address", *(f"given{k}" for k in range(len(arguments)))]
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return cast(Callable[..., Any], intrinsic(call))
