"""What a backtest is asked for, and what it reports."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from toolweave.json_text import JsonObject
from toolweave.recording.comparison import StepDifference
from toolweave.workflow.formats.format import LoadedWorkflow

Verdict = Literal["same", "differs", "not_judged"]
DEFAULT_LIMIT = 1_000
MAX_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class BacktestRequest:
    """The changed workflow, and which of its past runs to judge it by."""

    loaded: LoadedWorkflow
    since: datetime | None = None
    limit: int = DEFAULT_LIMIT
    # How many of the newest runs to leave out: the next page of a long list.
    skip: int = 0
    folder: Path | None = None
    # The name of the workflow whose runs count, if the changed one has another.
    of: str | None = None

    @property
    def name(self) -> str:
        """The name of the workflow whose runs count."""
        return self.of or self.loaded.workflow.name


@dataclass(frozen=True, slots=True)
class BacktestCase:
    """One past run: what the changed workflow would do otherwise."""

    source: Literal["run", "recording"]
    name: str
    started_at: str | None
    verdict: Verdict
    # The changed steps, and last the result.
    differences: tuple[StepDifference, ...] = ()
    # Requests that were never made, each by its step, and recorded calls that are no longer made.
    new_requests: tuple[StepDifference, ...] = ()
    no_longer: tuple[str, ...] = ()
    # What could not be judged, and why.
    not_judged: tuple[str, ...] = ()

    def as_json(self) -> JsonObject:
        """Return the case for programs."""
        return {
            "source": self.source,
            "name": self.name,
            "startedAt": self.started_at,
            "verdict": self.verdict,
            "differences": [one.as_json() for one in self.differences],
            "newRequests": [one.as_json() for one in self.new_requests],
            "noLonger": [*self.no_longer],
            "notJudged": [*self.not_judged],
        }


@dataclass(frozen=True, slots=True)
class BacktestProgress:
    """A judged case, its number, and how many there are."""

    case: BacktestCase
    number: int
    total: int


@dataclass(frozen=True, slots=True)
class BacktestReport:
    """All cases of a backtest."""

    workflow: str
    cases: tuple[BacktestCase, ...]

    def of(self, verdict: Verdict) -> list[BacktestCase]:
        """Return the cases with this verdict."""
        return [one for one in self.cases if one.verdict == verdict]

    @property
    def summary(self) -> str:
        """The counts in one line."""
        counts = [len(self.of(verdict)) for verdict in ("same", "differs", "not_judged")]
        runs = f"{len(self.cases)} run" + ("" if len(self.cases) == 1 else "s")
        return f"{runs}: {counts[0]} same, {counts[1]} different, {counts[2]} not compared"

    def as_json(self) -> JsonObject:
        """Return the report for programs."""
        return {
            "workflow": self.workflow,
            "runs": len(self.cases),
            "same": len(self.of("same")),
            "different": len(self.of("differs")),
            "notJudged": len(self.of("not_judged")),
            "cases": [one.as_json() for one in self.cases],
        }
