"""Views of sets made from arrays inside a kernel. The heads stand on the stack: a view must not
outlive the kernel that made it."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, cast

from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from standoff.compiled.jit import INTERPRETED
from standoff.compiled.tables import Record, Tables
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch, Solids


def packer(of: type[Tables], *only: str) -> Callable[..., Any]:
    """A function for kernels that makes a view of a set from its tables, in their order, or from
    ``only`` some; the others may not be looked at. A record is given as an array of float64 that
    has room for it."""
    names = only or tuple(of.declared)
    if INTERPRETED:

        def packed(*given: Any) -> Any:
            tables = of()
            for name, value in zip(names, given):
                if isinstance(of.declared[name], Record):
                    kind = of.declared[name].dtype
                    value = value[: kind.itemsize // 8].view(kind)
                tables.put(name, value)
            return tables

        return packed

    every = of.numba_type.kinds
    kinds = [
        types.float64[::1] if isinstance(every[name], types.Record) else every[name]
        for name in names
    ]

    def pack(typing_context: Any, *given: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            word = context.get_value_type(types.int64)
            head = cgutils.alloca_once(builder, word, size=3 * len(every))
            for name, kind, value in zip(names, kinds, values):
                words = [value]
                if isinstance(kind, types.Array):
                    array = make_array(kind)(context, builder, value)
                    words = [array.data, *cgutils.unpack_tuple(builder, array.shape)]
                words[0] = builder.ptrtoint(words[0], word)
                at = 3 * list(every).index(name)
                for w, stored in enumerate(words):
                    builder.store(stored, cgutils.gep_inbounds(builder, head, at + w))
            return builder.bitcast(head, context.get_value_type(signature.return_type))

        return of.numba_type(*kinds), build

    parameters = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD)
        for name in ("typing_context", *(f"given{k}" for k in range(len(kinds))))
    ]
    pack.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return cast(Callable[..., Any], intrinsic(pack))


bodies_of, solids_of, points_of = packer(Bodies), packer(Solids), packer(Solids, "points")
scratch_of = packer(PairScratch)
