"""Trees kept on disk: the same as those built, and never anything else."""

from __future__ import annotations

import os
import stat

import numpy as np
import pytest

from standoff.geometry import kept_file, mesh_tree
from standoff.geometry.mesh import Mesh
from tests.worlds.mesh_shapes import joined, torus_arrays


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of its own, which keeps trees of every size."""
    monkeypatch.setattr(kept_file, "CACHE_DIR", tmp_path)
    monkeypatch.setattr(mesh_tree, "KEPT_TREE_TRIANGLES", 1)
    return tmp_path / "trees"


def forbid_building(monkeypatch):
    monkeypatch.setattr(mesh_tree, "build_tree", None)


def tree(points, faces):
    return Mesh(points, faces).geometry


def same(a, b):
    return a.nodes.tobytes() == b.nodes.tobytes() and a.ints.tobytes() == b.ints.tobytes()


def test_a_tree_that_is_read_is_the_one_that_was_built(folder, monkeypatch):
    two = joined(torus_arrays(), (torus_arrays()[0] + 3.0, torus_arrays()[1]))
    built = tree(*two)
    forbid_building(monkeypatch)
    read = tree(*two)
    assert same(built, read)
    for array in (read.nodes, read.ints):
        assert array.flags.writeable and array.flags.c_contiguous and array.flags.owndata


def damaged(good):
    """What a disk, a hand or another version may leave under the name."""
    yield b""
    yield b"noise"
    yield good[:-1]
    yield good[:-8]
    yield good + bytes(8)
    yield good[:40] + bytes([good[40] ^ 1]) + good[41:]
    yield bytes(len(good))


def test_a_damaged_file_is_built_anew(folder):
    arrays = torus_arrays()
    built = tree(*arrays)
    (file,) = folder.iterdir()
    good = file.read_bytes()
    for bad in damaged(good):
        file.write_bytes(bad)
        assert same(tree(*arrays), built)
        assert file.read_bytes() == good


def test_the_tree_of_another_mesh_is_not_taken(folder):
    """Its digest is right, but for another name."""
    arrays, other = torus_arrays(), torus_arrays(ring=0.6)
    tree(*other)
    (foreign,) = folder.iterdir()
    built = tree(*arrays)
    (file,) = set(folder.iterdir()) - {foreign}
    file.write_bytes(foreign.read_bytes())
    assert same(tree(*arrays), built)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda nodes, ints: ints.__setitem__(3, len(nodes)),
        lambda nodes, ints: ints.__setitem__(0, -(len(nodes) + 3)),
        lambda nodes, ints: ints.__setitem__(2 * len(nodes), 7),
        lambda nodes, ints: ints.__setitem__(-1, 10**9),
        lambda nodes, ints: nodes.__setitem__((5, 12), np.nan),
    ],
)
def test_indices_out_of_range_are_not_handed_to_kernels(folder, spoil):
    """Even where the digest is right."""
    arrays = torus_arrays()
    built = tree(*arrays)
    (file,) = folder.iterdir()
    good = file.read_bytes()
    nodes, ints = built.nodes.copy(), built.ints.copy()
    spoil(nodes, ints)
    kept_file.write(file, nodes.tobytes() + ints.tobytes())
    assert same(tree(*arrays), built)
    assert file.read_bytes() == good


def test_every_mesh_and_every_version_has_a_file_of_its_own(folder, monkeypatch):
    points, faces = torus_arrays()
    tree(points, faces)
    tree(points * np.nextafter(1.0, 2.0), faces)
    tree(points, np.roll(faces, 1, axis=0))
    assert len(list(folder.iterdir())) == 3
    monkeypatch.setattr(mesh_tree, "_FORMAT", "standoff tree 0")
    tree(points, faces)
    assert len(list(folder.iterdir())) == 4


def test_a_small_tree_is_not_kept(folder, monkeypatch):
    monkeypatch.setattr(mesh_tree, "KEPT_TREE_TRIANGLES", 481)
    assert len(tree(*torus_arrays()).nodes) == 479
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_to_is_no_reason_to_fail(folder, tmp_path, monkeypatch):
    built = tree(*torus_arrays())
    for path in folder.iterdir():
        path.unlink()
    os.chmod(folder, stat.S_IREAD | stat.S_IEXEC)
    try:
        assert same(tree(*torus_arrays()), built)
    finally:
        os.chmod(folder, stat.S_IRWXU)
    # a file where the folder should be, whoever runs this
    monkeypatch.setattr(kept_file, "CACHE_DIR", tmp_path / "file" / "deeper")
    (tmp_path / "file").write_bytes(b"")
    assert same(tree(*torus_arrays()), built)


def test_a_write_that_fails_leaves_nothing_behind(folder, monkeypatch):
    def full(source, target):
        raise OSError("no space left on device")

    built = tree(*torus_arrays())
    for path in folder.iterdir():
        path.unlink()
    monkeypatch.setattr(os, "replace", full)
    assert same(tree(*torus_arrays()), built)
    assert not list(folder.iterdir())
