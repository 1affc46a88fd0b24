"""The outcome of a run as the result of a tool call."""

from toolweave.catalog.budget import fit_list
from toolweave.engine.engine import Engine
from toolweave.engine.events import Finished
from toolweave.engine.execution_report import execution
from toolweave.engine.journal_report import report_of
from toolweave.json_text import Json, JsonObject, write
from toolweave.mcp_server.content_blocks import content_blocks
from toolweave.problems import Problem
from toolweave.publishing.service import HANDLE, PublishedTool
from toolweave.tools.check import check_output
from toolweave.tools.content_value import beside_content, without_data
from toolweave.workflow.signature import RESULT

ERROR_TOKENS = 5_000
# In `_meta` of a result.
RUN = "toolweave/run"


async def finished_result(
    engine: Engine, run: str, one: PublishedTool, finished: Finished
) -> JsonObject:
    """The result of a finished run, with the run's id for the app that shows the call."""
    return {**await _result(engine, run, one, finished), "_meta": {RUN: run}}


async def _result(engine: Engine, run: str, one: PublishedTool, finished: Finished) -> JsonObject:
    if finished.status != "success":
        return await failed_result(engine, run)
    value = finished.result
    blocks = content_blocks(value)
    if blocks is not None:
        beside = beside_content(value)
        if one.publication.output_schema is None:
            structured = {"structuredContent": beside} if beside else {}
            return {"content": blocks, "isError": False, **structured}
        value = value if _declares_content(one) else beside or value
    structured = _structured(one, without_data(value) if blocks else value)
    problems = _errors(one, structured)
    if blocks and problems:
        structured = _structured(one, value)
        problems = _errors(one, structured)
    if problems:
        payload: JsonObject = {
            "code": "MCP_OUTPUT_INVALID",
            "message": f"the run's result does not match the output schema of {one.tool.name!r}",
            "run_id": run,
            "problems": [problem.as_json() for problem in problems[:20]],
        }
        return _error(payload)
    text = value if isinstance(value, str) else write(structured)
    said = content_blocks({"content": finished.content})
    return {
        "content": blocks or said or [{"type": "text", "text": text}],
        "structuredContent": structured,
        "isError": False,
    }


async def failed_result(engine: Engine, run: str) -> JsonObject:
    """The error of a run, with the results of its completed steps."""
    report = await report_of(engine.journal, run)
    plan = await engine.plan(run)
    shown = execution(run, plan, report.entries, is_whole=report.is_whole)
    steps = shown.pop("intermediateResults")
    error = shown.get("error")
    payload: JsonObject = dict(error) if isinstance(error, dict) else {}
    payload.pop("partialResults", None)
    payload.setdefault("code", "RUN_CANCELLED" if shown["status"] == "cancelled" else "RUN_FAILED")
    payload.setdefault("message", f"the run ended with status {shown['status']!r}")
    frame: JsonObject = {"run_id": run, "status": shown["status"], "error": payload}
    fitted = fit_list(
        [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else [],
        ERROR_TOKENS,
        key="partialResults",
        again="call run_result with this run id",
        details=("inputVariables", "timestamp", "executionTimeMs"),
        frame=frame,
    )
    return _error({**frame, **fitted})


def _errors(one: PublishedTool, structured: JsonObject) -> list[Problem]:
    found = check_output(one.tool, structured)
    return [problem for problem in found if problem.severity == "error"]


def _declares_content(one: PublishedTool) -> bool:
    properties = (one.publication.output_schema or {}).get("properties")
    return isinstance(properties, dict) and "content" in properties


def _error(payload: JsonObject) -> JsonObject:
    error = payload.get("error")
    about = error if isinstance(error, dict) else payload
    place = about.get("failedAt")
    where = f" at {place['nodeId']!r}" if isinstance(place, dict) and "nodeId" in place else ""
    hint = f"\nHint: {about['hint']}" if about.get("hint") else ""
    text = f"Failed{where}: {about['message']} [{about['code']}]{hint}\n{write(payload)}"
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": payload,
        "isError": True,
    }


def _structured(one: PublishedTool, value: Json) -> JsonObject:
    """Structured content must be an object: any other value is wrapped in `result`."""
    schema = one.publication.output_schema
    properties = schema.get("properties") if schema is not None else None
    is_wrapped = isinstance(properties, dict) and properties.keys() - HANDLE.keys() == {RESULT}
    if isinstance(value, dict) and not (is_wrapped and RESULT not in value):
        return value
    return {RESULT: value}
