"""A command that is run when the watch first warns."""

from __future__ import annotations

import math
import os
import shlex
import shutil
import subprocess
import threading

from standoff.errors import StreamError, reason_of
from standoff.streams.realtime import ordinary
from standoff.streams.report import Report, State
from standoff.streams.shown import shown

#: How long the end of a watch waits for its command, to tell whether that failed, [s].
COMMAND_MOMENT = 1.0

#: How long a cell must have been SAFE before the next warning runs the command again, [s]: one
#: encounter that flickers about its threshold is one.
REARM_AFTER = 10.0


class OnWarning:
    """A sink that starts a command at the first warning, and again at the first one after the cell
    was SAFE for a while, so that one encounter is one run and a watch of days has more than one.

    The text is split as a shell would split it, and no shell sees it: no variables, pipes or
    wildcards. The command gets nothing on its standard input, writes to the standard error of the
    watch, and finds in its environment ``STANDOFF_TIME``, ``STANDOFF_STATE``, ``STANDOFF_A``,
    ``STANDOFF_B`` and ``STANDOFF_DISTANCE`` of the nearest pair. Nobody waits for it: it goes on
    when the watch ends. While one run lasts no other is started; a warning that comes then starts
    it as soon as the run is over, if it still holds.

    A command that cannot be started, or ends with anything but 0, is an error of the next `put`:
    a fault of the watch, as somebody relies on it.

    Attributes:
        runs: how often it was started.
        pid: of the last run; None before there was one.

    Args:
        command: program and arguments.
        again_after: how long the cell must have been SAFE before a warning counts as new, [s].

    Raises:
        StreamError: empty, an open quote, or no such program.
    """

    def __init__(self, command: str, *, again_after: float = REARM_AFTER) -> None:
        self.name = f"on-warning:{command}"
        self.again_after = again_after
        self.runs = 0
        self.pid: int | None = None
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise StreamError(
                f"cannot be split: {error}", element="--on-warning", value=command
            ) from error
        if not self._arguments:
            raise StreamError("no command", element="--on-warning", value=command)
        if "\0" in command or shutil.which(self._arguments[0]) is None:
            raise StreamError(
                "no such program", element="--on-warning", value=self._arguments[0],
                allowed="an executable file, by its path or found through PATH",
            )  # fmt: skip
        self._armed = True
        self._safe_since = math.nan
        self._running: threading.Thread | None = None
        self._failure: str | None = None

    def put(self, report: Report) -> None:
        """Start the command if this is what it waits for.

        Raises:
            StreamError: it could not be started, or the last run failed.
        """
        self._arm(report)
        busy = self._running is not None and self._running.is_alive()
        if self._armed and not busy and _warns(report):
            self._armed = False
            self._start(report)
        self._raise_failure()

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """A run that is under way goes on by itself, if it takes longer than a moment.

        Raises:
            StreamError: it could not be started, or the last run failed.
        """
        if self._running is not None:
            self._running.join(COMMAND_MOMENT)
        self._raise_failure()

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise StreamError(failure, element=self.name)

    def _arm(self, report: Report) -> None:
        if report.state is not State.SAFE:
            self._safe_since = math.nan
        elif math.isnan(self._safe_since):
            self._safe_since = report.time
        elif report.time - self._safe_since >= self.again_after:
            self._armed = True

    def _start(self, report: Report) -> None:
        try:
            process = subprocess.Popen(
                self._arguments,
                stdin=subprocess.DEVNULL,
                stdout=2,  # standard output may be a stream of reports
                env={**os.environ, **_environment(report)},
                start_new_session=True,  # Ctrl-C ends the watch, not this
            )
        except OSError as error:
            self._failure = f"could not be started: {reason_of(error)}"
            return
        ordinary(process.pid)
        self.runs += 1
        self.pid = process.pid
        # A thread that waits for it, so that no zombie is left however long the watch goes on.
        self._running = threading.Thread(target=self._reap, args=(process,), daemon=True)
        self._running.start()

    def _reap(self, process: subprocess.Popen[bytes]) -> None:
        status = process.wait()
        if status > 0:
            self._failure = f"ended with status {status}"
        elif status < 0:
            self._failure = f"was ended by signal {-status}"


def _warns(report: Report) -> bool:
    """A fault that is worse hides no warning."""
    if report.cycle is not None and report.cycle.warnings:
        return True
    return any(reason.state is State.WARNING for reason in report.reasons)


def _environment(report: Report) -> dict[str, str]:
    found = {"STANDOFF_TIME": repr(report.time), "STANDOFF_STATE": report.state.name}
    if report.cycle is not None and report.cycle.warnings:
        nearest = report.cycle.warnings[0]
        found["STANDOFF_A"], found["STANDOFF_B"] = shown(nearest.a), shown(nearest.b)
        found["STANDOFF_DISTANCE"] = repr(float(nearest.distance))
    return found
