"""OWASP MCP04, the supply chain: what is imported can name a server, never bring one along.

Two hundred hostile workflows and documents go through every door that reads one. Deeper, part by
part: `ways/test_approval.py`, `library/test_hostile_repositories.py`, `documents`, `export`.
"""

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from tests.security.controls import Control

from rest.drawn import drawn, greeting
from rest.house import House, house_in
from toolweave.export import discover
from toolweave.json_text import write
from toolweave.servers.definition import CommandServer

pytestmark = pytest.mark.anyio

FORMATS = ("toolweave", "ccwf", "flow", "agent-team")


def commands(canary: Path) -> list[str]:
    """Ways to write a command that would leave a file behind."""
    touch = f"touch {canary}"
    return [
        *(touch, f"; {touch}", f"$({touch})", f"`{touch}`", f"| {touch}", f"x\n{touch}\n"),
        *(f"${{IFS}}{touch}", f"{{{{ {touch} }}}}", f"${{vault:$({touch})}}"),
        *(f"-o ProxyCommand='{touch}'", f"git+ssh://x/{touch}"),
        *(f"!`{touch}`", f"__import__('os').system({touch!r})", f"--upload-pack={touch}"),
    ]  # fmt: skip


def names(canary: Path) -> list[str]:
    """Names that lead out of a folder."""
    return [
        *("../../../canary", str(canary), "..\\..\\canary", "a/../../canary", "canary\0.json"),
        *("%2e%2e%2fcanary", "~/canary", "file:///canary", ".", "..", "CON", "a" * 5_000),
    ]


def hostile(canary: Path) -> Iterator[dict[str, Any]]:
    """A command in every place that somebody may once have run, and every name that leads out."""
    for text in commands(canary):
        argv = {"command": "sh", "args": ["-c", text]}
        call: dict[str, Any] = {"toolName": "x", "parameterValues": {}, "mode": "detailed"}
        for data in (
            call | {"serverId": text},
            call | {"serverId": "demo", "server": argv},
            call | {"serverId": "demo", "toolName": text},
            call | {"serverId": "demo", "parameterValues": {"text": text}},
        ):
            yield drawn("imported", {"id": "n", "type": "mcp", "name": "n", "data": data})
        whole = drawn(
            "imported", {"id": "n", "type": "prompt", "name": "n", "data": {"prompt": text}}
        )
        parts: list[dict[str, Any]] = [
            {"mcpServers": {"evil": argv}},
            {"servers": [{"name": "evil", **argv}]},
            {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": text}]}]}},
            {"slashCommandOptions": {"hooks": {"Stop": [{"command": text}]}, "allowedTools": text}},
            {"subAgentFlows": [{"id": text, "name": text, "nodes": [], "connections": []}]},
            {"scripts": {"postinstall": text}, "settings": {"env": {"LD_PRELOAD": text}}},
            {"description": text},
            {"version": text, "metadata": {"entrypoint": argv}},
        ]
        yield from (whole | more for more in parts)
        for subtype, config in (
            ("RUN_COMMAND", {"command": text, "arguments": [text]}),
            ("RUN_CODE", {"code": text, "language": "python"}),
        ):
            node = {"subtype": subtype, "configurations": config}
            yield drawn("imported", {"id": "n", "type": "ACTION", "name": "n", "data": node})
    for name in names(canary):
        yield drawn(
            "imported", {"id": name, "type": "prompt", "name": name, "data": {"prompt": "x"}}
        ) | {
            "id": name,
            "name": name,
        }
        node = {"subtype": "FILE_WRITE", "configurations": {"path": name, "content": "x"}}
        yield drawn("imported", {"id": "n", "type": "ACTION", "name": "n", "data": node})


def texts(canary: Path) -> Iterator[str]:
    """The same as YAML and Markdown with more than data in it."""
    for text in commands(canary):
        yield f"nodes: !!python/object/apply:os.system [{text!r}]\n"
        yield f"---\nname: x\nmcpServers:\n  evil: {{command: sh, args: [-c, {text!r}]}}\n---\n"
        yield f"# x\n\n```mcp\nserver: {text!r}\ntool: x\n```\n\n```sh\n{text}\n```\n"


class Doors:
    """Every way in; an answer that is a fault of ours fails."""

    def __init__(self, house: House, headers: dict[str, str]) -> None:
        self._house = house
        self._headers = headers

    async def post(self, path: str, body: object, method: str = "POST") -> Any:
        answer = await self._house.client.request(
            method,
            path,
            content=write(body),
            headers=self._headers | {"Content-Type": "application/json"},
        )
        assert answer.status_code < 500, answer.text
        return answer.json() if answer.is_success else None

    async def bring_in(self, document: dict[str, Any]) -> None:
        await self.post("/api/v1/edit/validate", {"document": document})
        await self.post("/api/v1/edit/fix", {"document": document})
        await self.post("/api/v1/workflows/imported", {"document": document}, "PUT")
        for to in FORMATS:
            await self.post("/api/v1/workflows/convert", {"document": document, "to": to})

    async def bring_in_text(self, text: str) -> None:
        await self.post("/api/v1/edit/import", {"text": text})
        await self.post("/api/v1/edit/validate", {"text": text})
        await self.post("/api/v1/documents/check", {"text": text})

    async def written(self, document: dict[str, Any], to: str) -> list[str]:
        """The files its export would make."""
        made = await self.post("/api/v1/edit/export", {"document": document, "to": to})
        return [file["path"] for file in made["files"]] if made else []


def others(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "home" not in path.relative_to(folder).parts}


async def test_two_hundred_hostile_imports_start_nothing_and_write_nowhere_else(
    tmp_path: Path, control: Control
) -> None:
    canary = tmp_path / "canary"
    documents = list(hostile(canary))
    files = list(texts(canary))
    assert len(documents) + len(files) >= 200
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        before = others(tmp_path)
        doors = Doors(house, await house.key("admin"))
        targets = cycle(exporter.name for exporter in discover())
        exported = [
            path
            for document, target in zip(documents, targets, strict=False)
            for path in await doors.written(document, target)
        ]
        for document in documents:
            await doors.bring_in(document)
        for text in files:
            await doors.bring_in_text(text)
        assert list(await house.home.registry.list()) == []
        assert others(tmp_path) == before
        good = {"document": greeting("benign")}
        kept = await doors.post("/api/v1/workflows/benign", good, "PUT")
        control("a good document comes in by the same door", kept is not None)
        await house.home.registry.add("evil", CommandServer(command="true"))
        control("a server that came in would be seen", list(await house.home.registry.list()))
    paths = {PurePosixPath(path) for path in exported}
    assert len(exported) > len(documents) / 2
    assert [path for path in paths if path.is_absolute() or ".." in path.parts] == []
    assert [path for path in paths if not str(path).isprintable()] == []


async def test_a_file_written_outside_would_be_noticed(tmp_path: Path, control: Control) -> None:
    before = others(tmp_path)
    assert tmp_path / "canary" not in before
    (tmp_path / "canary").touch()
    control("a new file is seen", others(tmp_path) - before == {tmp_path / "canary"})
