"""A record that is not what was written."""

from __future__ import annotations

from standoff.errors import StreamError


class DamagedError(StreamError):
    """Something of a record was altered, or is missing from its middle."""
