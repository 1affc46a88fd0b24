"""Progress notifications of a run."""

from collections.abc import Sequence

from toolweave.engine.events import PureStepsDone, StepFinished
from toolweave.engine.journal import JournalEntry
from toolweave.engine.plan import NEVER_RUN
from toolweave.engine.state import TURN
from toolweave.mcp_server.tool_call import McpCaller
from toolweave.workflow.model import Workflow


class RunProgress:
    """Counts completed steps; a run with loops has no known total."""

    def __init__(self, workflow: Workflow, caller: McpCaller) -> None:
        self._titles = {
            str(node.id): node.title for node in workflow.nodes if node.type not in NEVER_RUN
        }
        self._session = caller.context.session
        self._done = 0

    async def note(self, entries: Sequence[JournalEntry]) -> None:
        """Report the steps among these entries."""
        for entry in entries:
            for key in _done(entry):
                self._done += 1
                total = len(self._titles)
                title = self._titles.get(key.rpartition("/")[2], key)
                known = total if self._done <= total else None
                await self._session.report_progress(self._done, known, title)


def _done(entry: JournalEntry) -> list[str]:
    match entry.event:
        case PureStepsDone(steps):
            return [str(key) for key, number, *_ in steps if number != TURN]
        case StepFinished(key):
            return [key]
        case _:
            return []
