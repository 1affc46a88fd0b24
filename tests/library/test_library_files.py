"""Files of a library: what prompts carry, and what clients read as resources."""

import base64
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from tests.library.repo import Repo
from tests.publishing.desk import MODES, Desk, Mode, desk_in

from toolweave.library.files import MAX_ATTACHMENTS
from toolweave.library.home_libraries import library_store
from toolweave.library.repository import MAX_FILE_BYTES
from toolweave.library.store import LibraryStore

pytestmark = pytest.mark.anyio

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg"
    "gg=="
)


def template(name: str, *attachments: str, text: str = "Explain {what}.") -> dict[str, Any]:
    return {"id": name, "title": name, "template": text, "attachments": list(attachments)}


FILES: dict[str, Any] = {
    "templates/all.json": {
        "templates": [
            template("diagram", "pictures/plan.png", "rules.md", "sound.wav", text="Explain."),
            template("asking"),
            template("outside", "../secret.txt"),
            template("missing", "nothing.png"),
            template("many", *["rules.md"] * (MAX_ATTACHMENTS + 1)),
            template("huge", "huge.bin", text="Read it."),
        ]
    },
    "templates/pictures/plan.png": PNG,
    "templates/rules.md": b"# Rules\n",
    "templates/sound.wav": b"RIFF\0\0",
    "templates/huge.bin": b"\0" * (MAX_FILE_BYTES + 1),
    "secret.txt": b"secret",
    "resources/index.json": {
        "resources": [
            {"file": "style.md", "uri": "acme://style", "title": "Style guide"},
            {"file": "logo.png", "uri": "acme://logo"},
            {"file": "ticket.txt", "uriTemplate": "acme://tickets/{key}/form"},
            {"file": "plain.txt"},
            {"file": "../secret.txt", "uri": "acme://secret"},
            {"file": "style.md", "uri": "file:///etc/passwd"},
            {"file": "style.md", "uri": "toolweave://runs/1"},
            {"file": "style.md", "uri": "acme://a/{b}"},
        ]
    },
    "resources/style.md": b"Be brief.",
    "resources/logo.png": PNG,
    "resources/ticket.txt": b"Ticket {key}: {other}",
    "resources/plain.txt": b"Plain.",
}


@pytest.fixture(scope="module")
def files_repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return Repo(tmp_path_factory.mktemp("files") / "repo", FILES)


@pytest.fixture
async def desk(tmp_path: Path, files_repo: Repo) -> AsyncGenerator[Desk]:
    async with desk_in(tmp_path / "home") as desk:
        folder = files_repo.folder
        await library_store(desk.home).add("team", str(folder), ref=None, folder=folder)
        yield desk


@pytest.mark.parametrize("mode", MODES)
async def test_a_prompt_carries_pictures_sounds_and_documents(desk: Desk, mode: Mode) -> None:
    async with desk.client(mode) as client:
        got = await client.get_prompt("team.diagram")
    picture, rules, sound, text = [message.content for message in got.messages]
    assert isinstance(picture, types.ImageContent)
    assert (base64.b64decode(picture.data), picture.mime_type) == (PNG, "image/png")
    assert isinstance(rules, types.EmbeddedResource)
    assert rules.resource == types.TextResourceContents(
        uri="toolweave://libraries/team/templates/rules.md",
        mime_type="text/markdown",
        text="# Rules\n",
    )
    assert isinstance(sound, types.AudioContent)
    assert sound.mime_type == "audio/wav"
    assert isinstance(text, types.TextContent)
    assert text.text == "Explain."


async def test_the_tool_for_prompts_and_the_address_give_the_same_file(desk: Desk) -> None:
    async with desk.client() as client:
        answer = await client.call_tool("prompts_get", {"prompt": "diagram"})
        structured: Any = answer.structured_content
        messages: list[Any] = structured["messages"]
        kinds = [message["content"]["type"] for message in messages]
        assert kinds == ["image", "resource", "audio", "text"]
        resource = messages[1]["content"]["resource"]
        read = await client.read_resource(resource["uri"])
        assert getattr(read.contents[0], "text", None) == resource["text"] == "# Rules\n"


