"""A page that is dead stays STALE, whatever is done with its panel."""

from __future__ import annotations

import numpy as np
import pytest

import standoff as so
from standoff.view.live import LivePage
from tests.view.test_live_page import says
from tests.worlds.live_pages import Tab, chromium


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


def folded(tab: Tab) -> None:
    """Fold the panel, and unfold it: a click on its head each."""
    for gone in (True, False):
        tab.page.get_by_text("watch", exact=False).first.click()
        tab.page.wait_for_selector("[data-beat]", state="detached" if gone else "attached")


def test_a_dead_page_that_is_folded_and_unfolded_is_stale(browser):
    cell = so.Cell()
    cell.add_body("wall", so.Box((0.4, 0.4, 0.4)))
    cell.add_body("cart", so.Sphere(0.15), pose=so.pose((1.0, 0.0, 0.2)), moving=True)
    poses = so.pose((1.0, 0.0, 0.2))[None]
    cycle = so.Monitor(cell).update(np.zeros(0), poses)
    with LivePage(port=0, title="watch", stale=30.0) as page, Tab(browser, page.address) as tab:
        page.show(cell, {}, poses, cycle)
        says(tab, "SAFE")
        folded(tab)
        says(tab, "SAFE")  # the next beat makes it alive again
        page._process.kill()
        page._process.wait()
        tab.page.wait_for_timeout(500)  # what was on its way has come
        folded(tab)
        for _ in range(10):  # far less than what the sign lasts
            read = tab.page.locator("[data-beat]").inner_text()
            assert "STALE" in read and "SAFE" not in read
            tab.page.wait_for_timeout(100)
        assert not tab.errors
