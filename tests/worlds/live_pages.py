"""Chromium for the tests of the live page, and pages that are served while they run."""

from __future__ import annotations

import io
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("viser", reason="viser is not installed: no live page")

from standoff.view.live.ticking import beat

FLAGS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
#: What a page may take on a busy machine without a graphics card, [ms].
PATIENCE = 300_000


@contextmanager
def chromium() -> Iterator:
    """A browser; skips where there is none, and says so."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("no chromium on this machine: the live page was not tested in a browser")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


class Tab:
    """A page in the browser, and all that it asked for."""

    def __init__(self, browser, url: str) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page = browser.new_page(viewport={"width": 960, "height": 600})
        self.page.set_default_timeout(PATIENCE)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(url)

    def wait_for(self, selector: str) -> None:
        self.page.wait_for_selector(selector, state="attached")

    def pixels(self) -> np.ndarray:
        """(rows, columns, 3), the part that no panel covers."""
        image = pytest.importorskip("PIL.Image").open(io.BytesIO(self.page.screenshot()))
        return np.asarray(image.convert("RGB"), dtype=int)[:, :560]

    def keep(self, name: str) -> None:
        """A screenshot for people."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        notice = self.page.locator("button.mantine-Notification-closeButton")
        if notice.count():
            notice.first.click()
            self.page.wait_for_timeout(600)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")

    def row(self, label: str, which: int = 0):
        """The field for a number beside a label."""
        path = f"xpath=(//label[text()='{label}'])[{which + 1}]/ancestor::*[.//input][1]//input"
        return self.page.locator(path).last

    def set(self, label: str, value: float, which: int = 0) -> None:
        field = self.row(label, which)
        field.fill(str(value))
        field.press("Enter")

    def rest(self) -> None:
        """Be small, and so cost little, while another page is looked at."""
        self.page.set_viewport_size({"width": 160, "height": 120})

    def close(self) -> None:
        if not self.page.is_closed():
            self.page.close()

    def __enter__(self) -> Tab:
        return self

    def __exit__(self, *_) -> None:
        self.close()


@contextmanager
def beating(step: Callable[[], object]) -> Iterator[None]:
    """A page kept going by a thread, as the command does it."""
    stop = threading.Event()
    failed: list[BaseException] = []

    def run() -> None:
        try:
            beat(step, stop)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield
    stop.set()
    thread.join(300)
    if failed:
        raise failed[0]


def share(pixels: np.ndarray, red: tuple, green: tuple, blue: tuple) -> float:
    """Of pixels whose channels are all in these ranges."""
    inside = np.ones(pixels.shape[:2], dtype=bool)
    for k, (low, high) in enumerate((red, green, blue)):
        inside &= (pixels[..., k] >= low) & (pixels[..., k] <= high)
    return float(inside.mean())
