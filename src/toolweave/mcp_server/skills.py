"""The skills extension: every workflow that the caller may read is a skill.

`skills/list`, `skills/get` and `resources/directory/read`; files are read as resources. A skill is
what `toolweave export --to claude-skill` writes. Each file is named with its size and digest, so
that a client can check what it reads.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from toolweave.access.authorization import resource_rule
from toolweave.app.running_studio import RunningStudio
from toolweave.errors import ToolweaveError
from toolweave.export.convert import export
from toolweave.json_text import Json, JsonObject
from toolweave.mcp_server.resources import page_start
from toolweave.mcp_server.tool_call import Context, McpCaller, OpenStudio
from toolweave.nodes.spec_cache import cached_specs
from toolweave.publishing.limited_keys import allows_workflow
from toolweave.workflow.model import Workflow
from toolweave.workflow.yaml_text import read_yaml

EXTENSION = "io.modelcontextprotocol/skills"
SETTINGS: dict[str, Any] = {"directoryRead": True}
PREFIX = "skill://toolweave/"
TARGET = "claude-skill"
MARKDOWN = "text/markdown"
DIRECTORY = "inode/directory"
FRESH_MS = 10_000
PAGE = 100
READ = resource_rule("workflows")


class SkillListParams(types.RequestParams):
    """Where to go on."""

    cursor: str | None = None


class SkillParams(types.RequestParams):
    """Which skill or directory."""

    uri: str


@dataclass(frozen=True, slots=True)
class ServedSkill:
    """A workflow as a skill: its name, front matter and files by path, SKILL.md first."""

    name: str
    frontmatter: JsonObject
    files: dict[str, str]

    @property
    def uri(self) -> str:
        """The address of its SKILL.md."""
        return f"{PREFIX}{self.name}/SKILL.md"

    def as_json(self) -> JsonObject:
        """Return its entry."""
        listed: list[Json] = [
            {
                "uri": f"{PREFIX}{self.name}/{quote(path)}",
                "digest": f"sha256:{hashlib.sha256(text.encode()).hexdigest()}",
                "size": len(text.encode()),
            }
            for path, text in self.files.items()
        ]
        return {"uri": self.uri, "frontmatter": self.frontmatter, "resources": listed}


class SkillMethods:
    """Answers about skills; none without a home."""

    def __init__(self, studio: OpenStudio | None) -> None:
        self._open = studio

    def serve(self, server: Server[Any]) -> None:
        """Register the methods."""
        server.extensions[EXTENSION] = SETTINGS
        server.add_request_handler("skills/list", SkillListParams, self.list_skills)
        server.add_request_handler("skills/get", SkillParams, self.get_skill)
        server.add_request_handler("resources/directory/read", SkillParams, self.read_directory)

    async def list_skills(self, context: Context, params: SkillListParams) -> dict[str, Any]:
        """List the skills that the caller may read."""
        caller = McpCaller(context)
        found = [one.as_json() for one in await self._visible(caller)]
        start = page_start(params.cursor, len(found))
        shown: dict[str, Any] = {"skills": found[start : start + PAGE]}
        if start + PAGE < len(found):
            shown["nextCursor"] = str(start + PAGE)
        return {**shown, **_fresh(caller)}

    async def get_skill(self, context: Context, params: SkillParams) -> dict[str, Any]:
        """Show one skill."""
        caller = McpCaller(context)
        for one in await self._visible(caller):
            if one.uri == params.uri:
                return {"skill": one.as_json(), **_fresh(caller)}
        raise _missing(params.uri)

    async def read_directory(self, context: Context, params: SkillParams) -> dict[str, Any]:
        """List the files and folders in a folder of a skill."""
        caller = McpCaller(context)
        place = params.uri.rstrip("/") + "/"
        skills = await self._visible(caller)
        files = {f"{PREFIX}{one.name}/{path}" for one in skills for path in one.files}
        inside = {uri.removeprefix(place) for uri in files if uri.startswith(place)}
        if not inside or not place.startswith(PREFIX):
            raise _missing(params.uri)
        return {"resources": [*_children(place, inside)], **_fresh(caller)}

    async def read(self, caller: McpCaller, uri: str) -> types.TextResourceContents:
        """Read one file of a skill. Raises `MCPError`: there is none."""
        for one in await self._visible(caller):
            for path, text in one.files.items():
                if uri == f"{PREFIX}{one.name}/{quote(path)}":
                    return types.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)
        raise _missing(uri)

    async def _visible(self, caller: McpCaller) -> list[ServedSkill]:
        if self._open is None or not caller.may(READ):
            return []
        studio = await self._open()
        workflows = await _workflows(studio, caller)
        home = studio.home.settings.home
        made = await run_sync(lambda: [_skill(one, home) for one in workflows])
        # Two workflows whose names give one slug: the first stays.
        return list({one.name: one for one in reversed(made) if one is not None}.values())[::-1]


async def _workflows(studio: RunningStudio, caller: McpCaller) -> Sequence[Workflow]:
    found: list[Workflow] = []
    for stored in await studio.home.workflows.list():
        key = caller.key
        if key is None or key.tools is None:
            found.append(stored.workflow)
            continue
        is_allowed = await allows_workflow(studio.published, key, stored.name)
        one = await studio.published.of_workflow(stored.name) if is_allowed else None
        if one is not None:
            # Such a key may see the published version, not the current file.
            found.append(one.workflow)
    return found


def _skill(workflow: Workflow, home: Path) -> ServedSkill | None:
    """The skill of a workflow; none for one that cannot be exported."""
    try:
        files = export(workflow, TARGET, specs=cached_specs(home)).files
    except ToolweaveError:
        return None
    name = PurePosixPath(files[0].path).parent.name
    matter = read_yaml(files[0].text.split("---\n", 2)[1].encode(), max_depth=20)
    paths = {"SKILL.md": files[0].text}
    paths |= {f"agents/{PurePosixPath(one.path).name}": one.text for one in files[1:]}
    return ServedSkill(name, matter if isinstance(matter, dict) else {}, paths)


def _children(place: str, inside: set[str]) -> list[JsonObject]:
    children: dict[str, JsonObject] = {}
    for path in sorted(inside):
        name, slash, _ = path.partition("/")
        kind = DIRECTORY if slash else MARKDOWN
        children[name] = {"uri": place + quote(name), "name": name, "mimeType": kind}
    return list(children.values())


def _fresh(caller: McpCaller) -> JsonObject:
    if not caller.is_modern:
        return {}
    return {"resultType": "complete", "ttlMs": FRESH_MS, "cacheScope": "private"}


def _missing(uri: str) -> MCPError:
    message = f"no skill or file {uri[:200]!r}; `skills/list` lists them"
    return MCPError(types.INVALID_PARAMS, message, data={"uri": uri[:2000]})
