"""``standoff info`` shows how large and where each body is."""

from itertools import takewhile

from typer.testing import CliRunner

from standoff.cli import app


def test_sizes_and_poses_of_bodies_are_shown():
    result = CliRunner().invoke(app, ["info", "two_arms"], env={"COLUMNS": "140"})
    assert result.exit_code == 0, result.output
    rows = {line.split()[0]: line.split()[1:] for line in table(result.output)}
    assert [*map(float, rows["table"])] == [0.6, 1.6, 0.04, 0.65, 0.0, 0.2, 0.0, 0.0, 0.0]
    assert [*map(float, rows["post"])] == [0.08, 0.08, 1.2, -0.35, 0.0, 0.55, 0.0, 0.0, 0.0]
    assert [*map(float, rows["part"])][:3] == [0.04, 0.04, 0.12]  # held: along its own axes
    assert rows["floor"][0] == "unbounded" and "left/panda_hand" in rows


def table(text):
    """The rows of the table of sizes and poses."""
    lines = text[text.index("Sizes (x y z)") :].splitlines()[2:]
    return [*takewhile(str.strip, lines)]
