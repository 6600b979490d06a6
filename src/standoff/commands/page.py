"""A live page for a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from standoff.commands.app import notes

if TYPE_CHECKING:
    from standoff.view.live.commands import Serving


def page_at(host: str, port: int, said: Console) -> Serving:
    """A page to be served from here; says so at once where viser is missing."""
    from standoff.view.live.commands import Serving
    from standoff.view.live.needed import need_viser

    need_viser()
    return Serving(said, notes, host=host, port=port)
