"""How a check says no."""

from __future__ import annotations


class NotProvedError(Exception):
    """A certificate does not prove what it says; the message is the reason in words."""
