"""Real-time scheduling for a watch: its threads go before whatever else the machine has to do, and
the processors stay awake meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from standoff.errors import reason_of

#: In the lower half, below what drivers and the kernel's own threads usually have.
_PRIORITY = 20

_TASKS = Path("/proc/self/task")

#: Linux: while this is open, no processor takes longer to wake up than what was written to it, in
#: microseconds as four bytes. With 0 an idle one polls instead of going to sleep.
_LATENCY = Path("/dev/cpu_dma_latency")
_AT_ONCE = bytes(4)

_WHO = "root may, and who was given the right to"


@contextmanager
def in_real_time() -> Iterator[list[str]]:
    """Ask for both; yields what could not be had and why, one sentence each. The watch goes on all
    the same.

    All threads of this process, and those that they start, are scheduled first come, first served
    (``SCHED_FIFO``), which takes root, CAP_SYS_NICE or an ``rtprio`` limit; the kernel keeps a
    share of the time for others unless it was told not to. A message that comes after a pause
    finds processors that are awake and caches that are warm, for which they take as much power as
    at work.
    """
    refused = [f"no real-time scheduling: {why}" for why in (_scheduled(),) if why]
    try:
        file = os.open(_LATENCY, os.O_WRONLY | getattr(os, "O_CLOEXEC", 0))
        os.write(file, _AT_ONCE)
    except OSError as error:
        why = _WHO if isinstance(error, PermissionError) else reason_of(error)
        yield [*refused, f"processors may go to sleep between messages: {_LATENCY}: {why}"]
        return
    try:
        yield refused
    finally:
        os.close(file)


def _scheduled() -> str:
    """Why it could not be had, empty where it was."""
    if not hasattr(os, "SCHED_FIFO") or not _TASKS.is_dir():
        return "this system has none that is known here"
    how = os.sched_param(_PRIORITY)
    try:
        for task in os.listdir(_TASKS):
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.sched_setscheduler(int(task), os.SCHED_FIFO, how)
    except PermissionError:
        return f"not permitted; {_WHO} (CAP_SYS_NICE, an rtprio limit)"
    except OSError as error:
        return reason_of(error)
    return ""


def ordinary(process: int) -> None:
    """A process that was started from a thread like these is scheduled as any other."""
    if hasattr(os, "SCHED_FIFO") and os.sched_getscheduler(0) == os.SCHED_FIFO:
        with suppress(OSError):
            os.sched_setscheduler(process, os.SCHED_OTHER, os.sched_param(0))
