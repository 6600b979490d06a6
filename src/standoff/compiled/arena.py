"""Many tables in two arrays: what a kernel takes without paying for each of them.

Handing an array from Python to a kernel costs 0.05 to 0.1 µs, so that thirty tables would cost more
than a whole cycle. Instead all float64 tables lie in one array and all int64 tables in another; the
head of the latter says where: three numbers a table (first entry, rows, columns), the float64
tables first. `standoff.compiled.arenas` lays them out.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from standoff.compiled.jit import INTERPRETED, spliced

HEAD = 3

if INTERPRETED:

    def table(data, first, rows, columns):
        """``rows`` x ``columns`` numbers of a flat array, from ``first`` on, as a table."""
        return data[first : first + rows * columns].reshape(rows, columns)

else:

    @intrinsic
    def table(typing_context, data, first, rows, columns):
        """``rows`` x ``columns`` numbers of a flat array, from ``first`` on, as a table. The same
        as slicing and reshaping it, for a fifth of the time: nothing can be wrong with a shape that
        was laid out by us."""
        kind = types.Array(data.dtype, 2, "C")
        signature = kind(data, types.int64, types.int64, types.int64)

        def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            flat, first, rows, columns = values
            source = make_array(signature.args[0])(context, builder, flat)
            result = make_array(kind)(context, builder)
            size = context.get_constant(types.intp, 8)
            populate_array(
                result,
                data=builder.gep(source.data, [first]),
                shape=cgutils.pack_array(builder, [rows, columns]),
                strides=cgutils.pack_array(builder, [builder.mul(columns, size), size]),
                itemsize=size,
                meminfo=None,
            )
            return result._getvalue()

        return signature, build


@spliced
def reals(F, W, k):
    """Table ``k`` of the float64 arena ``F``, as its head in ``W`` says."""
    return table(F, W[HEAD * k], W[HEAD * k + 1], W[HEAD * k + 2])


@spliced
def wholes(W, k):
    """Table ``k`` of the int64 arena ``W``."""
    return table(W, W[HEAD * k], W[HEAD * k + 1], W[HEAD * k + 2])


@spliced
def real_rows(F, W, k, columns):
    """`reals` of a table that has so many columns whatever is in it: a row then is found by a shift
    instead of a multiplication, which counts where little else is done with it."""
    return table(F, W[HEAD * k], W[HEAD * k + 1], columns)


@spliced
def whole_rows(W, k, columns):
    """`wholes` of such a table."""
    return table(W, W[HEAD * k], W[HEAD * k + 1], columns)
