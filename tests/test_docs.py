"""The examples in the documents run as they stand."""

import contextlib
import importlib.util
import inspect
import io
import re
from pathlib import Path

import pytest

import standoff as so

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def example(name: str) -> tuple[str, dict[str, object]]:
    """What the examples of a page print and leave behind, one after the other."""
    code = "\n".join(re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(), re.S))
    assert code
    printed, names = io.StringIO(), {}
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue(), names


def test_the_monitor_warns_of_the_table():
    printed, names = example("monitor.md")
    nearest = names["nearest"]
    assert nearest.b == "table" and nearest.approaching
    assert 0.0 < nearest.distance <= 0.03 and nearest.time_to_contact < 1.0
    assert printed.startswith("left/panda_") and not names["cycle"].faults


def test_pairs_of_the_panda_are_proved_apart():
    printed, names = example("allowed-pairs.md")
    assert (
        printed.count(" touch, for example by ") == 3
        and "21 of 44 pairs need no watching" in printed
    )
    assert not names["result"].open


def test_the_wire_is_found():
    printed, names = example("paths.md")
    verdict = names["verdict"]
    assert verdict.kind == "collision" and verdict.pair[1] == "wire"
    assert 0.0 < verdict.free_until < verdict.t and "wire" in printed


def test_the_way_around_the_posts_is_planned_and_shortened():
    printed, names = example("planning.md")
    plan, shorter = names["plan"], names["shorter"]
    assert plan.solved and plan.verdict.free and shorter.verdict.free
    assert shorter.after < plan.length and "waypoints" in printed


def test_the_can_is_in_the_way():
    printed, names = example("problems.md")
    assert "can" in printed and "collide" in printed
    assert len(names["placed"].joints) == 7


def test_the_two_balls_are_alarmed():
    _, names = example("prediction.md")
    step = names["step"]
    assert step.alarms.tolist() == [[0, 1]] and 0.0 < step.tau[0] < 0.1 and not step.faults


def test_the_box_stands_on_four_vertices():
    printed, names = example("contact.md")
    step = names["step"]
    assert len(step.contacts) == 4 and printed.count("FV") == 4
    assert step.forces["box"].tolist() == pytest.approx([-1.0, 0.0, 40.0])
    # On a, which is the table: it was added first.
    assert step.contacts[0].force.tolist() == pytest.approx([0.25, 0.0, -10.0])


def test_the_post_stands_in_the_plate_and_the_ball_touches_the_post():
    printed, names = example("interference.md")
    assert printed.startswith("plate post -0.005") and len(names["found"].gaps) == 1
    assert "2 overlap or may, 1 are apart" in printed


def test_the_moving_parts_are_warned_about_and_their_trees_meet():
    printed, names = example("interference.md")
    assert set(names["look"].warnings) == {("gripper", "")} and not names["look"].lost
    blind = names["blind"]
    assert set(blind.warnings) == {("gripper", "belt"), ("gripper", ""), ("belt", "")}
    assert blind.lost == {"belt": "no pose was given for belt"}
    assert [(o.a, o.b) for o in names["close"]] == [("post", "gripper")]
    assert names["needed"].threshold > names["needed"].gap
    assert names["shared"].places.shape[1] == 6 and len(names["together"].pairs) == 1
    low, high = names["volume"]
    assert low <= 0.4 * 0.4 * 0.02 <= high
    assert names["alarms"].alarms[0] >= names["alarms"].alarms[-1]
    assert "need" in printed


