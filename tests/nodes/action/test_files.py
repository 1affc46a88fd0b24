"""ACTION.FILE_READ and ACTION.FILE_WRITE, and the folders they may use."""

import os
from pathlib import Path

import anyio
import pytest
from tests.nodes.action.trying import code_of, field, run

from toolweave.catalog.resources.record import Resources
from toolweave.errors import Conflict, Invalid, NotFound, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.action.file_read import node as reading
from toolweave.nodes.action.file_write import node as writing
from toolweave.resources.files import AllowedFolders

pytestmark = pytest.mark.anyio


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret", encoding="utf-8")
    return tmp_path / "files"


async def read(root: Path, path: str, **config: Json) -> JsonObject:
    return await run(reading, {"path": path, **config}, Resources(files=AllowedFolders([root])))


async def write(root: Path, path: str, content: Json, **config: Json) -> JsonObject:
    files = AllowedFolders([root])
    return await run(writing, {"path": path, **config}, Resources(files=files), content=content)


@pytest.mark.parametrize(
    ("encoding", "data", "content"),
    [
        ("utf-8", b"\xef\xbb\xbfcaf\xc3\xa9", "café"),
        ("latin-1", b"caf\xe9", "café"),
        ("base64", b"\x00\xff", "AP8="),
    ],
)
async def test_each_encoding_is_read(root: Path, encoding: str, data: bytes, content: str) -> None:
    (root / "a.bin").write_bytes(data)
    found = await read(root, "a.bin", encoding=encoding)
    assert found["content"] == content
    assert found["path"] == "a.bin"
    assert found["size"] == len(data)
    assert str(found["modified_at"]).endswith("Z")
    assert field(reading, "encoding").options == ("utf-8", "latin-1", "base64")


async def test_what_is_no_text_is_told(root: Path) -> None:
    (root / "a").write_bytes(b"ab\xff")
    with pytest.raises(Invalid, match="byte 2") as caught:
        await read(root, "a")
    assert code_of(caught) == "FILE_NOT_TEXT"


async def test_a_path_known_at_run_time_wins(root: Path) -> None:
    (root / "b").write_text("b", encoding="utf-8")
    found = await run(reading, {"path": "a"}, Resources(files=AllowedFolders([root])), path="b")
    assert found["content"] == "b"


async def test_a_whole_path_inside_a_folder_is_read(root: Path, tmp_path: Path) -> None:
    (root / "d").mkdir()
    (root / "d" / "a").write_text("here", encoding="utf-8")
    files = AllowedFolders([root, tmp_path / "outside"])
    whole = await run(reading, {"path": str(root / "d" / "a")}, Resources(files=files))
    assert whole["path"] == "d/a"
    other = str(tmp_path / "outside" / "secret.txt")
    assert (await run(reading, {"path": other}, Resources(files=files)))["content"] == "secret"


async def test_a_file_that_is_too_large_is_refused(root: Path) -> None:
    (root / "a").write_bytes(b"x" * 11)
    with pytest.raises(Invalid) as caught:
        await read(root, "a", max_bytes=10)
    assert code_of(caught) == "FILE_TOO_LARGE"


ESCAPES = [
    *("../outside/secret.txt", "d/../../outside/secret.txt", "/etc/passwd", "..", ".", "/", ""),
    *("link.txt", "folder/secret.txt", "loop/x", "a\0b", "d\\..\\x", "chain/secret.txt", "pipe"),
    *("x" * 5000, "plain/below"),
]


@pytest.mark.parametrize("path", ESCAPES, ids=lambda one: one[:30] or "nothing")
async def test_no_path_and_no_link_leads_outside(root: Path, tmp_path: Path, path: str) -> None:
    (root / "d").mkdir()
    (root / "plain").write_text("p", encoding="utf-8")
    (root / "link.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "chain").symlink_to("folder")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe")
    with anyio.fail_after(60):
        with pytest.raises(ToolweaveError) as caught:
            await read(root, path)
        assert code_of(caught) in {"FILE_DENIED", "FILE_PATH_INVALID"}
        with pytest.raises(ToolweaveError) as caught:  # stores check nothing before
            await AllowedFolders([root]).read(path, max_bytes=100)
        assert code_of(caught) in {"FILE_DENIED", "FILE_PATH_INVALID"}
        for mode in field(writing, "mode").options:
            with pytest.raises(ToolweaveError) as caught:
                await write(root, path, "overwritten", mode=mode)
            assert code_of(caught) in {"FILE_DENIED", "FILE_PATH_INVALID"}
    assert [one.name for one in (tmp_path / "outside").iterdir()] == ["secret.txt"]
    assert (tmp_path / "outside" / "secret.txt").read_text(encoding="utf-8") == "secret"


