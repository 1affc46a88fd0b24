"""A client that watches a resource is notified of its changes, in either era."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from copy import copy
from pathlib import Path

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from tests.library.repo import Repo
from tests.publishing.desk import MODES, Desk, Mode, desk_in

from conformance.fixtures import NAME, chain, prompt
from servers.rooms import eventually
from toolweave.access.keys import ApiKey, KeyId
from toolweave.app.running_studio import RunningStudio
from toolweave.engine.runs import RunRequest
from toolweave.home import FILES
from toolweave.library.files import LibraryFile
from toolweave.library.home_libraries import library_store
from toolweave.library.models import LibraryRevision
from toolweave.library.store import LibraryStore
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.home_resources import HomeResources
from toolweave.mcp_server.library_resources import LibraryResources
from toolweave.mcp_server.subscriptions import MAX_WATCHED, Subscriptions, Watcher
from toolweave.mcp_server.tool_call import ResourceReader
from toolweave.workflow.formats.load import read

pytestmark = pytest.mark.anyio

LIMITED = ApiKey(
    KeyId("k"), "k", frozenset({"tools:read", "workflows:read"}), "", tools=frozenset({"mine"})
)

Change = Callable[[], Awaitable[object]]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    async with desk_in(tmp_path / "home") as desk:
        yield desk


async def subscribe(client: Client, uri: str) -> None:
    """As clients of the older protocol do; the SDK's own method warns that it is gone."""
    params = types.SubscribeRequestParams(uri=uri)
    await client.session.send_request(types.SubscribeRequest(params=params), types.EmptyResult)


@asynccontextmanager
async def watching(
    desk: Desk, mode: Mode, uri: str
) -> AsyncGenerator[Callable[[], Awaitable[str]]]:
    """Waits for the next notification that this resource changed."""
    send, heard = anyio.create_memory_object_stream[str](10)

    async def note(message: object) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            await send.send(str(message.params.uri))

    async with AsyncExitStack() as stack:
        stack.enter_context(send)
        stack.enter_context(heard)
        client: Client = await stack.enter_async_context(desk.client(mode, message_handler=note))
        if mode == "legacy":
            await subscribe(client, uri)
            yield heard.receive
            return
        stream = await stack.enter_async_context(client.listen(resource_subscriptions=[uri]))

        async def following() -> str:
            return str(getattr(await anext(stream), "uri", ""))

        yield following


async def notified(desk: Desk, mode: Mode, uri: str, change: Change) -> str:
    with anyio.fail_after(30):
        async with watching(desk, mode, uri) as following:
            await change()
            return await following()


@pytest.mark.parametrize("mode", MODES)
async def test_changes_of_a_workflow_and_a_document(desk: Desk, mode: Mode) -> None:
    store = desk.studio.home.workflows
    revision = await store.save(read(chain("watched", prompt("one"))).workflow, over=None)

    async def edit() -> None:
        await store.save(read(chain("watched", prompt("two"))).workflow, over=revision)

    uri = "toolweave://workflows/watched"
    assert await notified(desk, mode, uri, edit) == uri
    path = anyio.Path(desk.home.settings.home / FILES / "notes.md")
    await path.parent.mkdir(exist_ok=True)
    await path.write_text("one")
    uri = "toolweave://documents/notes.md"
    assert await notified(desk, mode, uri, lambda: path.write_text("another")) == uri


@pytest.mark.parametrize("mode", MODES)
async def test_the_end_of_a_run(desk: Desk, mode: Mode) -> None:
    engine = desk.studio.engine
    workflow = read(chain("asks", NAME)).workflow
    run = await engine.runs.start(RunRequest(workflow, {}))

    async def is_waiting() -> bool:
        return (await engine.get(run)).status == "waiting"

    await eventually(is_waiting)
    uri = f"toolweave://runs/{run}"
    assert await notified(desk, mode, uri, lambda: engine.cancel(run, by="test")) == uri


@pytest.mark.parametrize("mode", MODES)
async def test_a_new_commit_of_a_library(desk: Desk, mode: Mode, tmp_path: Path) -> None:
    index = {"resources": [{"file": "style.md", "uri": "acme://style"}]}
    files = {"resources/index.json": index, "resources/style.md": b"one"}
    repo = Repo(tmp_path / "repo", files)
    libraries = library_store(desk.home)
    await libraries.add("team", str(repo.folder), ref=None, folder=tmp_path)

    async def commit() -> None:
        repo.commit({"resources/style.md": b"two"})
        await libraries.refresh("team")

    assert await notified(desk, mode, "acme://style", commit) == "acme://style"


