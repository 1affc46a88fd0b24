"""A trigger as REST and commands show it; no field can hold a secret."""

from typing import Literal

from toolweave.json_record import JsonRecord

State = Literal["on", "paused", "off", "switched off in the workflow", "deleted", "by hand"]


class TriggerEventRecord(JsonRecord):
    """A trigger event and its outcome."""

    at: str
    outcome: Literal["started", "ignored", "refused", "paused"]
    run: str | None
    status: str | None
    reason: str | None


class TriggerFact(JsonRecord):
    """A setting, as text."""

    label: str
    value: str


class Hook(JsonRecord):
    """The address of a webhook and its authentication method, without secrets."""

    paths: list[str]
    methods: list[str]
    proof: str


class TriggerLine(JsonRecord):
    """A trigger of a stored workflow; `nextTimes` are its next times if it is enabled."""

    workflow: str
    slug: str
    node: str
    title: str
    kind: str
    state: State
    is_current: bool  # whether the enabled version is the stored one
    facts: list[TriggerFact]
    next_times: list[str]
    hook: Hook | None
    reason: str | None  # its problem
    paused_at: str | None
    last: TriggerEventRecord | None
    recent: list[TriggerEventRecord]
