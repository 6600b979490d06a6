"""Tables of an arena by their number, as `compiled.arena.real_rows` and `whole_rows` give them.

Those become part of their caller's text, and each takes the compiler some 20 ms. The kernels here
are many and small and ask for several tables each; as intrinsics they compile in half the time.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from standoff.compiled.arena import HEAD, table
from standoff.compiled.jit import INTERPRETED

if INTERPRETED:

    def real_rows(F, W, k, columns):
        """Table ``k`` of the float64 arena ``F``, which has so many columns."""
        return table(F, W[HEAD * k], W[HEAD * k + 1], columns)

    def whole_rows(W, k, columns):
        """Table ``k`` of the int64 arena ``W``, which has so many columns."""
        return table(W, W[HEAD * k], W[HEAD * k + 1], columns)

else:

    def _build(kind: Any, data: int, heads: int) -> Any:
        """The code of ``f(..., number, columns)``: ``data`` and ``heads`` say which arguments are
        the arena and the one that holds the heads."""

        def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            arena = make_array(signature.args[data])(context, builder, values[data])
            words = make_array(signature.args[heads])(context, builder, values[heads])
            number, columns = values[-2], values[-1]
            size = context.get_constant(types.intp, 8)
            at = builder.mul(number, context.get_constant(types.int64, HEAD))
            first = builder.load(builder.gep(words.data, [at]))
            next_ = builder.add(at, context.get_constant(types.int64, 1))
            rows = builder.load(builder.gep(words.data, [next_]))
            result = make_array(kind)(context, builder)
            populate_array(
                result,
                data=builder.gep(arena.data, [first]),
                shape=cgutils.pack_array(builder, [rows, columns]),
                strides=cgutils.pack_array(builder, [builder.mul(columns, size), size]),
                itemsize=size,
                meminfo=None,
            )
            return result._getvalue()

        return build

    @intrinsic
    def real_rows(typing_context, F, W, k, columns):
        """Table ``k`` of the float64 arena ``F``, which has so many columns."""
        kind = types.Array(F.dtype, 2, "C")
        return kind(F, W, types.int64, types.int64), _build(kind, 0, 1)

    @intrinsic
    def whole_rows(typing_context, W, k, columns):
        """Table ``k`` of the int64 arena ``W``, which has so many columns."""
        kind = types.Array(W.dtype, 2, "C")
        return kind(W, types.int64, types.int64), _build(kind, 0, 0)
