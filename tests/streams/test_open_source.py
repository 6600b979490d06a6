"""What may stand behind --from."""

import pytest

from standoff.errors import MissingPackageError, StreamError
from standoff.streams.open_stream import check_one_reader, open_source, source_of
from standoff.streams.protocols import Live, Recorded
from standoff.streams.sources.bag import Bag
from standoff.streams.sources.csv_table import CsvTable
from standoff.streams.sources.lines import JsonLines
from tests.worlds.stream_bags import readings, store_of, write_bag

TABLE = "time,a\n0,1\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("csv:run", "csv"), ("run.csv", "csv"), ("run.CSV", "csv"), ("run.tsv", "csv"),
        ("jsonl:-", "jsonl"), ("a/b.ndjson", "jsonl"), ("run.bag", "bag"), ("run.db3", "bag"),
        ("run.mcap?topic=/a", "mcap"), ("C:\\runs\\run.csv", "csv"), ("zenoh:a/b", "zenoh"),
    ],
)  # fmt: skip
def test_the_kind_is_told_by_the_suffix(text, kind):
    assert source_of(text).kind == kind


def test_sources_bear_one_name_however_they_were_asked_for(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text(TABLE)
    for text in (str(path), f"csv:{path}"):
        source = open_source(text)
        assert source.name == f"csv:{path}" and isinstance(source, CsvTable)
        assert isinstance(source, Recorded) and not isinstance(source, Live)
    odd = tmp_path / "what?.csv"
    odd.write_text(TABLE)
    assert len(list(open_source(f"csv:{odd}").messages())) == 1
    colon = tmp_path / "12:30.jsonl"
    colon.write_text('{"time": 0, "joints": {"a": 1}}')
    assert isinstance(open_source(str(colon)), JsonLines)
    messages, _ = readings(store_of("mcap"), 2)
    folder = write_bag(tmp_path / "bag", "mcap", messages)
    bag = open_source(f"{folder}?topic=joint_states")
    assert isinstance(bag, Bag) and bag.topics == ("/joint_states",)
    for text in ("csv:-", "jsonl:-"):
        assert isinstance(open_source(text), Live)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a source"),
        ("run", "csv:FILE"),
        ("run.xyz", "csv:FILE"),
        ("cvs:run.txt", "did you mean csv:"),
        ("csv:", "where from is missing"),
        ("csv:none.csv", "No such file"),
        ("none.bag", "No such file"),
        ("csv:\0", "null"),
        ("csv:" + "x" * 5000, "too long"),
        ("csv:.", "not a regular file"),
        ("csv:run.csv?topic=/a", "not an option of csv"),
        ("bag:run.bag?topics=/a", "not an option of bag.*topic=…, world=…"),
        ("bag:run.bag?topic", "not an option"),
        ("bag:none.bag?world=a&world=b", "given twice"),
        ("zenoh:", "where from is missing"),
        ("zenoh:a//b", "not a key"),
        ("zenoh:a?listen=tcp/0.0.0.0:7447", "not an address of this machine"),
        ("zenoh:a?listen=nowhere", "not an address of Zenoh"),
        ("zenoh:a?type=sensor_msgs/msg/Image", "not read.*JointState"),
    ],
)
def test_what_cannot_be_opened_says_what_can(text, said):
    with pytest.raises(StreamError, match=said):
        open_source(text)


def test_a_device_is_no_file():
    with pytest.raises(StreamError, match="not a regular file"):
        open_source("csv:/dev/null")
    with pytest.raises(StreamError, match="not a regular file"):
        open_source("bag:/dev/zero")


def test_a_missing_package_is_named_with_the_way_to_get_it(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "zenoh", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'standoff\[streams\]'"):
        open_source("zenoh:a")


def test_the_files_of_a_source_are_known(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text(TABLE)
    assert source_of(str(path)).files == source_of(f"csv:{path}").files == [path]
    assert source_of(f"bag:{tmp_path}/v.mcap?topic=/a").files == [tmp_path / "v.mcap"]
    assert {*source_of(f"{tmp_path}?topic=/a").files} == {tmp_path, path}
    assert source_of("csv:-").files == source_of("zenoh:a/b").files == []


def test_standard_input_has_one_reader():
    check_one_reader(["csv:-", "run.csv", "zenoh:a"])
    with pytest.raises(StreamError, match=r"standard input is read twice.*csv:-, jsonl:-"):
        check_one_reader(["csv:-", "jsonl:-"])