async def test_files_of_a_library_are_read_once_for_a_commit_whoever_watches(
    desk: Desk, tmp_path: Path
) -> None:
    files = {f"resources/{number}.md": b"one" for number in range(3)}
    repo = Repo(tmp_path / "repo", {"resources/index.json": {"resources": []}, **files})

    class CountingLibraries(LibraryStore):
        files_read, revisions_read = 0, 0

        async def file(self, name: str, path: str) -> LibraryFile:
            self.files_read += 1
            return await super().file(name, path)

        async def revision(self, name: str) -> LibraryRevision:
            self.revisions_read += 1
            return await super().revision(name)

    plain = library_store(desk.home)
    libraries = copy(plain)
    libraries.__class__ = CountingLibraries
    assert isinstance(libraries, CountingLibraries)
    await plain.add("team", str(repo.folder), ref=None, folder=tmp_path)

    async def rooms() -> RunningStudio:
        return desk.studio

    watched = LibraryResources(McpContext(rooms, desk.published, libraries=libraries))
    reader = ResourceReader(None)
    uris = [f"toolweave://libraries/team/resources/{number}.md" for number in range(3)]
    first = [await watched.version(reader, uri) for uri in uris * 4]
    assert (libraries.files_read, libraries.revisions_read) == (3, 1)
    repo.commit({"resources/1.md": b"two"})
    await plain.refresh("team")

    async def is_seen() -> bool:
        return await watched.version(reader, uris[1]) != first[1]

    await eventually(is_seen)
    now = [await watched.version(reader, uri) for uri in uris * 4]
    assert [old == new for old, new in zip(first[:3], now[:3], strict=True)] == [True, False, True]
    assert libraries.files_read == 6


async def test_clients_with_one_key_share_one_look_and_nothing_is_read_for_nobody() -> None:
    looks: list[str] = []

    async def version_of(_: ResourceReader, uri: str) -> str:
        looks.append(uri)
        return str(len(looks))

    told: list[str] = []

    async def notify(uri: str) -> None:
        told.append(uri)

    subscriptions = Subscriptions()
    subscriptions.read_by(version_of)
    mine, other = ResourceReader(None), ResourceReader(LIMITED)
    watchers = [
        Watcher(mine, {"a:b": "0"}),
        Watcher(mine, {"a:b": "0"}),
        Watcher(other, {"a:b": "0"}),
    ]
    await subscriptions.compare([])
    assert looks == []
    await subscriptions.compare([(one, notify) for one in watchers])
    assert (looks, told) == (["a:b"] * 2, ["a:b"] * 3)


async def test_what_cannot_be_read_cannot_be_watched(desk: Desk) -> None:
    store = desk.studio.home.workflows
    await store.save(read(chain("watched", prompt("one"))).workflow, over=None)
    async with desk.client("legacy") as client:
        await subscribe(client, "toolweave://workflows/watched")
        gone = types.UnsubscribeRequestParams(uri="toolweave://workflows/watched")
        await client.session.send_request(types.UnsubscribeRequest(params=gone), types.EmptyResult)
        for uri in ("toolweave://workflows/nothing", "other://thing", "skill://toolweave/watched"):
            with pytest.raises(MCPError) as refused:
                await subscribe(client, uri)
            assert refused.value.error.code == types.INVALID_PARAMS


async def test_a_connection_watches_a_bounded_number(desk: Desk) -> None:
    folder = desk.home.settings.home / FILES
    folder.mkdir(exist_ok=True)
    async with desk.client("legacy") as client:
        for number in range(MAX_WATCHED):
            (folder / f"{number}.md").write_text("one", encoding="utf-8")
            await subscribe(client, f"toolweave://documents/{number}.md")
        await subscribe(client, "toolweave://documents/0.md")
        (folder / "more.md").write_text("one", encoding="utf-8")
        with pytest.raises(MCPError, match="at most"):
            await subscribe(client, "toolweave://documents/more.md")


async def test_a_limited_key_watches_only_what_it_may_read(desk: Desk) -> None:
    store = desk.studio.home.workflows
    await desk.publish(chain("mine", prompt("one")))
    revision = (await store.load("mine")).revision
    await store.save(read(chain("other", prompt("one"))).workflow, over=None)
    folder = desk.home.settings.home / FILES
    folder.mkdir(exist_ok=True)
    (folder / "notes.md").write_text("one", encoding="utf-8")

    async def rooms() -> RunningStudio:
        return desk.studio

    resources = HomeResources(rooms)
    everything, limited = ResourceReader(None), ResourceReader(LIMITED)
    mine = "toolweave://workflows/mine"
    before = [await resources.version(reader, mine) for reader in (everything, limited)]
    await store.save(read(chain("mine", prompt("two"))).workflow, over=revision)
    after = [await resources.version(reader, mine) for reader in (everything, limited)]
    # Such a key sees the published version, which is the same.
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, True]
    for uri in ("toolweave://workflows/other", "toolweave://documents/notes.md"):
        assert await resources.version(everything, uri)
        with pytest.raises(MCPError):
            await resources.version(limited, uri)
