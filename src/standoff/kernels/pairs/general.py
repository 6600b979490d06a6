"""`pair_distance` called by its address, so that it is compiled once and not into every caller.

All that GJK, the expanding polytope and the meshes need makes half a minute of compiling, and Numba
puts a copy of it into each kernel that calls it. Through an address it is one function for all: a
caller compiles in a second, and a cell without cylinders, polyhedra and meshes never builds it.
The call itself costs what any other does.
"""

from __future__ import annotations

from typing import Any

import numba.core.config
from numba.core import types
from numba.extending import intrinsic

from standoff.kernels.jit import ENTRIES
from standoff.kernels.pairs.dispatch import pair_distance

#: Whether kernels are interpreted; typed loosely, as Numba makes its settings at run time.
_config: Any = numba.core.config
DISABLE_JIT: bool = _config.DISABLE_JIT


def address() -> int:
    """Where the machine code of `pair_distance` is, compiling it if need be; 0 if interpreted."""
    if DISABLE_JIT:
        return 0
    dispatcher, signature = ENTRIES["pairs.dispatch.pair_distance"]
    dispatcher.compile(signature)
    (compiled,) = dispatcher.overloads.values()
    found: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return found


if DISABLE_JIT:

    def general_pair(address, *arguments):
        """`pair_distance`, interpreted."""
        return pair_distance(*arguments)

else:

    @intrinsic
    def general_pair(
        typing_context, address, A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB, work, iwork,
        out, k,
    ):  # fmt: skip
        """``general_pair(address, ...)``: `pair_distance` of the remaining arguments."""
        number = types.int64
        arguments = (
            A, RA, number, PA, FA, NA, IA, B, RB, number, PB, FB, NB, IB, work, iwork, out, number
        )  # fmt: skip

        def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            convention = context.call_conv
            kind = convention.get_function_type(number, arguments)
            function = builder.inttoptr(values[0], kind.as_pointer())
            _, result = convention.call_function(builder, function, number, arguments, values[1:])
            return result

        return number(number, *arguments), call