PAGES = sorted([*DOCS.glob("*.md"), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"])


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_link_leads_somewhere(page):
    """As a code host follows it, from file to file; `make docs` looks at those of the site."""
    for link in re.findall(r"\]\((?!http|#)([^)\s]+)\)", page.read_text()):
        target = page.parent / link.partition("#")[0]
        assert target.is_file() and target.stat().st_size > 0, link


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda p: p.name)
def test_every_name_of_the_package_in_the_documents_is_there(page):
    """The changelog named seventeen things at the top that had moved one level down."""
    for written in re.findall(r"\bso((?:\.[A-Za-z_]\w*)+)", page.read_text()):
        if written == ".Cone":  # that docs/extending.md adds
            continue
        thing = so
        for name in written[1:].split("."):
            assert hasattr(thing, name), f"so{written}"
            thing = getattr(thing, name)
            if not inspect.ismodule(thing) and not inspect.isclass(thing):
                break


def documented(name):
    """The arguments that a docstring names under ``Args:``, and those that the signature has."""
    thing = getattr(so, name)
    text = inspect.getdoc(thing) or ""
    section = re.search(r"^Args:\n((?: {4}.*\n|\n)*)", text + "\n", re.M)
    said = re.findall(r"^ {4}(\w[\w, ]*):", section[1] if section else "", re.M)
    return {n for names in said for n in names.split(", ")}, set(
        inspect.signature(thing).parameters
    )


@pytest.mark.parametrize("name", [n for n in so.__all__ if callable(getattr(so, n))])
def test_docstrings_name_no_argument_that_is_not_there(name):
    said, there = documented(name)
    assert said <= there


def site_pages():
    """The module that makes the pages which are not in docs/; mkdocs is not needed for it."""
    spec = importlib.util.spec_from_file_location("pages", DOCS / "site" / "pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_knows_every_room_and_the_site_every_page():
    pages = site_pages()
    reference = "".join(text for _, text in pages.api_pages())
    for name in set(so.__all__) - pages.OPEN:
        assert f".{name}\n" in reference, name
    for path in pages.EXAMPLES:
        page = pages.example_page(path)
        title = page.splitlines()[0].removeprefix("# ")
        assert page.count(title) == 1 and "```python" in page and "import standoff as so" in page
    shown = "".join(page.read_text() for page in DOCS.glob("*.md"))
    for picture in (DOCS / "pictures").glob("*.png"):
        assert picture.with_suffix(".py").is_file() and f"(pictures/{picture.name})" in shown
    nav = (ROOT / "mkdocs.yml").read_text()
    assert {p.name for p in DOCS.glob("*.md")} <= set(re.findall(r"[\w-]+\.md", nav))


@pytest.mark.parametrize(
    ("source", "text", "there"),
    [
        ("README.md", "[a](docs/monitor.md#stopping)", "[a](monitor.md#stopping)"),
        ("README.md", "![a](docs/pictures/octree.png)", "![a](pictures/octree.png)"),
        ("docs/a.md", "[a](../examples/01_check_a_path.py)", "[a](examples/01_check_a_path.md)"),
        ("docs/promises.md", "[a](../tests/test_docs.py)", "a"),
        ("docs/a.md", "[a](../README.md) [b](#c) [d](https://e)", "[a](index.md) [b](#c) [d](https://e)"),
        ("docs/paths.md", "```python\nx[0](docs/y.md)\n```", "```python\nx[0](docs/y.md)\n```"),
        ("examples/01_check_a_path.py", "[a](../docs/paths.md)", "[a](../paths.md)"),
    ],
)  # fmt: skip
def test_links_between_files_become_links_between_pages(source, text, there):
    pages = site_pages()
    assert pages.translated(text, source) == there


def test_a_table_of_readings_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed, _ = example("streams.md")
    assert printed == "0.0 {'elbow': 0.1, 'wrist': 0.2}\n0.01 {'elbow': 0.1, 'wrist': 0.3}\n"


def test_the_page_of_streams_names_all_that_is_read(tmp_path):
    from standoff.streams.decoders import TYPES
    from standoff.streams.open_stream import SOURCES, open_source
    from standoff.streams.sources.csv_table import PARTS, TIMES

    page = (DOCS / "streams.md").read_text()
    for word in (*TYPES, *TIMES):
        assert f"`{word}`" in page, word
    for part in PARTS:
        assert f".{part}`" in page
    for kind in SOURCES.values():
        assert all(suffix in page for suffix in {*kind.suffixes} - {".ndjson"})
        assert all(f"{option}=" in page for option in kind.options)
    (tmp_path / "run.jsonl").write_text(page.split("```json\n")[1].split("```")[0])
    found = [
        type(message).__name__ for _, message in open_source(f"{tmp_path}/run.jsonl").messages()
    ]
    assert found == ["Joints", "Joints", "BodyPose", "Grasp", "Grasp"]


ARM = """<robot name="arm"><link name="base"/><link name="forearm"/>
<link name="hand"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="elbow" type="revolute"><parent link="base"/><child link="forearm"/>
<axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="2" effort="1"/></joint>
<joint name="wrist" type="revolute"><parent link="forearm"/><child link="hand"/>
<axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="2" effort="1"/></joint></robot>"""


def test_the_lines_of_json_are_watched_without_a_fault(tmp_path):
    """One left out a joint that the line before it had."""
    text = (DOCS / "streams.md").read_text().split("```json\n")[1].split("```")[0]
    (tmp_path / "run.jsonl").write_text(text)
    (tmp_path / "arm.urdf").write_text(ARM)
    cell = so.Cell()
    cell.add_robot(tmp_path / "arm.urdf", name="left")
    cell.add_body("table", so.Box((1.0, 1.0, 0.1)), so.pose((0.0, 1.0, -0.5)))
    cell.add_body("box", so.Box((0.1, 0.1, 0.1)), so.pose((0.0, 1.0, -0.4)))
    cell.add_body("cart", so.Sphere(0.1), so.pose((2.0, 2.0, 0.0)), moving=True)
    source, reports = so.open_source(str(tmp_path / "run.jsonl")), []
    # Not as fast as it goes: each line is a cycle of its own then.
    watch = so.Watch(cell, [source], onlookers=[reports.append], speed=1000.0)
    summary = watch.run()
    assert [r.time for r in reports] == [1.25, 1.26, 1.27, 1.28, 1.29]
    assert {reason.kind for r in reports for reason in r.reasons} == {"waiting"}
    assert [r.state.name for r in reports[2:]] == ["SAFE"] * 3 and summary.status == 0
