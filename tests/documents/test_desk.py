"""Documents run: what is due, how many at once, what is written, and what is left alone."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from toolweave.documents.bindings import read_binding
from toolweave.documents.document_json import DocumentRunRecord
from toolweave.documents.service import DocumentRunReport, DocumentService, document_key
from toolweave.documents.workspace import document_service
from toolweave.errors import NotFound, Unavailable
from toolweave.home import Home, open_home
from toolweave.json_text import Json, JsonObject
from toolweave.servers.definition import CommandServer
from toolweave.settings import Limits, Settings
from toolweave.testing.clock import FakeClock
from toolweave.tools.tool import Content, ProgressListener, ToolCall, ToolResult

pytestmark = pytest.mark.anyio

Act = Callable[[ToolCall], Awaitable[ToolResult]]


def text(said: str) -> ToolResult:
    return ToolResult((Content("text", said),), took_ms=5)


class Tools:
    """Answers every call by one function, and remembers the calls."""

    def __init__(self, act: Act | None = None) -> None:
        self.calls: list[ToolCall] = []
        self._act = act
        self.running = 0
        self.most = 0

    async def call(
        self, call: ToolCall, *, on_progress: ProgressListener | None = None
    ) -> ToolResult:
        self.calls.append(call)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await anyio.lowlevel.checkpoint()
            return await self._act(call) if self._act else text(f"{call.tool} says hi")
        finally:
            self.running -= 1


class Flows:
    """Gives its inputs back."""

    async def run_workflow(self, name: str, inputs: JsonObject, *, trigger: str) -> Json:
        if name == "missing":
            raise NotFound("WORKFLOW_NOT_FOUND", "no such workflow")
        return {"name": name, "inputs": inputs, "trigger": trigger.partition(":")[0]}


@pytest.fixture
async def home(tmp_path: Path) -> AsyncGenerator[Home]:
    settings = Settings(home=tmp_path / "home", limits=Limits(concurrent_calls=3))
    async with open_home(settings, clock=FakeClock(), environ={}, directory=tmp_path) as home:
        # The clock stands still, so the name decides which is the first enabled one.
        for name in ("demo", "other", "a-first"):
            await home.registry.add(name, CommandServer(command="nothing"))
            await home.registry.enable(name)
        yield home


@pytest.fixture
def desk(home: Home) -> DocumentService:
    return document_service(home)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "notes.md"


def block(tool: str = "echo", more: str = "") -> str:
    return f"```demo\ntool: {tool}\n{more}```\n"


def write(path: Path, content: str | bytes, *, mode: int = 0o644) -> None:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)


def data_of(path: Path) -> bytes:
    return path.read_bytes()


def read(path: Path) -> str:
    return path.read_bytes().decode()


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def is_link(path: Path) -> bool:
    return path.is_symlink()


def pictures_of(path: Path) -> list[Path]:
    return sorted((path.parent / f"{path.stem}.assets").iterdir())


async def run(
    desk: DocumentService, notes: Path, tools: Tools, *, refresh: bool = False
) -> DocumentRunReport:
    with anyio.fail_after(60):
        return await desk.run(notes, tools, Flows(), refresh=refresh)


async def test_a_result_appears_below_its_block_and_stays_until_something_changes(
    desk: DocumentService, notes: Path
) -> None:
    write(notes, f"# Notes\n\n{block()}\nAfter.\n")
    tools = Tools()
    first = await run(desk, notes, tools)
    assert (first.is_success, DocumentRunRecord.read(first).ran) == (True, 1)
    (call,) = tools.calls
    assert (call.server, call.tool, call.source, call.line) == ("demo", "echo", "document", 3)
    assert call.location == str(notes)
    written = read(notes)
    assert "> echo says hi\n" in written
    assert written.endswith("\nAfter.\n")
    again = await run(desk, notes, tools)
    record = DocumentRunRecord.read(again)
    assert (record.ran, record.skipped) == (0, 1)
    assert read(notes) == written
    await run(desk, notes, tools, refresh=True)
    assert len(tools.calls) == 2
    write(notes, written.replace("tool: echo", "tool: echo\nn: 1"))
    await run(desk, notes, tools)
    assert tools.calls[-1].arguments == {"n": 1}
    assert read(notes).count("[!success]") == 1


async def test_what_failed_is_tried_again_but_not_when_only_watching(
    desk: DocumentService, notes: Path
) -> None:
    async def fail(_: ToolCall) -> ToolResult:
        raise Unavailable("MCP_SERVER_DISCONNECTED", "it is down", hint="start it")

    write(notes, block())
    failed = await run(desk, notes, Tools(fail))
    assert not failed.is_success
    assert "> it is down [MCP_SERVER_DISCONNECTED]" in read(notes)
    watching = Tools()
    await desk.run(notes, watching, Flows(), retry=False)
    assert watching.calls == []
    assert (await run(desk, notes, Tools())).is_success
    assert "it is down" not in read(notes)


async def test_no_more_blocks_run_at_once_than_the_limit(
    desk: DocumentService, notes: Path
) -> None:
    many = "".join(block("echo", f"n: {n}\n") for n in range(20))
    write(notes, many)
    tools = Tools()
    await run(desk, notes, tools)
    assert (len(tools.calls), tools.most) == (20, 1)
    assert [call.arguments["n"] for call in tools.calls] == list(range(20))
    side_by_side = Tools()
    with anyio.fail_after(60):
        await desk.run(notes, side_by_side, Flows(), refresh=True, parallel=10)
    assert (len(side_by_side.calls), side_by_side.most) == (20, 3)


async def test_a_session_runs_twenty_five_blocks_and_says_how_to_go_on(
    desk: DocumentService, notes: Path
) -> None:
    write(notes, "".join(block("echo", f"n: {n}\n") for n in range(60)))
    tools = Tools()
    counts: list[int] = []
    for left in (35, 10, 0):
        before = len(tools.calls)
        ran = await run(desk, notes, tools)
        counts.append(len(tools.calls) - before)
        assert (ran.held.facts["left"] if ran.held else 0) == left
        assert ran.held is None or "run it again" in (ran.held.hint or "")
    assert counts == [25, 25, 10]
    assert len({call.scope for call in tools.calls}) == 3


async def test_a_document_that_was_changed_meanwhile_is_left_as_it_is(
    desk: DocumentService, notes: Path
) -> None:
    write(notes, block())

    async def change(_: ToolCall) -> ToolResult:
        write(notes, "something else\n")
        return text("late")

    ran = await run(desk, notes, Tools(change))
    assert not ran.is_success
    assert "DOCUMENT_CHANGED" in [one.code for one in ran.problems]
    assert read(notes) == "something else\n"
    assert not [name for name in os.listdir(notes.parent) if name.endswith(".tmp")]


async def test_a_stop_keeps_what_is_done(desk: DocumentService, notes: Path) -> None:
    write(notes, block("quick") + block("slow"))
    stop = anyio.Event()

    async def act(call: ToolCall) -> ToolResult:
        if call.tool == "slow":
            stop.set()
            await anyio.sleep_forever()
        return text("quick is done")

    with anyio.fail_after(60):
        ran = await desk.run(notes, Tools(act), Flows(), stop=stop)
    assert (ran.is_cancelled, ran.is_success, len(ran.results)) == (True, False, 1)
    written = read(notes)
    assert "quick is done" in written
    assert written.count("[!") == 1


async def test_workflows_run_too_and_a_missing_one_is_told(
    desk: DocumentService, notes: Path
) -> None:
    write(
        notes,
        "```workflow\nworkflow: trip\ncity: Oslo\n```\n```workflow\nworkflow: missing\n```\n",
    )
    await run(desk, notes, Tools())
    written = read(notes)
    assert '"city": "Oslo"' in written
    assert "no such workflow [WORKFLOW_NOT_FOUND]" in written


async def test_secrets_are_hidden_in_what_is_written(
    desk: DocumentService, home: Home, notes: Path
) -> None:
    home.masker.learn(["hunter2-very-secret"])

    async def leak(call: ToolCall) -> ToolResult:
        if call.tool == "fails":
            raise Unavailable("SERVER_HTTP_ERROR", "no: hunter2-very-secret")
        return ToolResult(
            (Content("text", "hunter2-very-secret"),), structured={"a": "hunter2-very-secret"}
        )

    write(notes, block("x") + block("fails"))
    await run(desk, notes, Tools(leak))
    written = read(notes)
    assert "hunter2" not in written
    assert "***" in written


async def test_pictures_go_to_files_beside_the_document(desk: DocumentService, notes: Path) -> None:
    async def draw(_: ToolCall) -> ToolResult:
        return ToolResult((Content("image", data=b"png", mime_type="image/png"),))

    write(notes, block("draw"))
    await run(desk, notes, Tools(draw))
    (picture,) = pictures_of(notes)
    assert data_of(picture) == b"png"
    assert f"](<notes.assets/{picture.name}>)" in read(notes)


async def test_bindings_are_kept_beside_the_document_and_the_first_enabled_is_used(
    desk: DocumentService, notes: Path
) -> None:
    write(notes, "# A\n\n```tool\ntool: x\n```\n")
    tools = Tools()
    await run(desk, notes, tools)
    kept = await desk.bind(notes, read_binding({"server": "demo", "heading": "A"}))
    again = await desk.bind(notes, read_binding({"server": "demo", "heading": "A"}))
    await run(desk, notes, tools)
    assert [call.server for call in tools.calls] == ["a-first", "demo"]
    looked = await desk.look(notes)
    assert [one.id for one in looked.kept] == [again.id]
    with pytest.raises(NotFound) as gone:
        await desk.kept.remove(document_key(notes), kept.id)
    assert gone.value.code == "DOCUMENT_BINDING_NOT_FOUND"
    assert await desk.kept.remove(document_key(notes), None) == 1
    with pytest.raises(NotFound):
        await desk.bind(notes, read_binding({"server": "nobody", "heading": "A"}))


async def test_clearing_gives_the_bytes_from_before(desk: DocumentService, notes: Path) -> None:
    before = b"\xef\xbb\xbf# T\r\n\r\n> ```demo\r\n> tool: x\r\n> ```\r\n> rest\r\n\xff\r\n"
    write(notes, before, mode=0o640)
    await run(desk, notes, Tools())
    assert data_of(notes) != before
    assert await desk.clear(notes) == 1
    assert data_of(notes) == before
    assert mode_of(notes) == 0o640
    assert await desk.clear(notes) == 0


async def test_a_link_to_a_document_stays_a_link(
    desk: DocumentService, notes: Path, tmp_path: Path
) -> None:
    real = tmp_path / "real.md"
    write(real, block())
    os.symlink(real, notes)
    await run(desk, notes, Tools())
    assert is_link(notes)
    assert "says hi" in read(real)


async def test_a_missing_document_and_a_folder_are_told(
    desk: DocumentService, tmp_path: Path
) -> None:
    for path in (tmp_path / "nothing.md", tmp_path):
        with pytest.raises(NotFound) as missing:
            await desk.look(path)
        assert missing.value.code == "DOCUMENT_NOT_FOUND"


async def test_a_block_that_cannot_be_run_stops_no_other(
    desk: DocumentService, notes: Path
) -> None:
    write(notes, "```demo\ntool: a\nx: &a 1\n```\n" + block("b") + "```demo\ntool: open\n")
    tools = Tools()
    ran = await run(desk, notes, tools)
    assert [call.tool for call in tools.calls] == ["b"]
    assert not ran.is_success
    assert [one.code for one in ran.looked.problems] == [
        "DOCUMENT_PARAMETERS_INVALID",
        "DOCUMENT_BLOCK_UNCLOSED",
    ]
