"""Libraries over MCP: the library tools, and every template as a native prompt."""

from dataclasses import replace
from typing import cast

import mcp_types as types
from mcp.shared.exceptions import MCPError

from toolweave.access.authorization import tool_rule
from toolweave.errors import Invalid, NotFound, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.library.flow_runner import FlowRequest as AskedFlow
from toolweave.library.home_libraries import flow_runner, library_store
from toolweave.library.models import FlowList, TemplateList
from toolweave.library.store import LibraryStore
from toolweave.library.templates import PromptTemplate, fill
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.tool_call import (
    Answer,
    Context,
    McpCaller,
    ToolRequest,
    structured_result,
)
from toolweave.problems import did_you_mean

MAX_ABOUT = 200


class LibraryTools:
    """The library tools; only running a flow needs the engine."""

    def __init__(self, context: McpContext) -> None:
        self._context = context
        self._access = LibraryAccess(context)

    async def call(self, asked: ToolRequest) -> Answer:
        """Call one of the library tools."""
        libraries = await self._access.get()
        match asked.name:
            case "flows_list":
                return structured_result(await self._flows(libraries, asked))
            case "flows_show":
                name, ref = await self._library_of_flow(libraries, asked), _ref(asked)
                found = await libraries.flow(name, asked.text("flow"), ref)
                shown = {"library": name, **found.at.as_json(), **found.entry.as_json()}
                return structured_result({**shown, "flow": found.document})
            case "flows_execute":
                return await self._execute(libraries, asked)
            case "prompts_list":
                return structured_result(await self._prompts(libraries, asked))
            case _:
                return structured_result(await self._prompt(libraries, asked))

    async def _flows(self, libraries: LibraryStore, asked: ToolRequest) -> JsonObject:
        listed: list[Json] = []
        problems: list[Json] = []
        for name in await _names(libraries, asked):
            try:
                found: FlowList = await libraries.flows(name, _ref(asked))
            except ToolweaveError as error:
                _blame(problems, name, error, asked)
                continue
            about: JsonObject = {"library": name, **found.at.as_json()}
            listed += [_listed(one.as_json(), asked) | about for one in found.flows]
            problems += [{"library": name, **one.as_json()} for one in found.skipped]
        return {"flows": listed, "problems": problems} if problems else {"flows": listed}

    async def _prompts(self, libraries: LibraryStore, asked: ToolRequest) -> JsonObject:
        listed: list[Json] = []
        problems: list[Json] = []
        for name in await _names(libraries, asked):
            try:
                found: TemplateList = await libraries.templates(name, _ref(asked))
            except ToolweaveError as error:
                _blame(problems, name, error, asked)
                continue
            for one in found.templates:
                shown = one.as_json()
                del shown["template"]
                listed.append({**shown, "library": name, **found.at.as_json()})
            problems += [{"library": name, **one.as_json()} for one in found.skipped]
        return {"prompts": listed, "problems": problems} if problems else {"prompts": listed}

    async def _prompt(self, libraries: LibraryStore, asked: ToolRequest) -> JsonObject:
        library, template = await find_template(
            libraries, asked.text("prompt"), await _names(libraries, asked), _ref(asked)
        )
        if asked.name == "get_variable_sets":
            shown = template.as_json()
            keys = ("name", "variables", "variableValueSets")
            return {"library": library, **{key: shown[key] for key in keys}}
        values = asked.arguments.get("arguments")
        text = fill(template, values if isinstance(values, dict) else {})
        message: JsonObject = {"role": "user", "content": {"type": "text", "text": text}}
        return {"library": library, "name": template.name, "text": text, "messages": [message]}

    async def _execute(self, libraries: LibraryStore, asked: ToolRequest) -> Answer:
        studio = await self._context.studio()
        values = asked.arguments.get("initialVariables")
        given = values if isinstance(values, dict) else {}
        flow = AskedFlow(
            *(asked.text("library"), asked.text("flow"), _ref(asked), given),
            may_read=asked.caller.may(tool_rule("prompts_get")),
        )
        runner = flow_runner(studio.home, studio.engine, libraries)
        try:
            library = await self._library_of_flow(libraries, asked)
            execution = await runner.execute(replace(flow, library=library))
        except ToolweaveError as error:
            execution = runner.failed(flow, error)
        return structured_result(execution, is_error=execution["status"] in ("failed", "partial"))

    async def _library_of_flow(self, libraries: LibraryStore, asked: ToolRequest) -> str:
        """The named library, or the only one that has the flow."""
        wanted = asked.text("flow")
        found: list[str] = []
        missing: list[ToolweaveError] = []
        for name in await _names(libraries, asked):
            try:
                await libraries.flow(name, wanted, _ref(asked))
            except ToolweaveError as error:
                missing.append(error)
            else:
                found.append(name)
        if len(found) > 1:
            message = f"several libraries have a flow {wanted[:200]!r}: {', '.join(found)}"
            raise Invalid("FLOW_AMBIGUOUS", message, hint="name one of them as `library`")
        if found:
            return found[0]
        # A broken file of this name says more than that others have none, or not this ref.
        rank = ("PARSE_ERROR", "FLOW_NOT_FOUND")
        missing.sort(key=lambda error: rank.index(error.code) if error.code in rank else len(rank))
        raise (
            missing[0]
            if missing
            else NotFound("FLOW_NOT_FOUND", f"Flow not found: {wanted[:200]}", hint=_ADD)
        )


