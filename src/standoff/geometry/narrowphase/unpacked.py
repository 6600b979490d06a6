"""Pair kernels for callers that keep bodies in arrays of their own, not yet in `Bodies`.

The names are those of `dispatch` and `batch`. Arrays become views of sets on the way, whose heads
stand on the stack: a view must not outlive the kernel that made it.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, cast

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from standoff.compiled.jit import INTERPRETED, entry, inlined, kernel
from standoff.compiled.tables import Tables
from standoff.geometry.narrowphase.batch import distances_of
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch, Solids
from standoff.geometry.narrowphase.dispatch import IWORK, WORK, analytic_pair
from standoff.geometry.narrowphase.dispatch import closed_form as _closed_form
from standoff.geometry.narrowphase.dispatch import general_pair as _general_pair
from standoff.geometry.narrowphase.layout import KIND, MESH, POINTS, POLYHEDRON, is_analytic


def packer(of: type[Tables], *only: str) -> Callable[..., Any]:
    """A function for kernels that makes a view of a set from its tables, in their order, or from
    ``only`` some; the others may not be looked at."""
    names = only or tuple(of.declared)
    if INTERPRETED:
        return lambda *given: of(**dict(zip(names, given)))

    every = of.numba_type.kinds
    kinds = [every[name] for name in names]

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

    return _intrinsic(pack, len(kinds))


def _intrinsic(pack: Callable[..., Any], count: int) -> Callable[..., Any]:
    names = ("typing_context", *(f"given{k}" for k in range(count)))
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    pack.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return cast(Callable[..., Any], intrinsic(pack))


class Carver:
    """Sets like ``example``, which has ``work`` and ``iwork`` in it, laid out in two such arrays.

    Attributes:
        view: a function for kernels that makes a view of such a set from the two arrays.
        work, iwork: how long they have to be.
    """

    def __init__(self, example: Tables) -> None:
        self.work = self.iwork = 0
        self._places: dict[int, tuple[bool, int]] = {}
        self._lay(example)
        of = type(example)
        if INTERPRETED:
            self.view: Callable[..., Any] = lambda work, iwork: of()
            return

        def pack(typing_context: Any, *given: Any) -> Any:
            def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
                word = context.get_value_type(types.int64)
                arrays = [
                    make_array(kind)(context, builder, value)
                    for kind, value in zip(signature.args, values)
                ]
                bases = [builder.ptrtoint(array.data, word) for array in arrays]
                head = self._head(builder, word, bases, example)
                return builder.bitcast(head, context.get_value_type(signature.return_type))

            return of.numba_type(types.float64[::1], types.int64[::1]), build

        self.view = _intrinsic(pack, 2)

    def _lay(self, tables: Tables) -> None:
        """A place for each array; those that share memory share their place."""
        for array in tables.arrays.values():
            if isinstance(array, Tables):
                self._lay(array)
            elif array.size and array.ctypes.data not in self._places:
                whole, count = array.dtype == np.int64, array.nbytes // 8
                self._places[array.ctypes.data] = whole, self.iwork if whole else self.work
                self.iwork, self.work = (
                    self.iwork + count * whole, self.work + count * (not whole)
                )  # fmt: skip

    def _head(self, builder: Any, word: Any, bases: list[Any], tables: Tables) -> Any:
        declared = list(tables.declared)
        head = cgutils.alloca_once(builder, word, size=3 * len(declared), zfill=True)
        for name, array in tables.arrays.items():
            at = 3 * declared.index(name)
            if isinstance(array, Tables):
                nested = self._head(builder, word, bases, array)
                words = [builder.ptrtoint(nested, word)]
            else:
                whole, offset = self._places.get(array.ctypes.data, (False, 0))
                words = [builder.add(bases[int(whole)], word(8 * offset))]
                words += [word(size) for size in array.shape]
            for w, stored in enumerate(words):
                builder.store(stored, cgutils.gep_inbounds(builder, head, at + w))
        return head


bodies_of, solids_of, points_of = packer(Bodies), packer(Solids), packer(Solids, "points")

_pair_room = Carver(PairScratch())
scratch_of = _pair_room.view
assert _pair_room.work <= WORK and _pair_room.iwork <= IWORK


@kernel
def _clean(pair):
    """What is there from the start in a `MeshPair`."""
    for k in range(16):
        one = 1.0 if k in (0, 5, 10) else 0.0
        pair.triangle.rows[0, k] = pair.point.rows[0, k] = one
    for k in range(8):
        pair.triangle.refs[0, k] = pair.point.refs[0, k] = 0
    pair.triangle.refs[0, KIND] = pair.point.refs[0, KIND] = POLYHEDRON
    pair.triangle.refs[0, POINTS], pair.point.refs[0, POINTS] = 3, 1


@inlined
def closed_form(A, RA, i, PA, B, RB, j, PB, out, k):
    """`dispatch.closed_form` of arrays."""
    if is_analytic(RA[i, KIND]) and is_analytic(RB[j, KIND]):
        analytic_pair(A, RA[i, KIND], i, B, RB[j, KIND], j, out, k)
        return True
    first, second = bodies_of(A, RA, points_of(PA)), bodies_of(B, RB, points_of(PB))
    return _closed_form(first, i, second, j, out, k)


@inlined
def general_pair(
    address, A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB, work, iwork, out, k
):  # fmt: skip
    """`dispatch.general_pair` of arrays."""
    first = bodies_of(A, RA, solids_of(PA, FA, NA, IA))
    second = bodies_of(B, RB, solids_of(PB, FB, NB, IB))
    scratch = scratch_of(work, iwork)
    if RA[i, KIND] == MESH or RB[j, KIND] == MESH:
        _clean(scratch.mesh)
    return _general_pair(address, first, i, second, j, scratch, out, k)


@entry(
    "int64(int64, float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], "
    "float64[:, ::1], int64[::1], int64[:, ::1], float64[::1], int64[::1], float64[:, ::1])"
)
def distances(general, rows, refs, points, faces, nodes, ints, pairs, work, iwork, out):
    """`batch.distances` of arrays."""
    bodies = bodies_of(rows, refs, solids_of(points, faces, nodes, ints))
    scratch = scratch_of(work, iwork)
    _clean(scratch.mesh)
    return distances_of(general, bodies, pairs, scratch, out)
