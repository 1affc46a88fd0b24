"""Every template of every library as a native prompt."""

from typing import cast

import mcp_types as types
from mcp.shared.exceptions import MCPError

from toolweave.access.authorization import method_rule
from toolweave.errors import Invalid, NotFound, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.library.store import LibraryStore
from toolweave.library.templates import PromptTemplate, fill
from toolweave.mcp_server import elicitation as asking
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.library_access import LibraryAccess, find_template, refused_request
from toolweave.mcp_server.library_resources import content_block
from toolweave.mcp_server.tool_call import Context, McpCaller

MAX_ABOUT = 200
# The name of the form for missing values.
VALUES = "values"


class LibraryPrompts:
    """Every template of every library as a prompt named `library.template`."""

    def __init__(self, context: McpContext | None) -> None:
        self._access = LibraryAccess(context) if context else None

    async def list_prompts(self, context: Context, _: object) -> types.ListPromptsResult:
        """List the prompts that the caller may read; a library that cannot be read is skipped."""
        found: list[types.Prompt] = []
        libraries = await self._libraries()
        if libraries is None or not McpCaller(context).may(method_rule("prompts/get")):
            return types.ListPromptsResult(prompts=found)
        for library in await libraries.list():
            try:
                listed = await libraries.templates(library.name)
            except ToolweaveError:
                continue
            found += [_native(library.name, one) for one in listed.templates]
        return types.ListPromptsResult(prompts=found)

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        """Render one prompt; a client that shows forms asks its user for missing values.

        Raises:
            MCPError: there is no such prompt, or a value is missing.
        """
        given = {**(params.arguments or {}), **_answered(params)}
        try:
            libraries, library, template = await self._template(params.name)
            missing = _missing(template, given)
            is_asked = VALUES in (params.input_responses or {})
            if missing and not is_asked and asking.can_be_asked(McpCaller(context)):
                asked = await _ask(context, template, missing)
                if isinstance(asked, types.InputRequiredResult):
                    return asked
                given |= asked
            text = fill(template, cast("JsonObject", given))
            files = await libraries.attachments(library, template)
        except ToolweaveError as error:
            raise refused_request(error) from None
        blocks = [content_block(library, file) for file in files]
        blocks.append(types.TextContent(type="text", text=text))
        messages = [types.PromptMessage(role="user", content=block) for block in blocks]
        return types.GetPromptResult(description=_about(template), messages=messages)

    async def complete(self, prompt: str, argument: str) -> list[str]:
        """The values that a library knows for an argument of a prompt.

        Raises:
            MCPError: there is no such prompt, or it has no such argument.
        """
        try:
            _, _, template = await self._template(prompt)
        except ToolweaveError as error:
            raise refused_request(error) from None
        known = [one for one in template.variables if one.name == argument]
        if not known:
            message = f"prompt {prompt[:200]!r} has no argument {argument[:200]!r}"
            raise MCPError(types.INVALID_PARAMS, message)
        values = [known[0].default, *(one.values.get(argument) for one in template.sets)]
        return list(dict.fromkeys(str(one) for one in values if one not in (None, "")))

    async def _template(self, wanted: str) -> tuple[LibraryStore, str, PromptTemplate]:
        """The template that a prompt's name means, with its library's name.

        Raises `NotFound`, and what reading raises.
        """
        libraries = await self._libraries()
        if libraries is None:
            raise NotFound("TEMPLATE_NOT_FOUND", f"Template not found: {wanted[:200]}")
        library, _, name = wanted.partition(".")
        names = [one.name for one in await libraries.list()]
        if library in names and name:
            return libraries, library, await libraries.template(library, name)
        return (libraries, *await find_template(libraries, wanted, names, None))

    async def _libraries(self) -> LibraryStore | None:
        """The libraries; `None` if the home cannot be opened."""
        try:
            return await self._access.get() if self._access else None
        except ToolweaveError:
            return None


def _missing(template: PromptTemplate, given: dict[str, str]) -> list[str]:
    try:
        fill(template, cast("JsonObject", given))
    except Invalid as error:
        return [str(one) for one in cast("list[object]", error.facts.get("variables", []))]
    return []


async def _ask(
    context: Context, template: PromptTemplate, missing: list[str]
) -> dict[str, str] | types.InputRequiredResult:
    """The values that the client's user gives, or with the sessionless protocol the form for it."""
    about = {one.name: one.description for one in template.variables}
    properties: dict[str, Json] = {
        name: {"type": "string", **({"description": text} if (text := about.get(name)) else {})}
        for name in missing
    }
    schema: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": list[Json](missing),
    }
    message = f"The prompt {template.title or template.name!r} needs these values."
    if McpCaller(context).is_modern:
        params = types.ElicitRequestFormParams(message=message, requested_schema=schema)
        return types.InputRequiredResult(
            input_requests={VALUES: types.ElicitRequest(params=params)}
        )
    try:
        result = await context.session.elicit_form(
            message, schema, related_request_id=context.request_id
        )
    except MCPError:
        return {}  # the client declares forms but does not support them
    return _values_of(result)


def _answered(params: types.GetPromptRequestParams) -> dict[str, str]:
    result = asking.replies_in(params.input_responses).get(VALUES)
    return _values_of(result) if result else {}


def _values_of(result: types.ElicitResult) -> dict[str, str]:
    given = (result.content or {}) if result.action == "accept" else {}
    return {name: str(value) for name, value in given.items() if value is not None}


def _native(library: str, template: PromptTemplate) -> types.Prompt:
    arguments = [
        types.PromptArgument(name=one.name, description=one.description, required=one.is_required)
        for one in template.variables
    ]
    return types.Prompt(
        name=f"{library}.{template.name}",
        title=template.title,
        description=_about(template),
        arguments=arguments,
    )


def _about(template: PromptTemplate) -> str:
    """The description, else the beginning of the text."""
    text = " ".join((template.description or template.text).split())
    return text if len(text) <= MAX_ABOUT else text[: MAX_ABOUT - 1] + "…"
