"""`greedy_pair` and `nested_pair` called by their address, as `pairs.general` does: compiled once,
and not into the path checker's own kernels, which are needed without meshes as well.
"""

from __future__ import annotations

from numba.core import types
from numba.extending import intrinsic

from standoff.compiled.by_address import INTERPRETED, address_of, call_at
from standoff.geometry.narrowphase.greedy_pair import greedy_pair, nested_pair


def greedy_address() -> int:
    """Where the machine code of `greedy_pair` is, compiling it if need be; 0 if interpreted."""
    return 0 if INTERPRETED else address_of("geometry.narrowphase.greedy_pair.greedy_pair")


def nested_address() -> int:
    """The same for `nested_pair`."""
    return 0 if INTERPRETED else address_of("geometry.narrowphase.greedy_pair.nested_pair")


if INTERPRETED:

    def call_greedy(address, *arguments):
        """`greedy_pair`, interpreted."""
        return greedy_pair(*arguments)

    def call_nested(address, *arguments):
        """`nested_pair`, interpreted."""
        return nested_pair(*arguments)

else:

    @intrinsic
    def call_greedy(
        typing_context, address, general, A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB,
        delta, wanted, effort, work, iwork, out, k,
    ):  # fmt: skip
        """``call_greedy(address, ...)``: `greedy_pair` of the remaining arguments."""
        number, real = types.int64, types.float64
        arguments = (
            number, A, RA, number, PA, FA, NA, IA, B, RB, number, PB, FB, NB, IB,
            real, real, number, work, iwork, out, number,
        )  # fmt: skip
        return call_at(number, arguments)

    @intrinsic
    def call_nested(
        typing_context, address, A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB, work, iwork
    ):
        """``call_nested(address, ...)``: `nested_pair` of the remaining arguments."""
        number = types.int64
        arguments = (
            A, RA, number, PA, FA, NA, IA, B, RB, number, PB, FB, NB, IB, work, iwork
        )  # fmt: skip
        return call_at(types.boolean, arguments)
