"""The live page: a cell in the browser, served from here.

Nothing of viser is imported until a page is opened.
"""

from standoff.view.live.commands import drive_by_hand
from standoff.view.live.page import LivePage

__all__ = ["LivePage", "drive_by_hand"]
