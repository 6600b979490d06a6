"""`standoff demo`: the three tasks of paper 000 through the monitor."""

import re

import pytest
from typer.testing import CliRunner

from standoff.cli import app
from tests.worlds.command_line import run

PNG = b"\x89PNG\r\n\x1a\n"


def test_the_demo_tells_how_each_task_ends_and_saves_the_plot(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "made" / "clearance.png"
    result = run("demo", "--plot", path)
    assert result.returncode == 0, result.stderr
    assert path.read_bytes().startswith(PNG)
    assert "Traceback" not in result.stderr
    shown = result.stdout
    rows = re.findall(r"^([123]) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) ", shown, re.M)
    assert [row[:3] for row in rows] == [("1", "1000", "0"), ("2", "150", "1"), ("3", "2000", "1")]
    for *_, median, high, worst in rows:
        assert 0.0 < float(median) <= float(high) <= float(worst)
    endings = {line[5]: line for line in shown.splitlines() if line.startswith("task ")}
    assert "no warning" in endings["1"]
    assert re.search(r"cycle 150,.* left/link7 – front_table, 28.8 mm .*closing at", endings["2"])
    assert re.search(r"cycle 2000,.* right/link7 – front_table, 29.2 mm .*closing at", endings["3"])
    assert "fault" not in shown


def test_without_matplotlib_the_demo_says_how_to_get_it_and_ends_well(tmp_path, monkeypatch):
    monkeypatch.setattr("standoff.view.plots.have_matplotlib", lambda: False)
    path = tmp_path / "clearance.png"
    result = CliRunner().invoke(app, ["demo", "--plot", str(path)])
    assert result.exit_code == 0, result.output
    assert "standoff[plot]" in result.output
    assert not path.exists()


def test_a_plot_that_cannot_be_written_is_one_message_and_status_2(tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "file").write_text("")
    result = run("demo", "--plot", tmp_path / "file" / "clearance.png")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr and str(tmp_path / "file") in result.stderr


@pytest.mark.parametrize("name", ["here", "plot.xyz", "file/plot.png"])
def test_a_plot_that_cannot_be_written_is_refused_before_the_work(name, tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "file").touch()
    result = run("demo", "--plot", tmp_path / name)
    assert result.returncode == 2 and "Traceback" not in result.stderr
    assert "task" not in result.stdout
