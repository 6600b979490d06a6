"""Makes the moving picture of the README: the live page, played step by step in Chromium.

    python docs/make_picture.py [docs/two-arms.webp]

Task 2 of paper 000's test bed: two arms at work among the cells of the octree, until the left one
comes too close to the table in front of it. It needs chromium, playwright and pillow.
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from standoff.papers.testbed import PERIOD, TASKS, testbed_cell, testbed_monitor
from standoff.view.live.motion import recorded
from standoff.view.live.playback import Playback
from standoff.view.live.server import address, close, open_server

#: Readings from one picture to the next, how long one is shown and how long the last, [ms].
STRIDE, SHOWN, LAST = 4, 130, 2500

#: How far the camera is, as a part of the usual distance.
NEARER = 0.8

#: Pixels of the page and of the picture.
PAGE, SIZE = (1120, 630), (900, 506)

#: The largest file that is worth waiting for, [bytes].
LARGEST = 2_000_000

FLAGS = "--no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader"


def frames() -> list[Image.Image]:
    cell = testbed_cell()
    server = open_server("standoff", port=0)
    motion = recorded("task 2", TASKS[1].joints(cell), PERIOD)
    play = Playback(server, "two arms", [motion], lambda dt: testbed_monitor(cell, period=dt))
    play.page.show_octree.value = True
    play.step()
    camera = server.initial_camera
    camera.position = camera.look_at + NEARER * (camera.position - camera.look_at)
    found = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=FLAGS.split()
        )
        page = browser.new_page(viewport={"width": PAGE[0], "height": PAGE[1]})
        page.goto(address(server))
        page.wait_for_selector("[data-standoff]")
        page.wait_for_timeout(4000)
        notice = page.locator("button.mantine-Notification-closeButton")
        if notice.count():
            notice.first.click()
        page.get_by_role("tab", name="Plots").click()
        page.wait_for_timeout(1500)
        while play.player.playing:
            for _ in range(STRIDE):
                play.step()
            # The last one has a warning, which is worth waiting for.
            page.wait_for_timeout(250 if play.player.playing else 3000)
            shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            found.append(shot.resize(SIZE, Image.Resampling.LANCZOS))
            print(f"{play.player.time:.2f} of {motion.duration:.2f} s", flush=True)
        browser.close()
    close(server)
    return found


def main() -> None:
    target = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "two-arms.webp")
    first, *rest = frames()
    times = [SHOWN] * len(rest) + [LAST]
    for quality in (72, 60, 48, 36):
        first.save(
            target, save_all=True, append_images=rest, duration=times, loop=0, quality=quality,
            method=6,
        )  # fmt: skip
        if target.stat().st_size <= LARGEST:
            break
    print(f"{target}: {target.stat().st_size / 1e6:.2f} MB, {len(times)} pictures")


if __name__ == "__main__":
    main()
