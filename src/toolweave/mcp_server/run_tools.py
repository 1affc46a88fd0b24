"""`run_status`, `run_result`, `run_respond` and `run_cancel`, for clients of any kind."""

from toolweave.catalog.budget import fit_list, tokens
from toolweave.engine.called_questions import open_questions
from toolweave.engine.engine import Engine
from toolweave.engine.execution_report import execution
from toolweave.engine.journal_report import report_of
from toolweave.engine.queue_report import run_notice
from toolweave.engine.run_json import RunSummary
from toolweave.engine.run_table import RunRecord
from toolweave.errors import Conflict
from toolweave.json_text import Json, JsonObject
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.tool_call import Answer, ToolRequest, structured_result
from toolweave.people.inbox import check_step
from toolweave.publishing.limited_keys import VisibleRuns

RESULT_TOKENS = 5_000
# How much of the answer may be what is not a step: the status, the error and the result.
FRAME_SHARE = 0.75
_LARGE = ("initialVariables", "finalResult", "finalContent")
# They take a run's whole id; the others also its first characters.
ACTING = ("run_respond", "run_cancel")


class RunTools:
    """Reads and controls runs by id."""

    def __init__(self, context: McpContext) -> None:
        self._context = context

    async def call(self, asked: ToolRequest) -> Answer:
        """Call one of the run tools."""
        engine = (await self._context.studio()).engine
        run = await find_run(self._context, engine, asked, is_whole=asked.name in ACTING)
        match asked.name:
            case "run_result":
                return structured_result(await _result(engine, run, asked))
            case "run_respond":
                why = await _respond(engine, run, asked)
                uncounted: JsonObject = {"counts": False, "why": why} if why else {}
                return structured_result({**uncounted, **await status_of(engine, run.id)})
            case "run_cancel":
                await engine.cancel(run.id, by=asked.caller.who)
            case _:
                pass
        return structured_result(await status_of(engine, run.id))


async def find_run(
    context: McpContext, engine: Engine, asked: ToolRequest, *, is_whole: bool = False
) -> RunRecord:
    """Return the run of a call by its id; its first characters suffice to read, unless limited."""
    key, identity = asked.caller.key, asked.text("run_id")
    if key is not None:
        runs = VisibleRuns(engine, context.published)
        return await (runs.get if is_whole else runs.match)(key, identity)
    return await (engine.get if is_whole else engine.match)(identity)


async def status_of(engine: Engine, run_id: str) -> JsonObject:
    """The status of a run and its open questions."""
    run = await engine.get(run_id)
    # `run_id` and `wake_at` are older names.
    shown: JsonObject = {"run_id": run.id, **RunSummary.of(run).as_json()}
    shown["notice"] = await run_notice(engine.journal.database, engine.clock, run)
    if run.wake_at:
        shown["wake_at"] = run.wake_at
    if run.status in {"waiting", "running", "uncertain"}:
        if asks := await _questions(engine, run.id):
            shown["asks"] = list[Json](asks)
        if uncertain := (await engine.state(run.id)).uncertain:
            shown["uncertain"] = list[Json](sorted(uncertain))
    return shown


async def _questions(engine: Engine, run: str) -> list[JsonObject]:
    """The open questions of a run and of those it called, by step."""
    found = await open_questions(engine, run)
    return [{"step": key, **question} for key, question in found.items()]


async def _result(engine: Engine, run: RunRecord, asked: ToolRequest) -> JsonObject:
    report = await report_of(engine.journal, run.id)
    plan = await engine.plan(run.id)
    shown = execution(run.id, plan, report.entries, is_whole=report.is_whole)
    # The tools have one name for it; `runId` is that of the format.
    shown = {"run_id": shown.pop("runId"), **shown}
    steps = shown.pop("intermediateResults")
    given = asked.arguments.get("max_tokens")
    budget = given if isinstance(given, int) else RESULT_TOKENS
    return fit_list(
        [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else [],
        budget,
        key="intermediateResults",
        again="run_result with more max_tokens",
        details=("inputVariables", "timestamp", "executionTimeMs"),
        frame=_without_large(shown, budget),
        frame_share=FRAME_SHARE,
    )


def _without_large(shown: JsonObject, budget: int) -> JsonObject:
    """The run with its result, which comes before its steps, as far as that fits."""
    if tokens(shown) <= budget * FRAME_SHARE:
        return shown
    kept = {name: one for name, one in shown.items() if name not in _LARGE}
    if isinstance(error := kept.get("error"), dict):
        # The steps are listed once more in it.
        kept["error"] = {name: one for name, one in error.items() if name != "partialResults"}
        return kept
    return kept | {"omitted": list[Json]([name for name in _LARGE if name in shown])}


async def _respond(engine: Engine, run: RunRecord, asked: ToolRequest) -> str | None:
    """Answer a question; return why the answer does not count, if it does not."""
    step = asked.text("step")
    if not step:
        open_steps = list(await open_questions(engine, run.id))
        if len(open_steps) != 1:
            names = ", ".join(map(repr, open_steps))
            raise Conflict(
                "STEP_NOT_WAITING",
                f"run {run.id!r} has {len(open_steps)} open questions",
                hint=f"give 'step', one of {names}" if names else "no step of this run is waiting",
            )
        step = open_steps[0]
    reply = asked.arguments["reply"]
    await check_step(engine, run.id, step, reply)
    return await engine.answer(run.id, step, reply, by=asked.caller.person, via="mcp")