async def test_files_outside_the_folder_and_missing_ones_are_refused(
    team_files: LibraryStore,
) -> None:
    listed = await team_files.templates("team")
    assert {one.name for one in listed.templates} == {"diagram", "asking", "huge"}
    reasons = sorted(one.reason.split(":")[0] for one in listed.skipped)
    assert reasons == ["template 'many'", "template 'missing'", "template 'outside'"]
    shown = {one.name: one for one in listed.templates}["diagram"].as_json()
    assert shown["attachments"] == [
        "templates/pictures/plan.png",
        "templates/rules.md",
        "templates/sound.wav",
    ]


@pytest.fixture
def team_files(desk: Desk) -> LibraryStore:
    return library_store(desk.home)


async def test_a_file_over_the_limit_is_not_sent(desk: Desk) -> None:
    async with desk.client() as client:
        assert (await client.get_prompt("team.diagram")).messages
        with pytest.raises(MCPError, match=r"huge\.bin"):
            await client.get_prompt("team.huge")


@pytest.mark.parametrize("mode", MODES)
async def test_resources_of_a_library_have_its_own_addresses(desk: Desk, mode: Mode) -> None:
    async with desk.client(mode) as client:
        uris = {str(one.uri) for one in (await client.list_resources()).resources}
        assert {
            "acme://style",
            "acme://logo",
            "toolweave://libraries/team/resources/plain.txt",
        } <= uris
        found = (await client.list_resource_templates()).resource_templates
        assert "acme://tickets/{key}/form" in {one.uri_template for one in found}
        style = (await client.read_resource("acme://style")).contents[0]
        assert isinstance(style, types.TextResourceContents)
        assert (style.text, style.mime_type) == ("Be brief.", "text/markdown")
        logo = (await client.read_resource("acme://logo")).contents[0]
        assert isinstance(logo, types.BlobResourceContents)
        assert base64.b64decode(logo.blob) == PNG
        ticket = (await client.read_resource("acme://tickets/A%7B1/form")).contents[0]
        assert isinstance(ticket, types.TextResourceContents)
        assert ticket.text == "Ticket A{1: {other}"


@pytest.mark.parametrize(
    "uri",
    [
        "acme://secret",
        "acme://tickets/a/b/form",
        "acme://nothing",
        "file:///etc/passwd",
        "toolweave://libraries/team/secret.txt",
        "toolweave://libraries/team/templates/../secret.txt",
        "toolweave://libraries/nobody/resources/plain.txt",
    ],
)
async def test_no_other_file_is_read(desk: Desk, uri: str) -> None:
    async with desk.client() as client:
        assert (await client.read_resource("acme://style")).contents
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri)
    assert refused.value.error.code == types.INVALID_PARAMS


async def test_entries_that_break_the_rules_are_named(team_files: LibraryStore) -> None:
    listed = await team_files.resources("team")
    assert [one.address for one in listed.resources] == [
        "acme://style",
        "acme://logo",
        "acme://tickets/{key}/form",
        None,
    ]
    assert len(listed.skipped) == 4


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_with_forms_is_asked_for_missing_values(desk: Desk, mode: Mode) -> None:
    asked: list[Any] = []

    async def fill(_: Any, params: Any) -> types.ElicitResult:
        asked.append(params.requested_schema)
        return types.ElicitResult(action="accept", content={"what": "gravity"})

    async def decline(_: Any, __: Any) -> types.ElicitResult:
        return types.ElicitResult(action="decline")

    async with desk.client(mode, elicitation_callback=fill) as client:
        got = await client.get_prompt("team.asking")
    assert getattr(got.messages[0].content, "text", None) == "Explain gravity."
    assert asked[0]["required"] == ["what"]
    async with desk.client(mode, elicitation_callback=decline) as client:
        with pytest.raises(MCPError, match="what"):
            await client.get_prompt("team.asking")
