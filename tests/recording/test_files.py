"""Reading recordings: whole, damaged, foreign and cut off."""

import json
from pathlib import Path
from typing import Any

import pytest

from toolweave.errors import Invalid, NotFound
from toolweave.recording import files
from toolweave.recording.entries import FORMAT, LINES, CallLine, Header, RecordingSource, StepLine
from toolweave.recording.files import RecordingFolder, read_recording
from toolweave.recording.recording import Recording
from toolweave.tools.schema import compile_schema

SCHEMA = json.loads(Path(files.__file__).with_name("schema.json").read_text(encoding="utf-8"))


def a_recording() -> Recording:
    source = RecordingSource(kind="run", run="r1", fidelity="wire")
    return Recording(
        Header(
            type="recording", format=FORMAT, name="one", recorded_at="2026-01-01", source=source
        ),
        calls=(
            CallLine(
                type="call",
                seq=1,
                server="demo",
                tool="echo",
                arguments={"text": "x" * 70_000},
                key="k",
                result={"content": []},
            ),
        ),
        steps=(
            StepLine(
                type="step", key="a", node="a", kind="mcp", replay="boundary", status="success"
            ),
        ),
    )


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return RecordingFolder(tmp_path).write(a_recording())


def problems_of(path: Path) -> list[tuple[str, str, str]]:
    with pytest.raises(Invalid) as refused:
        read_recording(path)
    return [(one.code, one.pointer, one.message) for one in refused.value.problems]


def test_what_is_written_is_read_again_without_a_warning(written: Path) -> None:
    found = read_recording(written)
    assert found.recording == a_recording()
    assert found.warnings == ()


def test_the_shipped_schema_is_that_of_the_lines_and_accepts_what_is_written(
    written: Path,
) -> None:
    shipped = {key: value for key, value in SCHEMA.items() if key not in ("$schema", "title")}
    assert shipped == LINES.json_schema()
    check = compile_schema(SCHEMA)
    for line in written.read_text(encoding="utf-8").splitlines():
        value: dict[str, Any] = json.loads(line)
        if "arguments" in value:
            value["arguments"] = {}  # a reference to a file
        assert check.judge(value).verdict == "valid"
        assert check.judge(value | {"type": "nonsense"}).verdict == "invalid"


def test_unknown_fields_and_lines_survive(written: Path, tmp_path: Path) -> None:
    first, *rest = written.read_text(encoding="utf-8").splitlines()
    header = json.loads(first) | {"team": "payments"}
    extra = json.dumps({"type": "comment", "text": "kept"})
    written.write_text(
        "\n".join([json.dumps(header), *rest[:-1], extra, rest[-1]]) + "\n", encoding="utf-8"
    )
    found = read_recording(written).recording
    again = RecordingFolder(tmp_path / "again").write(found)
    texts = again.read_text(encoding="utf-8")
    assert '"team":"payments"' in texts
    assert '"text":"kept"' in texts


def test_a_recording_without_an_end_is_read_and_said_to_be_cut_off(written: Path) -> None:
    lines = written.read_text(encoding="utf-8").splitlines()
    written.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    found = read_recording(written)
    assert found.recording.is_cut_off
    assert [one.code for one in found.warnings] == ["RECORDING_CUT_OFF"]


def test_edited_lines_are_told_but_an_edited_header_is_not(written: Path) -> None:
    text = written.read_text(encoding="utf-8")
    written.write_text(text.replace('"name":"one"', '"name":"two"'), encoding="utf-8")
    assert read_recording(written).warnings == ()
    written.write_text(text.replace('"tool":"echo"', '"tool":"other"'), encoding="utf-8")
    assert [one.code for one in read_recording(written).warnings] == ["RECORDING_EDITED"]


def test_every_damaged_line_is_told_with_its_place(written: Path) -> None:
    header, call, step, end = written.read_text(encoding="utf-8").splitlines()
    bad = json.dumps({key: one for key, one in json.loads(step).items() if key != "node"})
    written.write_text("\n".join([header, call[:-5], bad, end]) + "\n", encoding="utf-8")
    found = problems_of(written)
    assert [code for code, _, _ in found] == ["RECORDING_INVALID", "RECORDING_INVALID"]
    assert found[0][2].startswith("line 2: not JSON")
    assert (found[1][1], found[1][2]) == ("/node", "line 3: Field required")


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ('{"type":"recording","format":"toolweave.recording/9"}', "RECORDING_VERSION", "reads"),
        ('{"jsonrpc":"2.0"}', "RECORDING_VERSION", "not a recording"),
        ("", "RECORDING_VERSION", "header"),
        ("\x00\x01", "RECORDING_INVALID", "not JSON"),
        ("[1]", "RECORDING_INVALID", "JSON object"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path: Path, text: str, code: str, words: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    ((found, _, message),) = problems_of(path)
    assert (found, words in message) == (code, True)


def test_a_missing_or_changed_value_is_told_with_its_line_and_field(written: Path) -> None:
    (value,) = written.with_suffix(".values").iterdir()
    whole = value.read_text()
    value.write_text("{}")
    assert problems_of(written)[0][:2] == ("RECORDING_VALUE_MISSING", "/arguments")
    value.unlink()
    assert "line 2" in problems_of(written)[0][2]
    value.write_text(whole)
    assert read_recording(written).recording == a_recording()


def test_a_value_cannot_lead_out_of_its_folder(written: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"text": "secret"}')
    text = written.read_text(encoding="utf-8")
    digest = json.loads(text.splitlines()[1])["arguments"]["$value"]["sha256"]
    written.write_text(text.replace(digest, "../secret"), encoding="utf-8")
    assert problems_of(written)[0][0] == "RECORDING_VALUE_MISSING"


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    with pytest.raises(Invalid) as refused:
        read_recording(path)
    assert "209715200 bytes; at most" in refused.value.message


def test_an_unknown_recording_is_told_with_the_name_that_may_be_meant(written: Path) -> None:
    with pytest.raises(NotFound) as unknown:
        RecordingFolder(written.parent).find("ome")
    assert "one" in str(unknown.value.hint)
