"""The libraries of an MCP server, and its errors about them."""

import mcp_types as types
from mcp.shared.exceptions import MCPError

from toolweave.errors import NotFound, ToolweaveError
from toolweave.library.home_libraries import library_store
from toolweave.library.store import LibraryStore
from toolweave.library.templates import PromptTemplate
from toolweave.mcp_server.context import McpContext

ADD = "`toolweave library add NAME GIT_URL` adds a library"


class LibraryAccess:
    """The libraries of a context: those given, else those of its studio."""

    def __init__(self, context: McpContext) -> None:
        self._context = context
        self._libraries = context.libraries

    async def get(self) -> LibraryStore:
        """One store for all calls, so that concurrent calls share one fetch."""
        if self._libraries is None:
            self._libraries = library_store((await self._context.studio()).home)
        return self._libraries


async def find_template(
    libraries: LibraryStore, wanted: str, names: list[str], ref: str | None
) -> tuple[str, PromptTemplate]:
    """Find a template by name in the first library that has it.

    Raises:
        NotFound: `TEMPLATE_NOT_FOUND`.
    """
    missing: ToolweaveError | None = None
    for name in names:
        try:
            return name, await libraries.template(name, wanted.removeprefix(f"{name}."), ref)
        except ToolweaveError as error:
            missing = missing or error
    raise missing or NotFound("TEMPLATE_NOT_FOUND", f"Template not found: {wanted[:200]}", hint=ADD)


def refused_request(error: ToolweaveError) -> MCPError:
    """An error of a library as that of a request."""
    hint = f"; {error.hint}" if error.hint else ""
    return MCPError(types.INVALID_PARAMS, f"{error.message}{hint}", data=error.as_json())
