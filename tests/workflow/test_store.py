"""Named workflows: saved over what was read, never over what somebody else wrote."""

from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from tests.workflow.sample_files import JSON_FILES, sample

from toolweave.clock import SystemClock
from toolweave.errors import Conflict, Invalid, NotFound
from toolweave.storage.workflow_files import WorkflowFiles
from toolweave.workflow.formats.load import dump, read
from toolweave.workflow.model import Workflow, WorkflowId
from toolweave.workflow.store import (
    LARGE,
    MAX_KEPT,
    Revision,
    WorkflowChange,
    WorkflowFolder,
    WorkflowStore,
    revision_of,
)

pytestmark = pytest.mark.anyio


class MemoryFiles:
    """Files in memory, as the store's protocol asks for them."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    async def names(self) -> list[str]:
        return list(self.files)

    async def stamps(self) -> dict[str, str]:
        return {name: revision_of(data) for name, data in self.files.items()}

    async def read(self, name: str) -> bytes | None:
        return self.files.get(name)

    async def swap(self, name: str, old: bytes | None, new: bytes | None) -> bool:
        if self.files.get(name) != old:
            return False
        self.files.pop(name, None)
        if new is not None:
            self.files[name] = new
        return True


@pytest.fixture(params=["memory", "folder"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> WorkflowFolder:
    return MemoryFiles() if request.param == "memory" else WorkflowFiles(tmp_path / "workflows")


@pytest.fixture
def store(files: WorkflowFolder) -> WorkflowStore:
    return WorkflowStore(files)


def _named(name: str, description: str | None = None) -> Workflow:
    return Workflow(WorkflowId("w"), name, description=description)


async def test_a_saved_workflow_is_loaded_by_its_name_or_its_slug(store: WorkflowStore) -> None:
    revision = await store.save(_named("My Flow"), over=None)
    for name in ("My Flow", "my-flow"):
        stored = await store.load(name)
        assert (stored.workflow, stored.revision) == (_named("My Flow"), revision)


async def test_the_revision_is_the_hash_of_the_file(
    store: WorkflowStore, files: WorkflowFolder
) -> None:
    revision = await store.save(_named("a"), over=None)
    assert await files.read("a.json") == dump(_named("a"), "toolweave").encode()
    assert revision == revision_of(dump(_named("a"), "toolweave").encode())


@pytest.mark.parametrize("name", JSON_FILES)
async def test_every_sample_is_stored_without_loss(store: WorkflowStore, name: str) -> None:
    loaded = sample(name)
    await store.save(loaded.workflow, over=None)
    stored = await store.load(loaded.workflow.name)
    assert stored.workflow == loaded.workflow
    assert dump(stored.workflow, loaded.format) == dump(loaded.workflow, loaded.format)


async def test_workflows_are_listed_by_name_and_strange_files_passed_over(
    store: WorkflowStore, files: WorkflowFolder
) -> None:
    for name in ("b", "a", "C"):
        await store.save(_named(name), over=None)
    await files.swap("notes.txt", None, b"hello")
    await files.swap("broken.json", None, b"{")
    listed = await store.list()
    assert [stored.name for stored in listed] == ["C", "a", "b", "broken"]
    assert [problem.code for problem in listed[-1].loaded.problems] == ["WORKFLOW_NOT_JSON"]


async def test_saving_over_the_revision_that_was_read_replaces_it(store: WorkflowStore) -> None:
    first = await store.save(_named("a"), over=None)
    second = await store.save(_named("a", description="more"), over=first)
    assert second != first
    assert (await store.load("a")).workflow.description == "more"


async def test_saving_over_an_older_revision_is_refused_with_both(store: WorkflowStore) -> None:
    first = await store.save(_named("a"), over=None)
    second = await store.save(_named("a", description="theirs"), over=first)
    with pytest.raises(Conflict) as caught:
        await store.save(_named("a", description="mine"), over=first)
    assert caught.value.code == "WORKFLOW_CHANGED"
    facts = caught.value.facts
    assert (facts["expected"], facts["current"]) == (first, second)
    sides = [read(facts[side]).workflow.description for side in ("yours", "theirs")]
    assert sides == ["mine", "theirs"]
    assert (await store.load("a")).workflow.description == "theirs"


async def test_saving_over_a_file_that_is_gone_is_refused(store: WorkflowStore) -> None:
    with pytest.raises(Conflict) as caught:
        await store.save(_named("a"), over=Revision("0"))
    assert (caught.value.code, caught.value.facts["current"]) == ("WORKFLOW_CHANGED", None)


async def test_a_persons_edit_is_not_overwritten(
    store: WorkflowStore, files: WorkflowFolder
) -> None:
    revision = await store.save(_named("a"), over=None)
    content = await files.read("a.json")
    await files.swap("a.json", content, b'{"name": "a", "nodes": []}')
    with pytest.raises(Conflict):
        await store.save(_named("a"), over=revision)
    assert await files.read("a.json") == b'{"name": "a", "nodes": []}'


@pytest.mark.parametrize("name", ["My Flow", "my flow", "MY-FLOW!"])
async def test_a_new_name_with_the_slug_of_another_is_refused(
    store: WorkflowStore, name: str
) -> None:
    await store.save(_named("My Flow", description="first"), over=None)
    with pytest.raises(Conflict) as caught:
        await store.save(_named(name), over=None)
    assert caught.value.code == "WORKFLOW_NAME_TAKEN"
    assert caught.value.facts["other"] == "My Flow"
    assert (await store.load("My Flow")).workflow.description == "first"


async def test_another_name_of_the_same_slug_finds_nothing(store: WorkflowStore) -> None:
    await store.save(_named("My Flow"), over=None)
    with pytest.raises(NotFound) as caught:
        await store.load("my  FLOW")
    assert caught.value.code == "WORKFLOW_NOT_FOUND"
    assert caught.value.hint == "did you mean 'My Flow'?"


async def test_a_name_that_is_a_path_stays_in_the_folder(
    store: WorkflowStore, files: WorkflowFolder
) -> None:
    await store.save(_named("../../etc/passwd"), over=None)
    assert await files.names() in (["etc-passwd.json"], [".lock", "etc-passwd.json"])
    assert (await store.load("../../etc/passwd")).name == "../../etc/passwd"


async def test_a_workflow_without_a_name_is_not_saved(store: WorkflowStore) -> None:
    with pytest.raises(Invalid) as caught:
        await store.save(_named(" "), over=None)
    assert caught.value.code == "WORKFLOW_NAME_INVALID"


async def test_a_deleted_workflow_is_gone(store: WorkflowStore) -> None:
    revision = await store.save(_named("a"), over=None)
    await store.delete("a", over=revision)
    assert await store.list() == []
    with pytest.raises(NotFound):
        await store.delete("a", over=revision)


async def test_a_workflow_that_changed_is_not_deleted(store: WorkflowStore) -> None:
    first = await store.save(_named("a"), over=None)
    await store.save(_named("a", description="more"), over=first)
    with pytest.raises(Conflict):
        await store.delete("a", over=first)
    assert len(await store.list()) == 1


async def test_a_renamed_workflow_moves_to_the_file_of_its_new_name(
    store: WorkflowStore,
) -> None:
    first = await store.save(_named("Old one", description="d"), over=None)
    second = await store.rename("Old one", "New one", over=first)
    (stored,) = await store.list()
    assert (stored.name, stored.slug, stored.revision) == ("New one", "new-one", second)
    assert stored.workflow == replace(_named("Old one", description="d"), name="New one")


async def test_a_rename_within_one_slug_keeps_the_file(store: WorkflowStore) -> None:
    first = await store.save(_named("My Flow"), over=None)
    await store.rename("My Flow", "my flow", over=first)
    assert [(stored.name, stored.slug) for stored in await store.list()] == [("my flow", "my-flow")]


async def test_a_rename_onto_another_workflow_changes_neither(store: WorkflowStore) -> None:
    first = await store.save(_named("a"), over=None)
    await store.save(_named("b"), over=None)
    with pytest.raises(Conflict) as caught:
        await store.rename("a", "B", over=first)
    assert caught.value.code == "WORKFLOW_NAME_TAKEN"
    assert [stored.name for stored in await store.list()] == ["a", "b"]


async def test_a_rename_of_what_changed_is_refused(store: WorkflowStore) -> None:
    await store.save(_named("a"), over=None)
    with pytest.raises(Conflict) as caught:
        await store.rename("a", "b", over=Revision("0"))
    assert caught.value.code == "WORKFLOW_CHANGED"


class HastyFiles(MemoryFiles):
    """Files that somebody else changes between a look and a swap."""

    async def swap(self, name: str, old: bytes | None, new: bytes | None) -> bool:
        self.files[name] = b'{"name": "theirs"}'
        return await super().swap(name, old, new)


async def test_a_change_between_look_and_write_is_seen() -> None:
    files = HastyFiles()
    with pytest.raises(Conflict) as caught:
        await WorkflowStore(files).save(_named("a"), over=None)
    assert caught.value.code == "WORKFLOW_CHANGED"
    assert files.files == {"a.json": b'{"name": "theirs"}'}


async def test_a_workflow_saved_under_another_name_moves_there(store: WorkflowStore) -> None:
    first = await store.save(_named("a"), over=None)
    second = await store.save(_named("b", description="new"), over=first, at="a")
    [stored] = await store.list()
    assert (stored.name, stored.workflow.description, stored.revision) == ("b", "new", second)


async def test_what_happens_to_the_files_is_told_as_it_happens(
    store: WorkflowStore, files: WorkflowFolder
) -> None:
    there = await store.save(_named("there"), over=None)
    changes = store.changes(SystemClock())
    told: list[WorkflowChange] = []

    async def listen() -> None:
        async for change in changes:
            told.append(change)
            heard.set()

    async def next_change() -> WorkflowChange:
        nonlocal heard
        await heard.wait()
        heard = anyio.Event()
        return told[-1]

    heard = anyio.Event()
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            await anyio.sleep(0.3)  # until it has looked once; what was before is not told
            new = await store.save(_named("new"), over=None)
            assert await next_change() == WorkflowChange("new", new)
            text = dump(_named("there", "by an editor"), "toolweave").encode()
            old = await files.read("there.json")
            assert await files.swap("there.json", old, text)
            assert await next_change() == WorkflowChange("there", revision_of(text))
            await store.delete("there", over=revision_of(text))
            assert await next_change() == WorkflowChange("there", None)
            tasks.cancel_scope.cancel()
    await changes.aclose()
    assert there not in {change.revision for change in told}


async def test_a_list_reads_only_files_that_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    files = MemoryFiles()
    store, read_names, load_file = WorkflowStore(files), list[str](), files.read

    async def noted(name: str) -> bytes | None:
        read_names.append(name)
        return await load_file(name)

    for name in ("a", "b"):
        await store.save(_named(name), over=None)
    monkeypatch.setattr(files, "read", noted)
    assert [one.name for one in await store.list()] == ["a", "b"]
    assert sorted(read_names) == ["a.json", "b.json"]
    read_names.clear()
    changed = dump(_named("b", "by another program"), "toolweave").encode()
    files.files["b.json"] = changed
    assert [one.workflow.description for one in await store.list()] == [None, "by another program"]
    assert read_names == ["b.json"]
    del files.files["a.json"]
    assert [one.revision for one in await store.list()] == [revision_of(changed)]
    assert read_names == ["b.json"]


async def test_a_large_workflow_is_read_again_only_after_a_change(files: WorkflowFolder) -> None:
    large = _named("large", description="x" * LARGE)
    store = WorkflowStore(files)
    await store.save(large, over=None)
    first = await store.load("large")
    assert (await store.load("large")).workflow is first.workflow
    changed = replace(large, description="y" * LARGE)
    await store.save(changed, over=first.revision)
    second = await store.load("large")
    assert (second.workflow, first.workflow) == (changed, large)
    # Saving the first text again: what is kept of the second is not taken for it.
    await store.save(large, over=second.revision)
    assert (await store.load("large")).revision == first.revision


async def test_only_so_much_text_is_kept_of_large_workflows(files: WorkflowFolder) -> None:
    store = WorkflowStore(files)
    names = [f"large-{at}" for at in range(4)]
    for name in names:
        await store.save(_named(name, description="x" * (MAX_KEPT // 3)), over=None)
    first, *_, last = [(await store.load(name)).workflow for name in names]
    assert (await store.load(names[-1])).workflow is last
    assert (await store.load(names[0])).workflow is not first
