"""`check_segments` called by its address, so that growing does not compile the checker again."""

from __future__ import annotations

from numba.core import types
from numba.extending import intrinsic

from standoff.kernels.by_address import INTERPRETED, address_of, call_at
from standoff.kernels.paths.batch import check_segments


def address() -> int:
    """Where the machine code of `check_segments` is, compiling it if need be; 0 if interpreted."""
    return 0 if INTERPRETED else address_of("paths.batch.check_segments")


if INTERPRETED:

    def check_at(address, *arguments):
        """`check_segments`, interpreted."""
        return check_segments(*arguments)

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
