"""Many tables in two arrays: what a kernel takes without paying for each of them.

Handing an array from Python to a kernel costs 0.05 to 0.1 µs, so that thirty tables would cost more
than a whole cycle. Instead all float64 tables lie in one array and all int64 tables in another; the
head of the latter says where: three numbers a table (first entry, rows, columns), the float64
tables first. `standoff.index.arena` lays them out.
"""

from __future__ import annotations

from standoff.kernels.jit import spliced

HEAD = 3


@spliced
def reals(F, W, k):
    """Table ``k`` of the float64 arena ``F``, as its head in ``W`` says."""
    first, rows, columns = W[HEAD * k], W[HEAD * k + 1], W[HEAD * k + 2]
    return F[first : first + rows * columns].reshape(rows, columns)


@spliced
def wholes(W, k):
    """Table ``k`` of the int64 arena ``W``."""
    first, rows, columns = W[HEAD * k], W[HEAD * k + 1], W[HEAD * k + 2]
    return W[first : first + rows * columns].reshape(rows, columns)