async def test_a_root_that_is_a_link_itself_is_the_users_choice(root: Path, tmp_path: Path) -> None:
    (tmp_path / "named").symlink_to(root)
    assert (await write(tmp_path / "named", "a", "x"))["created"] is True
    assert (root / "a").read_text(encoding="utf-8") == "x"


async def test_a_missing_file_is_named(root: Path) -> None:
    with pytest.raises(NotFound, match="'no/such'") as caught:
        await read(root, "no/such")
    assert code_of(caught) == "FILE_NOT_FOUND"


MODES: dict[str, tuple[str, str]] = {
    "overwrite": ("new", "newer"),
    "create": ("new", "FILE_EXISTS"),
    "append": ("new", "newnewer"),
}


@pytest.mark.parametrize("mode", field(writing, "mode").options)
async def test_each_mode_writes_as_it_says(root: Path, mode: str) -> None:
    first, second = MODES[mode]
    made = await write(root, "d/e/a.txt", "new", mode=mode)
    assert made == {"path": "d/e/a.txt", "size": 3, "created": True}
    assert (root / "d/e/a.txt").read_text(encoding="utf-8") == first
    try:
        again = await write(root, "d/e/a.txt", "newer", mode=mode)
        assert again["created"] is False
        found = (root / "d/e/a.txt").read_text(encoding="utf-8")
    except Conflict as error:
        found = error.code
    assert found == second
    assert [one.name for one in (root / "d/e").iterdir()] == ["a.txt"]


async def test_to_create_the_same_again_is_to_have_created_it(root: Path) -> None:
    await write(root, "a", "same", mode="create")
    assert (await write(root, "a", "same", mode="create"))["created"] is False


@pytest.mark.parametrize(
    ("encoding", "content", "data"),
    [
        ("utf-8", "é\r\n", "é\r\n".encode()),
        ("utf-8", {"a": [1, None]}, b'{"a":[1,null]}'),
        ("base64", "AP8=", b"\x00\xff"),
    ],
)
async def test_each_encoding_is_written(
    root: Path, encoding: str, content: Json, data: bytes
) -> None:
    await write(root, "a", content, encoding=encoding)
    assert (root / "a").read_bytes() == data
    assert field(writing, "encoding").options == ("utf-8", "base64")


@pytest.mark.parametrize("content", ["no base64!", {"a": 1}, "é"])
async def test_what_is_no_base64_is_refused(root: Path, content: Json) -> None:
    with pytest.raises(Invalid) as caught:
        await write(root, "a", content, encoding="base64")
    assert code_of(caught) == "FILE_CONTENT_INVALID"
    assert not (root / "a").exists()


async def test_missing_folders_are_made_only_where_they_may_be(root: Path) -> None:
    with pytest.raises(NotFound):
        await write(root, "d/a", "x", make_folders=False)
    assert not (root / "d").exists()


async def test_the_first_folder_is_made_when_first_written_to(tmp_path: Path) -> None:
    await write(tmp_path / "new", "a", "x")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "new" / "a").stat().st_mode & 0o777 == 0o600


async def test_a_file_keeps_its_mode_when_replaced(root: Path) -> None:
    (root / "a").write_text("old", encoding="utf-8")
    (root / "a").chmod(0o640)
    await write(root, "a", "new")
    assert (root / "a").stat().st_mode & 0o777 == 0o640


async def test_what_many_append_at_the_same_time_is_all_there(root: Path) -> None:
    files = AllowedFolders([root])

    async def append(text: str) -> None:
        await files.write("log", text.encode(), mode="append", makes_folders=True)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(append, f"{number}\n")
    lines = (root / "log").read_text(encoding="utf-8").split()
    assert sorted(map(int, lines)) == list(range(20))


@pytest.mark.parametrize(
    ("mode", "effect"), [("overwrite", "keyed"), ("create", "keyed"), ("append", "once")]
)
async def test_only_appending_again_makes_a_difference(mode: str, effect: str) -> None:
    assert writing.effect_of({"mode": mode}) == effect
    assert writing.effect_of({"mode": "{{ data.mode }}"}) == "once"


@pytest.mark.parametrize("example", writing.spec.examples, ids=lambda one: one.name)
async def test_an_example_of_writing_gives_all_it_says(root: Path, example: object) -> None:
    found = next(one for one in writing.spec.examples if one is example)
    given = await run(
        writing, found.configurations, Resources(files=AllowedFolders([root])), **found.input_params
    )
    assert found.expected_output is None or given == found.expected_output
    assert (root / str(given["path"])).stat().st_size == given["size"]