class LibraryPrompts:
    """Every template of every library as a prompt named `library.template`."""

    def __init__(self, context: McpContext | None) -> None:
        self._access = LibraryAccess(context) if context else None

    async def list_prompts(self, context: Context, _: object) -> types.ListPromptsResult:
        """List the prompts; a library that cannot be read is skipped."""
        found: list[types.Prompt] = []
        libraries = await self._libraries()
        if libraries is None or McpCaller(context).is_limited:
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
    ) -> types.GetPromptResult:
        """Render one prompt.

        Raises:
            MCPError: there is no such prompt, or a value is missing.
        """
        try:
            template = await self._template(params.name)
            text = fill(template, cast("JsonObject", params.arguments or {}))
        except ToolweaveError as error:
            raise _refused(error) from None
        content = types.TextContent(type="text", text=text)
        message = types.PromptMessage(role="user", content=content)
        return types.GetPromptResult(description=_about(template), messages=[message])

    async def complete(self, prompt: str, argument: str) -> list[str]:
        """The values that a library knows for an argument of a prompt.

        Raises:
            MCPError: there is no such prompt, or it has no such argument.
        """
        try:
            template = await self._template(prompt)
        except ToolweaveError as error:
            raise _refused(error) from None
        known = [one for one in template.variables if one.name == argument]
        if not known:
            message = f"prompt {prompt[:200]!r} has no argument {argument[:200]!r}"
            raise MCPError(types.INVALID_PARAMS, message)
        values = [known[0].default, *(one.values.get(argument) for one in template.sets)]
        return list(dict.fromkeys(str(one) for one in values if one not in (None, "")))

    async def _template(self, wanted: str) -> PromptTemplate:
        """The template that a prompt's name means. Raises `NotFound`, and what reading raises."""
        libraries = await self._libraries()
        if libraries is None:
            raise NotFound("TEMPLATE_NOT_FOUND", f"Template not found: {wanted[:200]}")
        library, _, name = wanted.partition(".")
        names = [one.name for one in await libraries.list()]
        if library in names and name:
            return await libraries.template(library, name)
        return (await find_template(libraries, wanted, names, None))[1]

    async def _libraries(self) -> LibraryStore | None:
        """The libraries; `None` if the home cannot be opened."""
        try:
            return await self._access.get() if self._access else None
        except ToolweaveError:
            return None


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
    raise missing or NotFound(
        "TEMPLATE_NOT_FOUND", f"Template not found: {wanted[:200]}", hint=_ADD
    )


_ADD = "`toolweave library add NAME GIT_URL` adds a library"


async def _names(libraries: LibraryStore, asked: ToolRequest) -> list[str]:
    names = [one.name for one in await libraries.list()]
    wanted = asked.text("library")
    if not wanted:
        return names
    if wanted not in names:
        hint = did_you_mean(wanted, names) or _ADD
        raise NotFound("LIBRARY_NOT_FOUND", f"no library is called {wanted[:100]!r}", hint=hint)
    return [wanted]


def _listed(entry: JsonObject, asked: ToolRequest) -> JsonObject:
    """The entry of a list; without metadata only what identifies the flow."""
    if asked.arguments.get("includeMetadata") is not False:
        return entry
    return {key: entry[key] for key in ("name", "id", "path") if key in entry}


def _ref(asked: ToolRequest) -> str | None:
    return asked.text("ref") or None


def _blame(problems: list[Json], name: str, error: ToolweaveError, asked: ToolRequest) -> None:
    """Record the failure of one library; raise it if that library was named."""
    if asked.text("library") or isinstance(error, Invalid):
        raise error
    problems.append({"library": name, "code": error.code, "reason": error.message})


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


def _refused(error: ToolweaveError) -> MCPError:
    hint = f"; {error.hint}" if error.hint else ""
    return MCPError(types.INVALID_PARAMS, f"{error.message}{hint}", data=error.as_json())
