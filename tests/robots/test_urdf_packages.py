"""Where mesh references lead."""

import pytest

from standoff.errors import MeshError
from standoff.robots import xml
from standoff.robots.packages import Packages


@pytest.fixture(autouse=True)
def no_ros(monkeypatch):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "ws" / "arm_description" / "urdf" / "arm.urdf"
    path.parent.mkdir(parents=True)
    path.write_text("<robot/>")
    return path


def mesh(path, *, manifest=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("solid")
    if manifest is not None:
        (manifest / "package.xml").write_text("<package/>")
    return path


def found(reference, urdf, *search_paths):
    node = xml.parse(f'<mesh filename="{reference}"/>'.encode())
    return Packages(urdf, search_paths).resolve(node)


def test_a_package_that_holds_the_urdf(urdf):
    path = mesh(urdf.parents[1] / "meshes" / "a.stl")
    assert found("package://arm_description/meshes/a.stl", urdf) == path
    assert found("model://arm_description/meshes/a.stl", urdf) == path
    assert found("package:///arm_description/meshes/a.stl", urdf) == path


def test_a_package_beside_one_of_the_folders_above(urdf):
    path = mesh(urdf.parents[2] / "tool" / "a.stl")
    assert found("package://tool/a.stl", urdf) == path
    near = mesh(urdf.parent / "tool" / "a.stl")
    assert found("package://tool/a.stl", urdf) == near


def test_search_paths_name_a_package_its_folder_or_an_install_prefix(urdf, tmp_path):
    direct = mesh(tmp_path / "x" / "tool" / "a.stl")
    assert found("package://tool/a.stl", urdf, tmp_path / "x") == direct
    assert found("package://tool/a.stl", urdf, str(tmp_path / "x" / "tool")) == direct
    share = mesh(tmp_path / "prefix" / "share" / "grip" / "a.stl")
    assert found("package://grip/a.stl", urdf, tmp_path / "prefix") == share


def test_a_package_deep_in_a_workspace_is_known_by_its_manifest(urdf, tmp_path):
    path = mesh(tmp_path / "src" / "repo" / "group" / "tool" / "a.stl")
    with pytest.raises(MeshError):
        found("package://tool/a.stl", urdf, tmp_path / "src")
    (path.parent / "package.xml").write_text("<package/>")
    assert found("package://tool/a.stl", urdf, tmp_path / "src") == path


def test_environment_variables(urdf, tmp_path, monkeypatch):
    ros = mesh(tmp_path / "ros" / "one" / "a.stl")
    ament = mesh(tmp_path / "ament" / "share" / "two" / "a.stl")
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path / 'ros'}")
    monkeypatch.setenv("AMENT_PREFIX_PATH", f":{tmp_path / 'ament'}")
    assert found("package://one/a.stl", urdf) == ros
    assert found("package://two/a.stl", urdf) == ament


def test_plain_paths_start_at_the_urdf(urdf, tmp_path):
    path = mesh(urdf.parents[1] / "meshes" / "a.stl")
    assert found("../meshes/a.stl", urdf).resolve() == path
    assert found(str(path), urdf) == path


def test_file_references(urdf, tmp_path):
    path = mesh(tmp_path / "with space" / "a.stl")
    escaped = str(path).replace(" ", "%20")
    for reference in (f"file://{escaped}", f"file://localhost{escaped}", f"file:{escaped}"):
        assert found(reference, urdf) == path
    near = mesh(urdf.parent / "m" / "a.stl")
    assert found("file://m/a.stl", urdf) == near


def test_a_linked_urdf_is_followed_to_its_own_folders(urdf, tmp_path):
    path = mesh(urdf.parents[2] / "tool" / "a.stl")
    link = tmp_path / "elsewhere" / "arm.urdf"
    link.parent.mkdir()
    link.symlink_to(urdf)
    assert found("package://tool/a.stl", link) == path
