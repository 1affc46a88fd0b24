"""Reads and writes recordings: JSON lines in `recordings/NAME.jsonl`, large values beside the file.

Reading trusts nothing: it reports every unreadable line with its number, and a recording can name
a server but never say how to start one.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, cast

import orjson
from pydantic import ValidationError

from toolweave import json_text
from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, did_you_mean, how_many, pointer
from toolweave.recording.entries import (
    FORMAT,
    LINES,
    CallLine,
    EndLine,
    Header,
    ModelLine,
    PersonLine,
    ResultLine,
    SkillLine,
    StepLine,
    ToolLine,
    WorkflowLine,
)
from toolweave.recording.recording import AnyLine, Recording
from toolweave.storage.files import replace_private

_LineT = TypeVar("_LineT", bound=AnyLine)

FOLDER = "recordings"
ENDING = ".jsonl"
# Values larger than this are files of their own.
LARGE_BYTES = 64 * 1024
MAX_BYTES = 100 * 1024 * 1024
MAX_PROBLEMS = 20
_NAME = pattern(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_VALUE = "$value"
_TYPES = frozenset(
    {"recording", "workflow", "tool", "skill", "call", "model", "person", "step", "result", "end"}
)


@dataclass(frozen=True, slots=True)
class ReadRecording:
    """A recording, and what a reader should know about its file."""

    recording: Recording
    warnings: tuple[Problem, ...] = ()


class RecordingFolder:
    """The recordings of one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, name: str) -> Path:
        """Return the file of a recording. Raises `Invalid`: `RECORDING_NAME_INVALID`."""
        if not _NAME.fullmatch(name) or name.endswith(ENDING):
            raise Invalid(
                "RECORDING_NAME_INVALID",
                f"{name!r} cannot be the name of a recording",
                hint="use letters, digits, `.`, `_` and `-`, without the ending",
            )
        return self._folder / f"{name}{ENDING}"

    def names(self) -> list[str]:
        """Return the names of all recordings, sorted."""
        return sorted(path.stem for path in self._folder.glob(f"*{ENDING}"))

    def find(self, name: str) -> Path:
        """Return the file of an existing recording, by name or path. Raises `RECORDING_UNKNOWN`."""
        path = Path(name) if name.endswith(ENDING) else self.path(name)
        if not path.is_file():
            known = self.names()
            raise NotFound(
                "RECORDING_UNKNOWN",
                f"there is no recording {name!r} in {str(self._folder)!r}",
                hint=did_you_mean(name, known)
                or "`toolweave record RUN --as NAME` makes one of a finished run",
            )
        return path

    def write(self, recording: Recording) -> Path:
        """Write a recording and its large values; the file appears complete or not at all."""
        path = self.path(recording.name)
        write_recording(recording, path)
        return path


def write_recording(recording: Recording, path: Path) -> None:
    """Write a recording to a file, and its large values beside it."""
    digest = hashlib.sha256()
    lines: list[str] = []
    for number, line in enumerate((*recording.lines(), *recording.other)):
        raw = line if isinstance(line, dict) else line.as_json()
        text = line_text(cast("JsonObject", raw), path)
        lines.append(text)
        if number:
            digest.update(text.encode() + b"\n")
    if not recording.is_cut_off:
        end = EndLine(type="end", calls=len(recording.calls), hash=digest.hexdigest())
        lines.append(json_text.write(end.as_json()))
    replace_private(path, "\n".join(lines) + "\n")


def line_text(line: JsonObject, path: Path) -> str:
    """Return the text of a line of this file; its large values are written beside the file."""
    return json_text.write(_split(line, path.with_suffix(".values")))


def _split(line: JsonObject, values: Path) -> JsonObject:
    """Return a line whose large fields are references to files."""
    found: JsonObject = {}
    for name, value in line.items():
        data = orjson.dumps(value) if isinstance(value, dict | list | str) else b""
        if len(data) <= LARGE_BYTES:
            found[name] = value
            continue
        digest = hashlib.sha256(data).hexdigest()
        target = values / f"{digest}.json"
        if not target.exists():
            replace_private(target, data.decode())
        found[name] = {_VALUE: {"sha256": digest, "bytes": len(data)}}
    return found


