"""Real-time scheduling for a watch: its threads go before whatever else the machine has to do."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

#: In the lower half, below what drivers and the kernel's own threads usually have.
_PRIORITY = 20

_TASKS = Path("/proc/self/task")


def ask_for_realtime() -> str:
    """Have all threads of this process, and those that they start, scheduled first come, first
    served (``SCHED_FIFO``). Returns why that could not be had, empty where it was; the watch goes
    on all the same.

    It takes the right to: root, CAP_SYS_NICE, or an ``rtprio`` limit. The kernel keeps a share of
    the time for others unless it was told not to.
    """
    if not hasattr(os, "SCHED_FIFO") or not _TASKS.is_dir():
        return "this system has none that is known here"
    how = os.sched_param(_PRIORITY)
    try:
        for task in os.listdir(_TASKS):
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.sched_setscheduler(int(task), os.SCHED_FIFO, how)
    except PermissionError:
        return "not permitted; root may, and who has CAP_SYS_NICE or an rtprio limit"
    except OSError as error:
        return error.strerror or str(error)
    return ""


def ordinary(process: int) -> None:
    """A process that was started from a thread like these is scheduled as any other."""
    if hasattr(os, "SCHED_FIFO") and os.sched_getscheduler(0) == os.SCHED_FIFO:
        with suppress(OSError):
            os.sched_setscheduler(process, os.SCHED_OTHER, os.sched_param(0))
