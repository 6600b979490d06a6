"""Declared tables: what Python lays out is what a kernel reads, by name."""

import os
import subprocess
import sys

import numpy as np
import pytest

from standoff.compiled.by_address import address_of, called
from standoff.compiled.jit import ENTRIES, entry, kernel, source_digest
from standoff.compiled.tables import (
    ANY,
    Nested,
    Reals,
    Record,
    Records,
    Tables,
    Wholes,
    fields,
    viewer,
)

pytestmark = pytest.mark.interpreted

MOVER = fields(frame=int, radius=float, normal=(float, 3))


class Shapes(Tables):
    points = Reals(3, "corners, [m]")


class Search(Tables):
    centres = Reals(4)
    wide = Reals(ANY)
    stack = Wholes()
    movers = Records(MOVER)
    header = Record(fields(visits=int, nearest=float))
    shapes = Nested(Shapes)


class Longer(Search):
    more = Wholes(2)


search_at, longer_at = viewer(Search), viewer(Longer)


@kernel
def look(search, k):
    search.header.visits += 1
    search.header.nearest = search.movers[k].radius
    search.movers[k].normal[1] = 7.0
    search.stack[0] = len(search.centres)
    return search.centres[k, 3] + search.wide[1, 0] + search.shapes.points[1, 2]


@entry("float64(int64, int64)")
def look_once(search, k):
    return look(search_at(search), k)


@entry("int64(int64)")
def last_of_longer(longer):
    tables = longer_at(longer)
    return tables.more[len(tables.more) - 1, 1] + tables.stack[0]


look_at = called("float64(int64, int64)")


@entry("float64(int64, int64, int64)")
def look_by_address(address, search, k):
    return look_at(address, search, k)


@entry("float64(int64, int64)")
def last_of_shared(search, other):
    """The last point of ``other``, looked at through ``search``."""
    tables, lent = search_at(search), search_at(other)
    tables.shapes = lent.shapes
    return tables.shapes.points[1, 2]


def example(kind=Search, **more):
    movers = np.zeros(5, MOVER)
    movers["radius"] = np.arange(5.0)
    return kind(
        centres=np.arange(20.0).reshape(5, 4),
        wide=np.full((2, 2), 0.5),
        stack=3,
        movers=movers,
        shapes=Shapes(points=np.full((2, 3), 100.0)),
        **more,
    )


def test_a_kernel_reads_and_writes_tables_by_name():
    search = example()
    assert look_once(search.address, 2) == 11.0 + 0.5 + 100.0
    assert (search.header.visits, search.header.nearest) == (1, 2.0)
    assert search.movers[2].normal.tolist() == [0.0, 7.0, 0.0]
    assert search.stack.tolist() == [5, 0, 0]


def test_a_set_has_the_tables_of_its_base():
    longer = example(Longer, more=np.arange(6).reshape(3, 2))
    longer.stack[0] = 10
    assert last_of_longer(longer.address) == 15


def test_a_table_that_grew_or_was_replaced_is_read_anew():
    search = example()
    search.grow("stack", 5)
    assert search.stack.tolist() == [0] * 5
    search.centres = np.full((9, 4), 3.0)
    assert look_once(search.address, 8 - 4) == 3.0 + 0.5 + 100.0
    assert search.stack[0] == 9


def test_two_sets_can_share_an_array():
    one = example()
    other = example()
    other.movers = one.movers
    look_once(other.address, 1)
    assert one.movers[1].normal[1] == 7.0


def test_a_kernel_points_a_nested_set_at_another_one():
    one, other = example(), example()
    other.shapes = Shapes(points=np.full((2, 3), 7.0))
    assert last_of_shared(one.address, other.address) == 7.0
    assert last_of_shared(other.address, other.address) == 7.0


def test_an_entry_is_called_by_its_address():
    name = next(k for k, (f, _) in ENTRIES.items() if f is look_once)
    search = example()
    if os.environ.get("NUMBA_DISABLE_JIT"):
        address = 1 + list(ENTRIES).index(name)
    else:
        dispatcher, signature = ENTRIES[name]
        dispatcher.compile(signature)
        (made,) = dispatcher.overloads.values()
        address = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    assert look_by_address(address, search.address, 2) == look_once(search.address, 2)
    assert address_of("geometry.narrowphase.dispatch.pair_distance") != 0


@pytest.mark.parametrize(
    "given",
    [
        {"centres": np.zeros((5, 3))},
        {"centres": np.zeros((5, 4), np.float32)},
        {"centres": np.zeros((4, 5)).T},
        {"stack": np.zeros((3, 1), np.int64)},
        {"movers": np.zeros(3)},
        {"shapes": np.zeros(3)},
        {"centre": 3},
    ],
)
def test_what_does_not_fit_a_declaration_is_refused(given):
    with pytest.raises(TypeError, match=next(iter(given))):
        Search(**given)


def test_machine_code_is_kept_by_what_a_file_imports(tmp_path):
    """A callee that changed in another file must not leave its caller's machine code in use."""
    import standoff.compiled.jit as jit

    root = jit.ROOT
    kernels = root / "monitor" / "kernels" / "judge.py"
    assert source_digest(kernels) == source_digest(kernels)
    assert source_digest(kernels) != source_digest(root / "monitor" / "kernels" / "cycle.py")
    code = (
        "import shutil, sys; from pathlib import Path\n"
        "import standoff.compiled.jit as jit\n"
        "copy = Path(sys.argv[1]) / 'standoff'\n"
        "shutil.copytree(jit.ROOT, copy)\n"
        "jit.ROOT = copy\n"
        "of = lambda name: jit.source_digest(copy / name)\n"
        "def touched(name):\n"
        "    before = [of(k) for k in names]\n"
        "    jit._imported.cache_clear()\n"
        "    (copy / name).write_text((copy / name).read_text() + '#\\n')\n"
        "    return [a != of(k) for a, k in zip(before, names)]\n"
        "names = ['monitor/kernels/cycle.py', 'predict/kernels/buckets.py']\n"
        "print(touched('geometry/narrowphase/box_box.py'), touched('tolerances.py'),"
        " touched('view/progress.py'))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True
    )
    assert run.stdout.strip() == "[True, False] [True, True] [False, False]", run.stderr
