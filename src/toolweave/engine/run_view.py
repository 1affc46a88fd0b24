"""A run as a person sees it: its steps with titles, what it asks, and its result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from toolweave.clock import timestamp
from toolweave.engine.called_questions import open_questions
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL, Started
from toolweave.engine.execution_report import StepRecord, records
from toolweave.engine.journal_reader import JournalEntry
from toolweave.engine.journal_report import report_of
from toolweave.engine.plan import Plan
from toolweave.engine.queue_report import run_notice
from toolweave.engine.run_table import RunRecord
from toolweave.engine.state import RunState
from toolweave.json_text import Json, JsonObject, write
from toolweave.workflow.question import question_of

MAX_STEPS = 500
# A page that receives more freezes; the result itself can be read as a resource.
MAX_RESULT_CHARS = 1_000_000
MAX_CUT_CHARS = 60_000


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything about one run at one moment."""

    run: RunRecord
    plan: Plan
    entries: Sequence[JournalEntry]
    state: RunState
    now: str
    # What the run and those it called ask, by step.
    questions: Mapping[str, JsonObject]
    notice: str | None = None
    hidden_steps: int = 0

    @property
    def is_over(self) -> bool:
        """Whether the run has ended."""
        return self.run.status in FINAL

    def as_json(self, person: str) -> JsonObject:
        """Return the run, its questions marked with whether this person may answer."""
        steps = [*self._steps()]
        shown: JsonObject = {
            "run_id": self.run.id,
            "workflow": self.run.workflow,
            "status": self.run.status,
            "started_at": self.run.started_at,
            "finished_at": self.run.finished_at,
            "now": self.now,
            "notice": self.notice,
            "fork_of": self.run.fork_of,
            "inputs": self._started.inputs,
            "steps": list[Json](steps[:MAX_STEPS]),
            "hidden_steps": max(0, len(steps) - MAX_STEPS) + self.hidden_steps,
            "asks": list[Json](self._questions(person)),
            "uncertain": [*self._uncertain()],
        }
        return shown | self._outcome()

    def summary(self) -> str:
        """Return the run in one or a few lines of text."""
        found = records(self.entries)
        done = sum(record.status == "success" for record in found)
        lines = [f"Run {self.run.id} of {self.run.workflow}: {self.run.status}, {done} steps done"]
        lines += [f"Asks: {one['text']}" for one in self._questions("")]
        if self.run.error:
            lines.append(self.run.error)
        return "\n".join(lines)

    @property
    def _started(self) -> Started:
        return next(one.event for one in self.entries if isinstance(one.event, Started))

    def _title(self, key: str) -> str:
        """`loop#1/fetch` as the titles of its nodes."""
        titles: list[str] = []
        for part in key.split("/"):
            node, turn, number = part.partition("#")
            step = self.plan.by_id.get(node)
            title = step.node.title if step else node
            titles.append(f"{title} #{int(number) + 1}" if turn and number.isdecimal() else title)
        return " / ".join(titles)

    def _steps(self) -> Iterator[JsonObject]:
        found = records(self.entries)
        begins = self._begins()
        for record in found:
            yield self._step(record, is_reused=record.key in begins)
        # Those that have not begun, or never will.
        seen = {record.key.rpartition("/")[2].partition("#")[0] for record in found}
        for index in self.plan.bodies.get(None, ()):
            step = self.plan.steps[index]
            if step.id not in seen:
                status = "not run" if self.is_over else "pending"
                yield {"key": step.id, "title": step.node.title, "status": status}

    def _begins(self) -> set[str]:
        """The steps that a fork took over: those that ended in its first entries."""
        if self._started.fork_of is None:
            return set()
        at = self.entries[0].at
        found = records([*takewhile(lambda entry: entry.at == at, self.entries)])
        first = self._started.fork_at
        return {one.key for one in takewhile(lambda one: one.key != first, found)}

    def _step(self, record: StepRecord, *, is_reused: bool) -> JsonObject:
        shown: JsonObject = {
            "key": record.key,
            "title": self._title(record.key),
            "status": record.status,
            "started_at": record.started_at,
            "finished_at": record.finished_at,
            "took_ms": record.took_ms,
            "attempt": record.attempt,
        }
        if is_reused:
            shown["is_reused"] = True
        if record.error:
            shown["error"] = {name: record.error.get(name) for name in ("code", "message", "hint")}
        if self.is_over and "/" not in record.key:
            shown["can_rerun"] = True
        return shown

    def _questions(self, person: str) -> Iterator[JsonObject]:
        for key, asked in self.questions.items():
            question = question_of(asked)
            if question is None or self.is_over:
                continue
            asks = question.as_json()
            yield {
                **{name: value for name, value in asks.items() if name != "thread"},
                "step": key,
                "title": question.title,
                "may_answer": question.asks(person),
            }

    def _uncertain(self) -> Iterator[Json]:
        for key in sorted(self.state.uncertain):
            yield {"step": key, "title": self._title(key)}

    def _outcome(self) -> JsonObject:
        last = self.state.finished
        if last is None:
            return {}
        if last.status != "success":
            return {"error": last.error}
        text = write(last.result)
        if len(text) <= MAX_RESULT_CHARS:
            return {"result": last.result}
        return {"result_text": text[:MAX_CUT_CHARS], "result_chars": len(text)}


async def view_of(engine: Engine, run: str) -> RunView:
    """Read one run."""
    record, plan = await engine.get(run), await engine.plan(run)
    state, report = await engine.state(run), await report_of(engine.journal, run)
    now = timestamp(engine.clock.now())
    notice = await run_notice(engine.journal.database, engine.clock, record)
    questions = await open_questions(engine, run)
    return RunView(record, plan, report.entries, state, now, questions, notice, report.hidden_steps)
