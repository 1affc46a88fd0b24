"""Libraries over MCP: the library tools."""

from dataclasses import replace

from toolweave.access.authorization import tool_rule
from toolweave.errors import Invalid, NotFound, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.library.flow_runner import FlowRequest as AskedFlow
from toolweave.library.home_libraries import flow_runner
from toolweave.library.models import FlowList, TemplateList
from toolweave.library.store import LibraryStore
from toolweave.library.templates import fill
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.library_access import ADD, LibraryAccess, find_template
from toolweave.mcp_server.library_resources import content_block
from toolweave.mcp_server.tool_call import Answer, ToolRequest, structured_result
from toolweave.problems import did_you_mean


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
            sets = template.as_json()
            keys = ("name", "variables", "variableValueSets")
            return {"library": library, **{key: sets[key] for key in keys}}
        values = asked.arguments.get("arguments")
        text = fill(template, values if isinstance(values, dict) else {})
        files = await libraries.attachments(library, template, _ref(asked))
        blocks = [content_block(library, file) for file in files]
        shown: list[Json] = [
            one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in blocks
        ]
        shown.append({"type": "text", "text": text})
        messages: list[Json] = [{"role": "user", "content": one} for one in shown]
        return {"library": library, "name": template.name, "text": text, "messages": messages}

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
            else NotFound("FLOW_NOT_FOUND", f"Flow not found: {wanted[:200]}", hint=ADD)
        )


async def _names(libraries: LibraryStore, asked: ToolRequest) -> list[str]:
    names = [one.name for one in await libraries.list()]
    wanted = asked.text("library")
    if not wanted:
        return names
    if wanted not in names:
        hint = did_you_mean(wanted, names) or ADD
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
