"""Steps of a cycle that are called by their address: compiled for those only who ask for them.

What certifies the motion between two readings would make up half of the time that a cycle takes to
compile. Called as `kernels.pairs.general` calls `pair_distance`, it costs nothing to a monitor that
looks at the instants alone.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import intrinsic

from standoff.kernels.jit import ENTRIES
from standoff.kernels.pairs.general import DISABLE_JIT

#: The one signature of all steps: general, F, W, XF, XW, dt; see `kernels.monitor.cycle`.
STEP = "float64(int64, float64[::1], int64[::1], float64[::1], int64[::1], float64)"


def address(name: str) -> int:
    """Where the machine code of a step is, compiling it if need be; not 0, even if interpreted:
    its place among the entries then."""
    if DISABLE_JIT:
        return 1 + list(ENTRIES).index(name)
    dispatcher, signature = ENTRIES[name]
    dispatcher.compile(signature)
    (compiled,) = dispatcher.overloads.values()
    found: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return found


if DISABLE_JIT:

    def take_step(address, *arguments):
        """The step at an address, interpreted."""
        function, _ = list(ENTRIES.values())[address - 1]
        return function(*arguments)

else:

    @intrinsic
    def take_step(typing_context, address, general, F, W, XF, XW, dt):
        """``take_step(address, ...)``: the step at an address with the remaining arguments."""
        arguments = (types.int64, F, W, XF, XW, types.float64)

        def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            convention = context.call_conv
            kind = convention.get_function_type(types.float64, arguments)
            function = builder.inttoptr(values[0], kind.as_pointer())
            _, result = convention.call_function(
                builder, function, types.float64, arguments, values[1:]
            )
            return result

        return types.float64(types.int64, *arguments), call
