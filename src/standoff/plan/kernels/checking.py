"""`check_segments` and `search` called by their addresses, so that growing does not compile the
checker again.
"""

from __future__ import annotations

from standoff.compiled.by_address import address_of, called
from standoff.paths.kernels.search import CHECK, SEARCH

check_at, search_at = called(CHECK), called(SEARCH)


def address(name: str = "paths.kernels.search.check_segments") -> int:
    """Where the machine code of `check_segments`, or of another entry, is; it is compiled if need
    be."""
    return address_of(name)


def compile_for(entry: str) -> None:
    """Compile what a search by ``entry`` needs: done before the clock starts."""
    for name in ("paths.kernels.search.check_segments", "paths.kernels.search.search", entry):
        address(name)
