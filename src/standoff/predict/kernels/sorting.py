"""The most urgent pairs first, by deadline: repeated medians, in time proportional to the pairs, or
all in order.
"""

from __future__ import annotations

from standoff.compiled.jit import inlined, kernel


@inlined
def copy(pair, to):
    to.a, to.b, to.deadline = pair.a, pair.b, pair.deadline


@kernel
def partial_sort(rows, count, buckets):
    """Order the first ``count`` rows so that no deadline in a bucket comes after one in a later
    bucket. The order within a bucket is left as it falls. The last bucket is cut off first: with
    sizes in a geometric series the parts that are left shrink alike, and the whole is O(rows)
    (paper 004, 7.3)."""
    for i in range(len(buckets) - 1, 0, -1):
        if buckets[i].first < count:
            select(rows, count, buckets[i].first)
            count = buckets[i].first


@kernel
def select(rows, count, k):
    """Order the first ``count`` rows so that those before ``k`` are no later than those from
    ``k`` on. Quickselect; should the pivots be bad too often, they are taken from the middle of
    the range of values, which halves at most 62 times, so that time is linear whatever comes."""
    low, high = 0, count - 1
    patience = 8
    size = count
    while size > 0:
        patience += 2
        size >>= 1
    while low < high:
        if patience > 0:
            pivot = sampled(rows, low, high)
        else:
            pivot = middle(rows, low, high)
        patience -= 1
        i, j = low, high
        while i <= j:
            while rows[i].deadline < pivot:
                i += 1
            while rows[j].deadline > pivot:
                j -= 1
            if i <= j:
                swap(rows, i, j)
                i += 1
                j -= 1
        # All of low..j <= pivot <= all of i..high, and what lies between equals the pivot.
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            return


@kernel
def sampled(rows, low, high):
    """The median of nine, or of three where there are few; one of the values."""
    step = (high - low) // 8
    mid = (low + high) // 2
    if step < 8:
        return median(rows[low].deadline, rows[mid].deadline, rows[high].deadline)
    return median(
        median(rows[low].deadline, rows[low + step].deadline, rows[low + 2 * step].deadline),
        median(rows[mid - step].deadline, rows[mid].deadline, rows[mid + step].deadline),
        median(rows[high - 2 * step].deadline, rows[high - step].deadline, rows[high].deadline),
    )


@inlined
def median(a, b, c):
    return max(min(a, b), min(max(a, b), c))


@kernel
def middle(rows, low, high):
    """The value half way from the smallest to the largest; at least one row is no smaller and one
    no larger, so that a partition with it ends within the rows."""
    least = most = rows[low].deadline
    for i in range(low + 1, high + 1):
        least = min(least, rows[i].deadline)
        most = max(most, rows[i].deadline)
    return least + (most - least) // 2


@inlined
def swap(rows, i, j):
    p, q = rows[i], rows[j]
    a, b, deadline = p.a, p.b, p.deadline
    copy(q, p)
    q.a, q.b, q.deadline = a, b, deadline


@inlined
def insertion_sort(rows, count):
    """Order the first ``count`` rows by deadline, those with the same deadline as they came."""
    for i in range(1, count):
        a, b, deadline = rows[i].a, rows[i].b, rows[i].deadline
        j = i
        while j > 0 and rows[j - 1].deadline > deadline:
            copy(rows[j - 1], rows[j])
            j -= 1
        rows[j].a, rows[j].b, rows[j].deadline = a, b, deadline
