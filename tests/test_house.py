"""The house rules: who leans on whom, how kernels are compiled, what the package exports."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import standoff as so
from standoff.kernels import build

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "standoff").rglob("*.py"))
_KIND = "numba:compile"
KERNELS = [p for p in SOURCES if "kernels" in p.parts]


def test_rooms_lean_only_on_what_stands_below_them():
    run = subprocess.run(
        [Path(sys.executable).parent / "lint-imports"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout


def test_every_public_name_can_be_had():
    assert sorted(so.__all__) == sorted(so._MODULE_OF)
    for name in so.__all__:
        assert getattr(so, name) is not None
    with pytest.raises(AttributeError, match="sphere"):
        so.sphere  # noqa: B018


def test_importing_the_package_imports_no_compiler():
    code = "import sys, standoff; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("path", KERNELS, ids=lambda p: p.stem)
def test_kernels_are_compiled_in_the_one_way(path):
    """Only jit.py calls Numba's decorator, so that no kernel gets fastmath or another cache."""
    if path.name == "jit.py":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                name = ast.unparse(decorator)
                assert "njit" not in name and "jitclass" not in name and "fastmath" not in name


def test_every_entry_compiles_for_the_signature_it_states():
    names = build.entry_names()
    assert len(names) >= 20
    assert [name for name, _ in build.build_all()] == names
    assert sorted(name for name, _ in build.build_all(processes=2)) == names


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_no_tolerance_stands_outside_constants(path):
    """A number like 1e-9 is a tolerance, and tolerances live in constants.py with a reason."""
    if path.name == "constants.py":
        return
    text = path.read_text()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            written = ast.get_source_segment(text, node)
            assert not re.fullmatch(r"\d(\.\d)?e-\d+", written), f"{path.name}:{node.lineno}"


def test_the_first_compile_is_told_of_from_python_too(tmp_path):
    """A minute of silence looks like a hang."""
    code = "import standoff as so; so.distance(so.Sphere(1.0), None, so.Sphere(1.0), None)"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for told in (1, 0):
        run = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0 and run.stderr.count("compiling kernels") == told, run.stderr


def test_a_compile_after_a_pause_is_told_of_anew(monkeypatch, capsys):
    """Each part of the library compiles when it is first used, maybe much later."""
    from types import SimpleNamespace

    from standoff import first_compile

    now = [100.0]
    teller = first_compile._Teller()
    monkeypatch.setattr(first_compile, "_events", SimpleNamespace(_registered={_KIND: [teller]}))
    monkeypatch.setattr(first_compile, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def compile_(module, seconds, *inner):
        data = {"dispatcher": SimpleNamespace(py_func=SimpleNamespace(__module__=module))}
        teller.on_start(SimpleNamespace(data=data))
        now[0] += seconds
        for one in inner:
            compile_(*one)
        teller.on_end(SimpleNamespace(data=data))

    compile_("standoff.kernels.monitor.cycle", 9.0, ("standoff.kernels.motion", 9.0))
    compile_("standoff.kernels.monitor.way", 9.0)  # at once after the other
    said = capsys.readouterr().err
    assert said.count("compiling kernels of monitor,") == said.count("compiling kernels") == 1
    now[0] += 60.0
    compile_("standoff.kernels.paths.segment", 9.0)
    assert "compiling kernels of paths," in capsys.readouterr().err
    now[0] += 60.0
    compile_("standoff.kernels.motion", 9.0)
    assert "compiling kernels," in capsys.readouterr().err
    first_compile._events._registered[_KIND].append(object())  # a command has a line of its own
    now[0] += 60.0
    compile_("standoff.kernels.motion", 9.0)
    assert capsys.readouterr().err == ""
