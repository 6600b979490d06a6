"""The house rules: who leans on whom, how kernels are compiled, what the package exports."""

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import standoff as so
from standoff.compiled import build
from standoff.compiled.jit import entry

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "standoff").rglob("*.py"))
_KIND = "numba:compile"
KERNELS = [p for p in SOURCES if p.parent.name in ("kernels", "narrowphase")]


def test_rooms_lean_only_on_what_stands_below_them():
    run = subprocess.run(
        [Path(sys.executable).parent / "lint-imports"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout


def rooms():
    """The packages whose names are public."""
    return [so, *(m for n in so.__all__ if inspect.ismodule(m := getattr(so, n)) and n != "errors")]


def test_every_public_name_can_be_had():
    for package in rooms():
        assert package.__all__ == dir(package) and len(package.__all__) > 1
        for name in package.__all__:
            assert getattr(package, name) is not None
        with pytest.raises(AttributeError, match="sphere"):
            package.sphere  # noqa: B018


def test_names_are_public_and_few():
    assert not [name for name in dir(so) if name.startswith("_")]
    assert len([name for name in so.__all__ if not inspect.ismodule(getattr(so, name))]) <= 45


def test_each_name_is_documented_at_one_import_path():
    """And none is another one in other case, or a module that hides behind a function."""
    home = {}
    for package in rooms():
        names = [name for name in package.__all__ if not inspect.ismodule(getattr(package, name))]
        assert len({name.lower() for name in names}) == len(names)
        assert not {"Warning", "Exception"} & set(names)
        for name in names:
            value = getattr(package, name)
            if callable(value):
                assert home.setdefault(value, package) is package, name


@pytest.mark.parametrize("words", ["--help", "watch --help", "apart --help"])
def test_help_imports_no_compiler(words):
    """It took two seconds where a default came from a module with kernels."""
    code = (
        "import sys\nfrom standoff.cli import main\n"
        f"sys.argv = ['standoff', *{words.split()}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\nsys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


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


@pytest.mark.parametrize("path", KERNELS, ids=lambda p: f"{p.parts[-3]}-{p.stem}")
def test_no_kernel_takes_more_than_eight_arguments(path):
    """Tables are one argument; three coordinates in a row are one point."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            names = " ".join(argument.arg for argument in node.args.args)
            points = re.sub(r"\b(\w?)x \1y \1z\b", "point", names)
            assert len(points.split()) <= 8, f"{path.name}:{node.lineno}: {names}"


def references(path):
    """The names that a file uses, besides those in its prose; of addresses of kernels the last."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and re.fullmatch(r"(\w*\.)*\w+", str(node.value)):
            yield str(node.value).rpartition(".")[2]


def test_what_only_the_experiments_call_is_among_them():
    """A function outside papers/ that nothing outside it calls is for the users: documents name
    it, or the command line has it."""
    paper = [p for p in SOURCES if "papers" in p.parts]
    product = [p for p in SOURCES if "papers" not in p.parts]
    texts = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    named = set(re.findall(r"\w+", " ".join(p.read_text() for p in texts)))
    called = named.union(*map(references, product))
    asked = set().union(*map(references, paper))
    for path in product:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                alone = node.name in asked - called
                assert not alone, f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}"


def test_every_entry_compiles_for_the_signature_it_states():
    entry("int64(int64)")(lambda x: x)  # not one of the package's
    names = build.entry_names()
    assert len(names) >= 20 and not any(name.startswith("papers") for name in names)
    assert [name for name, _ in build.build_all()] == names
    assert sorted(name for name, _ in build.build_all(processes=2)) == names


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_every_tolerance_has_a_name_and_a_reason(path):
    """A number like 1e-9 is a tolerance: it stands in a constant of its module, below a comment."""
    text = path.read_text()
    lines, tree = text.splitlines(), ast.parse(text)
    explained = set()
    for node in tree.body:
        if isinstance(node, ast.Assign):
            above = node.lineno - 1
            while lines[above - 1].strip() and not lines[above - 1].startswith("#"):
                above -= 1  # several constants share a comment
            if lines[above - 1].startswith("#"):
                explained.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            written = ast.get_source_segment(text, node)
            tolerance = re.fullmatch(r"\d(\.\d)?e-\d+", written)
            assert not tolerance or node in explained, f"{path.name}:{node.lineno}"


@pytest.mark.parametrize("path", KERNELS, ids=lambda p: f"{p.parts[-3]}-{p.stem}")
def test_kernels_know_nothing_but_numbers(path):
    """They import kernels and the tolerances they share: no class, no error, no file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("standoff"):
            names = [node.module, *(f"{node.module}.{x.name}" for x in node.names)]
            assert any(
                re.search(r"\.(kernels|narrowphase|compiled|tolerances)\b", name) for name in names
            ), node.module


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

    from standoff.compiled import first_compile

    now = [100.0]
    announcer = first_compile._Announcer()
    monkeypatch.setattr(first_compile, "_events", SimpleNamespace(_registered={_KIND: [announcer]}))
    monkeypatch.setattr(first_compile, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def compile_(module, seconds, *inner):
        data = {"dispatcher": SimpleNamespace(py_func=SimpleNamespace(__module__=module))}
        announcer.on_start(SimpleNamespace(data=data))
        now[0] += seconds
        for one in inner:
            compile_(*one)
        announcer.on_end(SimpleNamespace(data=data))

    compile_("standoff.monitor.kernels.cycle", 9.0, ("standoff.motion.kernels.bound", 9.0))
    compile_("standoff.monitor.kernels.sweep", 9.0)  # at once after the other
    said = capsys.readouterr().err
    assert said.count("compiling kernels of monitor,") == said.count("compiling kernels") == 1
    now[0] += 60.0
    compile_("standoff.paths.kernels.segment", 9.0)
    assert "compiling kernels of paths," in capsys.readouterr().err
    now[0] += 60.0
    compile_("standoff.motion.kernels.bound", 9.0)
    assert "compiling kernels," in capsys.readouterr().err
    first_compile._events._registered[_KIND].append(object())  # a command has a line of its own
    now[0] += 60.0
    compile_("standoff.motion.kernels.bound", 9.0)
    assert capsys.readouterr().err == ""
