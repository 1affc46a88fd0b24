"""A client's calls of one server as a recording: written call by call, complete at the end.

Each call is appended when it ends, so that a killed process leaves a readable file. The end
replaces the file as a whole: in order, with all masks, and with its `end` line.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from toolweave.access.mask import Masker
from toolweave.clock import Clock
from toolweave.json_text import Json, JsonObject
from toolweave.recording.entries import (
    FORMAT,
    CallLine,
    Header,
    RecordedServer,
    RecordingSource,
    ToolLine,
)
from toolweave.recording.files import MAX_BYTES, line_text, write_recording
from toolweave.recording.masking import mask_recording
from toolweave.recording.matching import canonical_arguments, key_of
from toolweave.recording.recording import Recording
from toolweave.servers.lockfile import Pin
from toolweave.storage.files import make_private_folder


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call that has begun."""

    seq: int
    group: int
    at_ms: float


class TrafficRecorder:
    """Writes the calls of one server to a file."""

    def __init__(
        self, path: Path, header: Header, pins: dict[str, Pin], clock: Clock, masks: "TrafficMasks"
    ) -> None:
        self.path = path
        self._clock = clock
        self._masks = masks
        self._pins = pins
        self._began = clock.monotonic()
        (server,) = header.servers
        tools = tuple(
            ToolLine(type="tool", server=server, hash=pin.hash, definition=pin.definition)
            for _, pin in sorted(pins.items())
        )
        self._recording = Recording(header, tools=tools)
        self._bytes = 0
        self._seq = 0
        self._group = 0
        self._open = 0
        self._times: dict[str, int] = {}
        self._is_finished = False
        make_private_folder(path.parent)
        self._append(*(one.as_json() for one in masks.apply(self._recording).lines()), new=True)

    @property
    def calls(self) -> int:
        """How many calls are recorded."""
        return len(self._recording.calls)

    @property
    def is_full(self) -> bool:
        """Whether the file has its largest size; later calls are forwarded only."""
        return self._bytes > MAX_BYTES // 2

    def begin(self) -> OpenCall:
        """Note that a call begins."""
        self._seq += 1
        if self._open == 0:
            self._group += 1
        self._open += 1
        return OpenCall(self._seq, self._group, self._now_ms())

    def after_ms(self, call: OpenCall) -> float:
        """Return the milliseconds since a call began."""
        return self._now_ms() - call.at_ms

    def end(self, call: OpenCall, body: JsonObject) -> None:
        """Write a call that ended: its tool and arguments, and what came of it."""
        self._open -= 1
        if self._is_finished or self.is_full:
            return
        server, tool, arguments = str(body["server"]), str(body["tool"]), body["arguments"]
        assert isinstance(arguments, dict)
        pin = self._pins.get(tool)
        wanted = canonical_arguments(arguments, _schema(pin))
        key = key_of(server, "tools/call", tool, wanted)
        self._times[key] = self._times.get(key, 0) + 1
        line: dict[str, object] = {
            "type": "call",
            "seq": call.seq,
            "group": call.group,
            "at_ms": round(call.at_ms, 3),
            "took_ms": round(self.after_ms(call), 3),
            "key": key,
            "occurrence": self._times[key],
            **body,
        }
        if pin is not None:
            line["tool_hash"] = pin.hash
        made = CallLine.model_validate(line)
        self._recording = replace(self._recording, calls=(*self._recording.calls, made))
        # Only this line is masked now; the end masks all of them again, with what came later.
        masked = self._masks.apply(replace(self._recording, tools=(), calls=(made,)))
        self._append(*(one.as_json() for one in masked.calls))

    def finish(self) -> None:
        """Complete the file; what was recorded cannot be lost by doing it twice."""
        if self._is_finished:
            return
        self._is_finished = True
        calls = tuple(sorted(self._recording.calls, key=lambda line: line.seq))
        recording = replace(self._recording, calls=calls)
        if self.is_full:
            source = recording.header.source.model_copy(update={"fidelity": "partial"})
            header = recording.header.model_copy(update={"source": source})
            recording = replace(recording, header=header)
        write_recording(self._masks.apply(recording), self.path)

    def _append(self, *lines: JsonObject, new: bool = False) -> None:
        texts = [line_text(line, self.path) + "\n" for line in lines]
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if new else os.O_APPEND)
        descriptor = os.open(self.path, flags, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            for text in texts:
                file.write(text)
                self._bytes += len(text)

    def _now_ms(self) -> float:
        return (self._clock.monotonic() - self._began) * 1000


def _schema(pin: Pin | None) -> JsonObject | None:
    definition: JsonObject = pin.definition if pin is not None else {}
    found = definition.get("inputSchema")
    return found if isinstance(found, dict) else None


@dataclass(frozen=True, slots=True)
class TrafficMasks:
    """What is masked in recorded traffic: known secrets, sensitive names, and given fields."""

    masker: Masker
    fields: tuple[str, ...] = ()

    def apply(self, recording: Recording) -> Recording:
        """Return the recording without them."""
        return mask_recording(recording, self.masker, self.fields)


def traffic_header(name: str, server: str, pins: dict[str, Pin], now: str) -> Header:
    """Return the header of a recording of one server's calls."""
    hashes: list[Json] = [pin.hash for _, pin in sorted(pins.items())]
    return Header(
        type="recording",
        format=FORMAT,
        name=name,
        recorded_at=now,
        source=RecordingSource(kind="proxy", fidelity="wire"),
        servers={server: RecordedServer(tools_hash=key_of(hashes))},
    )
