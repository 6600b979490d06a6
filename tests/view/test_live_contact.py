"""The page of paper 003's scene: the follower never jumps, and its arrows are to be seen."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("viser", reason="viser is not installed: no live page")

from standoff.papers.paper003_bodies import hand_scene
from standoff.view.live.contact_page import ContactPage, push_arrow
from standoff.view.live.poses import BODY, TURN
from standoff.view.live.server import close, open_server
from standoff.view.live.ticking import TICK


@pytest.fixture
def page():
    server = open_server("x", port=0)
    yield ContactPage(server, *hand_scene())
    close(server)


def stepped(page) -> float:
    """How far the follower went in one tick, [m]; it turned no faster than a hand does."""
    before = page.pose.copy()
    page.step()
    cosine = 0.5 * (np.trace(page.pose[:3, :3] @ before[:3, :3].T) - 1.0)
    assert np.arccos(min(1.0, cosine)) <= TURN * TICK + 1e-6
    return float(np.linalg.norm(page.pose[:3, 3] - before[:3, 3]))


def test_a_tour_that_is_ended_leaves_the_follower_where_it_is(page):
    for _ in range(20):
        stepped(page)
    assert np.linalg.norm(page.pose[:3, 3]) > 0.1  # out at an obstacle, far from where it began
    there = page.pose.copy()
    page._tour.value = False
    for _ in range(5):
        stepped(page)
    np.testing.assert_array_equal(page.pose, there)


def test_a_hand_and_a_tour_take_the_follower_no_faster_than_a_hand(page):
    for _ in range(20):
        stepped(page)
    left, far = page._time, page.stage.hand(page._time)
    far[:3, 3] = (-0.3, 0.3, 0.3)
    page._dragged(far)
    assert not page._tour.value
    for _ in range(30):
        assert stepped(page) <= BODY * TICK + 1e-12
    np.testing.assert_array_equal(page.pose, far)
    page._tour.value = True
    while np.linalg.norm(page.pose[:3, 3] - page.stage.hand(left)[:3, 3]) > 0.05:
        assert page._time == left  # it waits where it was left
        assert 0.0 < stepped(page) <= BODY * TICK + 1e-12
    for _ in range(250):
        assert stepped(page) <= BODY * TICK + 1e-12
    assert page._time != left


def test_the_follower_has_a_velocity_while_it_turns(page):
    """So that turning, too, is damped; it is turned evenly, not at the first step of a tick."""
    page._tour.value = False
    turned = page.pose.copy()
    turned[:3, :3] = turned[:3, :3] @ np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0, 0, 1.0]])
    page._dragged(turned)
    poses, step = [], page.scene.step
    page.scene = type("Told", (), {"step": staticmethod(
        lambda given, *rest, **named: poses.append((next(iter(given.values())), named))
        or step(given, *rest, **named)
    )})  # fmt: skip
    page.step()
    turns = [a[:3, :3].T @ b[:3, :3] for (a, _), (b, _) in pairwise(poses)]
    cosines = [0.5 * (np.trace(turn) - 1.0) for turn in turns]
    np.testing.assert_allclose(np.arccos(cosines), TURN * TICK / len(poses), rtol=1e-3)
    assert all(named["dt"] * len(poses) == pytest.approx(TICK) for _, named in poses)


def test_arrows_stay_within_the_scene_and_begin_at_what_is_touched(page):
    cube = page.stage.places["cube"].copy()
    cube[:3, 3] *= 0.8
    page._dragged(cube)
    for _ in range(30):
        page.step()
    force = page.last.forces[page._name]
    size = float(np.linalg.norm(force))
    assert size > 100.0 and page.last.contacts
    ((start, tip),) = page._sum.ends
    np.testing.assert_allclose(np.cross(tip - start, force) / size, 0.0, atol=1e-6)
    assert 0.2 < np.linalg.norm(tip - start) < 0.35
    assert page._newtons.visible and page._newtons.text == f"{size:.0f} N"
    np.testing.assert_allclose(page._newtons.position, tip, atol=1e-6)
    for contact in page.last.contacts:
        start, tip = push_arrow(contact, page._name)
        push = contact.normal if contact.a == page._name else -contact.normal
        assert (tip - start) @ push > 0.05
        # On the cube's face or outside, wherever the follower's own feature is.
        inside = np.linalg.inv(page.stage.places["cube"]) @ [*start, 1.0]
        low, high = page.stage.shapes["cube"].bounds()
        assert not ((inside[:3] > low + 1e-6) & (inside[:3] < high - 1e-6)).all()
    drawn = page._pushes._made
    np.testing.assert_allclose(drawn.points, page._pushes.ends, atol=1e-6)
    assert len(page._pushes.ends) == len(page.last.contacts)
    # What is touched is seen through, and nothing else.
    seen_through = {name for name, mesh in page._obstacles.items() if mesh.opacity is not None}
    assert seen_through == {"cube"}
    page._dragged(page.stage.hand(0.0))
    for _ in range(30):
        page.step()
    assert not page.last.contacts
    assert not (len(page._pushes.ends) or len(page._sum.ends) or page._newtons.visible)
    assert drawn._impl.removed and page._pushes._made is None
    assert all(mesh.opacity is None for mesh in page._obstacles.values())


def test_a_small_force_has_an_arrow_to_scale(page):
    page.pose = page.stage.hand(0.0)
    page._draw((), np.array([0.0, 0.0, 4.0]))
    ((start, tip),) = page._sum.ends
    np.testing.assert_allclose(tip - start, (0.0, 0.0, 0.08), atol=1e-6)
    assert page._newtons.text == "4.0 N"


def test_a_contact_that_is_over_before_the_picture_is_told(page):
    felt, step = [], page.scene.step

    def told(*given, **named):
        found = step(*given, **named)
        felt.append(len(found) > 0 or bool(found.passed))
        return found

    page.scene = type("Told", (), {"step": staticmethod(told)})
    over = 0
    for _ in range(250):
        felt.clear()
        found = page.step()
        text = page._sign._html.content
        assert ("no contact" in text) == (not any(felt))
        if any(felt) and not len(found):
            over += 1
            assert "touched and apart again" in text and "#c92a2a" in text
    assert over > 0