def read_recording(path: Path) -> ReadRecording:
    """Read a recording. Raises `Invalid` with every problem, `NotFound`: `RECORDING_UNKNOWN`."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise Invalid(
                "RECORDING_INVALID",
                f"{str(path)!r} has {size} bytes; at most {MAX_BYTES} are read",
                hint="record a shorter run; large values belong beside the file",
            )
        data = path.read_bytes()
    except OSError as error:
        raise NotFound(
            "RECORDING_UNKNOWN", f"{str(path)!r} cannot be read: {error.strerror}"
        ) from None
    return _Reading(path).read(data)


def peek_header(path: Path) -> Header | None:
    """Return the header of a recording without reading the rest; `None` if it has none."""
    try:
        with path.open("rb") as file:
            return Header.model_validate_json(file.readline(MAX_BYTES))
    except (OSError, ValidationError):
        return None


@dataclass(slots=True)
class _Reading:
    path: Path
    problems: list[Problem] = field(default_factory=list[Problem])
    lines: list[AnyLine] = field(default_factory=list[AnyLine])
    other: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    end: EndLine | None = None
    # One value may be named by many lines.
    value_bytes: int = 0

    def read(self, data: bytes) -> ReadRecording:
        texts = data.split(b"\n")
        digest = hashlib.sha256()
        for number, text in enumerate(texts, 1):
            if self.end is not None and text.strip():
                self._problem(number, "", "there is a line after the end")
            raw = self._raw(number, text) if text.strip() else None
            if raw is None:
                continue
            if number == 1 and not self._is_ours(raw):
                break
            if raw.get("type") not in ("recording", "end"):
                digest.update(text + b"\n")
            self._take(number, raw)
        self._refuse()
        recording = self._whole()
        return ReadRecording(recording, tuple(self._warnings(digest.hexdigest(), len(texts))))

    def _is_ours(self, raw: JsonObject) -> bool:
        found = raw.get("format")
        if found == FORMAT:
            return True
        known = isinstance(found, str) and found.startswith("toolweave.recording/")
        message = (
            f"the format is {found!r}; this version reads {FORMAT!r}"
            if known
            else "this is not a recording: the first line has no `format`"
        )
        hint = "upgrade toolweave, or record the run again" if known else None
        self._problem(1, "/format", message, hint=hint, code="RECORDING_VERSION")
        return False

    def _raw(self, number: int, text: bytes) -> JsonObject | None:
        try:
            raw = json_text.read(text)
        except Invalid as error:
            self._problem(number, "", error.message)
            return None
        if not isinstance(raw, dict):
            self._problem(number, "", "expected a JSON object")
            return None
        return {name: self._resolved(number, name, value) for name, value in raw.items()}

    def _resolved(self, number: int, name: str, value: Json) -> Json:
        """Return a field, read from its own file if it is a reference to one."""
        held = value.get(_VALUE) if isinstance(value, dict) and len(value) == 1 else None
        if not isinstance(held, dict):
            return value
        digest = str(held.get("sha256"))
        file = self.path.with_suffix(".values") / f"{digest}.json"
        if not re.fullmatch(r"[0-9a-f]{64}", digest) or not file.is_file():
            self._problem(
                number,
                pointer(name),
                f"its value {digest[:12]!r} is not beside the recording",
                hint=f"restore the folder {file.parent.name!r}",
                code="RECORDING_VALUE_MISSING",
            )
            return None
        self.value_bytes += file.stat().st_size
        if self.value_bytes > MAX_BYTES:
            self._problem(
                number, pointer(name), f"its values have more than {MAX_BYTES} bytes together"
            )
            return None
        data = file.read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            self._problem(
                number,
                pointer(name),
                f"the file of value {digest[:12]!r} has another content",
                code="RECORDING_VALUE_MISSING",
            )
            return None
        return json_text.read(data)

    def _take(self, number: int, raw: JsonObject) -> None:
        if raw.get("type") not in _TYPES:
            self.other.append({**raw})
            return
        try:
            line = LINES.validate_python(raw)
        except ValidationError as error:
            for fault in error.errors(include_url=False, include_input=False):
                place = pointer(*fault["loc"][1:]) if fault["loc"][1:] else ""
                self._problem(number, place, fault["msg"])
            return
        if isinstance(line, EndLine):
            self.end = line
        elif isinstance(line, Header) and self.lines:
            self._problem(number, "", "a second header; expected one recording per file")
        else:
            self.lines.append(line)

    def _problem(
        self,
        number: int,
        place: str,
        message: str,
        *,
        hint: str | None = None,
        code: str = "RECORDING_INVALID",
    ) -> None:
        self.problems.append(Problem(code, place, f"line {number}: {message}", hint=hint))

    def _refuse(self) -> None:
        if not self.problems and not (self.lines and isinstance(self.lines[0], Header)):
            self._problem(1, "", "expected the header of a recording", code="RECORDING_VERSION")
        if self.problems:
            raise Invalid(
                self.problems[0].code,
                f"{str(self.path)!r} cannot be read: {how_many(self.problems)}",
                problems=self.problems[:MAX_PROBLEMS],
            )

    def _whole(self) -> Recording:
        header = self.lines[0]
        assert isinstance(header, Header)
        return Recording(
            header,
            next(self._of(WorkflowLine), None),
            tuple(self._of(ToolLine)),
            tuple(self._of(CallLine)),
            tuple(self._of(ModelLine)),
            tuple(self._of(PersonLine)),
            tuple(self._of(StepLine)),
            next(self._of(ResultLine), None),
            tuple(self._of(SkillLine)),
            is_cut_off=self.end is None,
            other=tuple(self.other),
        )

    def _of(self, kind: type[_LineT]) -> Iterator[_LineT]:
        return (line for line in self.lines if isinstance(line, kind))

    def _warnings(self, digest: str, count: int) -> Iterator[Problem]:
        if self.end is None:
            message = f"line {count}: there is no `end` line: the recording was cut off"
            yield Problem("RECORDING_CUT_OFF", "", message, severity="warning")
        elif self.end.hash != digest:
            message = "the lines differ from the hash in the `end` line: they were edited"
            yield Problem("RECORDING_EDITED", "", message, severity="warning")
