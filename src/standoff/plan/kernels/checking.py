"""`check_segments` and `search` called by their addresses, so that growing does not compile the
checker again.
"""

from __future__ import annotations

from functools import cache

from numba.core import types
from numba.extending import intrinsic

from standoff.compiled.by_address import INTERPRETED, address_of, call_at
from standoff.paths.kernels.search import check_segments, search


@cache
def address(name: str = "paths.kernels.search.check_segments") -> int:
    """Where the machine code of `check_segments`, or of another entry, is; it is compiled if need
    be. 0 if interpreted."""
    return 0 if INTERPRETED else address_of(name)


def compile_for(entry: str) -> None:
    """Compile what a search by ``entry`` needs: done before the clock starts."""
    for name in ("paths.kernels.search.check_segments", "paths.kernels.search.search", entry):
        address(name)


if INTERPRETED:

    def check_at(address, *arguments):
        """`check_segments`, interpreted."""
        return check_segments(*arguments)

    def search_at(address, *arguments):
        """`search`, interpreted."""
        return search(*arguments)

else:

    @intrinsic
    def check_at(
        typing_context, address, stepper, general, CF, CW, SF, SW, A, B, none, budget, first, last,
        kinds,
    ):  # fmt: skip
        """``check_at(address, ...)``: `check_segments` of the remaining arguments."""
        whole = types.int64
        return call_at(
            whole, (whole, whole, CF, CW, SF, SW, A, B, none, whole, whole, whole, kinds)
        )

    @intrinsic
    def search_at(
        typing_context, address, stepper, general, CF, CW, SF, SW, pieces, glides, rounding, fresh
    ):
        """``search_at(address, ...)``: `search` of the remaining arguments."""
        whole = types.int64
        return call_at(whole, (whole, whole, CF, CW, SF, SW, pieces, glides, rounding, whole))
