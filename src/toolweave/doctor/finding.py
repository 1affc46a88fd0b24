"""A finding of the diagnostics."""

from dataclasses import dataclass
from typing import Literal

from toolweave.json_record import JsonRecord

State = Literal["ok", "note", "fault"]


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """One finding, with a remedy if there is something to do."""

    state: State
    what: str
    details: str
    remedy: str | None = None


class FindingRecord(JsonRecord):
    """A finding of the diagnostics; `remedy` only if there is something to do."""

    state: State
    what: str
    details: str
    remedy: str | None = None
