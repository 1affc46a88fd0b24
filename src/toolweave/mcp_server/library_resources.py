"""Files of libraries as resources, and as content of prompts.

A file is `toolweave://libraries/LIBRARY/PATH`, or what `resources/index.json` of its library says.
"""

import base64
import hashlib
from math import inf
from urllib.parse import quote, unquote

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError

from toolweave.access.authorization import resource_rule
from toolweave.errors import ToolweaveError
from toolweave.library.files import LibraryFile
from toolweave.library.resource_index import LibraryResource, filled
from toolweave.library.store import LibraryStore
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.library_access import LibraryAccess, refused_request
from toolweave.mcp_server.subscriptions import LOOK_EVERY_S
from toolweave.mcp_server.tool_call import ResourceReader

PREFIX = "toolweave://libraries/"
READ = resource_rule("libraries")
# How long watchers share what was asked; less than the time between two of their polls.
USED_S = 0.8 * LOOK_EVERY_S
MAX_VERSIONS = 10_000
# The version of a file that the commit does not have.
GONE = ""

Contents = types.TextResourceContents | types.BlobResourceContents


def address(library: str, path: str) -> str:
    """The URI of a file."""
    return f"{PREFIX}{library}/{quote(path)}"


def contents(uri: str, file: LibraryFile, mime_type: str | None = None) -> Contents:
    """A file as a resource: text where it is text, otherwise its bytes."""
    kind = mime_type or file.mime_type
    if file.text is not None:
        return types.TextResourceContents(uri=uri, mime_type=kind, text=file.text)
    data = base64.b64encode(file.data).decode()
    return types.BlobResourceContents(uri=uri, mime_type=kind, blob=data)


def content_block(library: str, file: LibraryFile) -> types.ContentBlock:
    """A file as content of a prompt: an image, audio, or an embedded resource."""
    kind = file.mime_type
    data = base64.b64encode(file.data).decode()
    if file.text is None and kind.startswith("image/"):
        return types.ImageContent(type="image", data=data, mime_type=kind)
    if file.text is None and kind.startswith("audio/"):
        return types.AudioContent(type="audio", data=data, mime_type=kind)
    resource = contents(address(library, file.path), file)
    return types.EmbeddedResource(type="resource", resource=resource)


class LibraryResources:
    """The files that libraries offer."""

    def __init__(self, context: McpContext) -> None:
        self._access = LibraryAccess(context)
        # For watchers: the commit of each library and all resources, with the time until which
        # they are used, and the version of each watched file at the commit it was read at.
        self._commits: dict[str, tuple[float, str]] = {}
        self._listed: tuple[float, list[tuple[str, LibraryResource]]] = (-inf, [])
        self._versions: dict[str, tuple[str, str]] = {}

    async def visible(self, caller: ResourceReader) -> list[types.Resource]:
        """The resources that the caller may read."""
        return [
            types.Resource(
                uri=one.address or address(library, one.path),
                name=f"{library} {one.path.partition('/')[2]}",
                title=one.title,
                description=one.description,
                mime_type=_mime_type(one),
            )
            for library, one in await self._all(caller)
            if not one.names
        ]

    async def templates(self, caller: ResourceReader) -> list[types.ResourceTemplate]:
        """The resources with names in their address that the caller may read."""
        return [
            types.ResourceTemplate(
                uri_template=str(one.address),
                name=f"{library} {one.path.partition('/')[2]}",
                title=one.title,
                description=one.description,
                mime_type=_mime_type(one),
            )
            for library, one in await self._all(caller)
            if one.names
        ]

    async def read(self, caller: ResourceReader, uri: str) -> Contents | None:
        """Read one; `None` if no library has it.

        Raises:
            MCPError: the caller may not, or the file cannot be read.
        """
        try:
            libraries = await self._libraries()
            if uri.startswith(PREFIX):
                caller.require(READ)
                library, _, path = uri.removeprefix(PREFIX).partition("/")
                return contents(uri, await libraries.file(library, unquote(path)))
            found = await self._find(caller, uri)
            if found is None:
                return None
            library, one, values = found
            file = await libraries.file(library, one.path)
        except ToolweaveError as error:
            raise refused_request(error) from None
        if values and file.text is not None:
            file = LibraryFile(file.path, filled(file.text, values).encode())
        return contents(uri, file, one.mime_type)

    async def version(self, caller: ResourceReader, uri: str) -> str | None:
        """Return what differs after a change of one; `None` if no library has it.

        Raises:
            MCPError: the caller may not, or there is no such file.
        """
        if uri.startswith(PREFIX):
            caller.require(READ)
            commit = await self._commit(uri.removeprefix(PREFIX).partition("/")[0])
            if self._versions.get(uri, ("", ""))[0] != commit:
                if len(self._versions) >= MAX_VERSIONS:
                    self._versions.clear()
                self._versions[uri] = commit, GONE  # if the next line raises
                shown = await self.read(caller, uri)
                text = shown.model_dump_json() if shown else ""
                self._versions[uri] = commit, hashlib.sha256(text.encode()).hexdigest()
            if (version := self._versions[uri][1]) == GONE:
                raise MCPError(types.INVALID_PARAMS, f"no resource {uri[:200]!r}")
            return version
        if not caller.may(READ):
            return None
        until, listed = self._listed
        if anyio.current_time() >= until:
            listed = await self._all(caller)
            self._listed = anyio.current_time() + USED_S, listed
        found = _found(listed, uri)
        return found[1].blob if found else None

    async def _commit(self, library: str) -> str:
        """The commit of a library, asked for once for all of its watched files."""
        until, commit = self._commits.get(library, (-inf, ""))
        if anyio.current_time() >= until:
            try:
                commit = (await (await self._libraries()).revision(library)).commit
            except ToolweaveError as error:
                raise refused_request(error) from None
            self._commits[library] = anyio.current_time() + USED_S, commit
        return commit

    async def _find(
        self, caller: ResourceReader, uri: str
    ) -> tuple[str, LibraryResource, dict[str, str]] | None:
        return _found(await self._all(caller), uri)

    async def _all(self, caller: ResourceReader) -> list[tuple[str, LibraryResource]]:
        """All that the caller may read; a library that cannot be read is skipped."""
        if not caller.may(READ):
            return []
        found: list[tuple[str, LibraryResource]] = []
        try:
            libraries = await self._libraries()
            names = [one.name for one in await libraries.list()]
        except ToolweaveError:
            return []
        for name in names:
            try:
                listed = await libraries.resources(name)
            except ToolweaveError:
                continue
            found += [(name, one) for one in listed.resources]
        return found

    async def _libraries(self) -> LibraryStore:
        return await self._access.get()


def _found(
    all_of: list[tuple[str, LibraryResource]], uri: str
) -> tuple[str, LibraryResource, dict[str, str]] | None:
    """The first resource with this address, a plain one before one with names."""
    for library, one in sorted(all_of, key=lambda pair: len(pair[1].names)):
        if (values := one.matches(uri)) is not None:
            return library, one, values
    return None


def _mime_type(one: LibraryResource) -> str:
    return one.mime_type or LibraryFile(one.path, b"").mime_type
