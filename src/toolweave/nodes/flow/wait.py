"""FLOW.WAIT: hold the run until something is so."""

from dataclasses import replace
from datetime import timedelta

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.catalog.node import Wait as Waiting
from toolweave.catalog.spec import OUTPUT, Example, Field, NodeSpec, Port, terms
from toolweave.clock import timestamp
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.flow._wait_conditions import check_wait, look
from toolweave.nodes.flow._wait_state import WaitMemory, WaitOutcome, WaitRequest, why_unmet

LONGEST_INTERVAL_S = 3_600


class WaitNode:
    """Holds a run until what it waits for has come, or the time is up."""

    spec = NodeSpec(
        type="FLOW",
        subtype="WAIT",
        summary="Hold the run until a condition, event, call, file or answer has come.",
        effect="keyed",
        configurations=(
            Field(
                "wait_type",
                "string",
                "What is waited for; each but condition, signal and approval has a configuration "
                "of its own.",
                "condition",
                required=True,
                options=terms(
                    "condition, event, signal, resource, approval, webhook, file, api_response, "
                    "queue_message, database_change"
                ),
            ),
            Field(
                "wait_condition",
                "string",
                "CEL that ends the wait, over data, `trigger` (what came or was read) and `now`: "
                "`trigger.status == 'done'`.",
                multiline=True,
            ),
            Field(
                "check_interval_seconds",
                "float",
                "Seconds between checks, where there is no notification.",
                5.0,
                minimum=0.1,
                maximum=300,
            ),
            Field(
                "timeout_seconds",
                "float",
                "Seconds after which it goes on by `timeout`; waiting costs nothing.",
                300.0,
                minimum=1,
                maximum=31_536_000,
            ),
            Field(
                "max_attempts",
                "integer",
                "Looks after which it goes on by `timeout`; -1 for any number.",
                -1,
                minimum=-1,
                maximum=1000,
            ),
            Field(
                "event_config",
                "object",
                'For event: {"name": "order.paid", "match": {"order": "A-1"}}.',
                {},
                used_when=("wait_type", "event"),
                members="{name, match: object}",
            ),
            Field(
                "webhook_config",
                "object",
                'For webhook, below /hooks: {"endpoint_path": "/paid", "method": "POST", '
                '"expected_payload": {"status": "ok"}, "authentication_required": true}.',
                {},
                used_when=("wait_type", "webhook"),
                members="{endpoint_path, method: GET|POST|PUT|PATCH|DELETE, expected_payload: "
                "any, authentication_required: boolean, auth_token}",
            ),
            Field(
                "file_config",
                "object",
                'For file: {"file_path": "out/report.csv", "watch_type": "creation", '
                '"expected_content": "Total"}.',
                {},
                used_when=("wait_type", "file"),
                members="{file_path, watch_type: creation|modification|deletion, expected_content}",
            ),
            Field(
                "api_config",
                "object",
                'For api_response: {"url": "https://...", "method": "GET", "expected_status": 200, '
                '"expected_response": {"state": "ready"}}.',
                {},
                used_when=("wait_type", "api_response"),
                members="{url, method: GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS, headers: "
                "object, body: any, expected_status: integer 100..599 or "
                "[integer 100..599], expected_response: any}",
            ),
            Field(
                "queue_config",
                "object",
                'For queue_message: {"queue_name": "orders", "queue_type": "redis", '
                '"message_filter": {}, "consume_message": true}.',
                {},
                used_when=("wait_type", "queue_message"),
                members="{queue_name, queue_type, connection_string, message_filter: object, "
                "consume_message: boolean}",
            ),
            Field(
                "database_config",
                "object",
                "For database_change: connection_string (a vault reference), condition_query, "
                "expected_result; without that, any other result.",
                {},
                sensitive=True,
                used_when=("wait_type", "database_change"),
                members="{connection_string, condition_query, expected_result: any}",
            ),
            Field(
                "resource_config",
                "object",
                'For resource, percent in use: {"resource_type": "cpu", '
                '"availability_threshold": 80}.',
                {},
                used_when=("wait_type", "resource"),
                members="{resource_type: cpu|memory|disk, availability_threshold: number 0..100}",
            ),
            Field(
                "exponential_backoff",
                "boolean",
                "Whether the time between looks grows by backoff_multiplier.",
                False,
            ),
            Field(
                "backoff_multiplier",
                "float",
                "How much longer each next time between looks is.",
                1.5,
                minimum=1.1,
                maximum=3.0,
                used_when=("exponential_backoff", "true"),
            ),
            Field("pass_through_data", "boolean", "Whether data is passed on.", True),
            Field("include_wait_metadata", "boolean", "Whether wait_result is filled.", True),
            Field(
                "cancellable",
                "boolean",
                'Whether a person may end the wait early, by the answer {"cancelled": true}.',
                True,
            ),
        ),
        inputs=(
            Field("data", "any", "What is passed on after the wait.", required=True),
            Field("context", "object", "More values for the condition, as `context.name`."),
            Field("variables", "object", "Variables for the condition, as `variables.name`."),
        ),
        outputs=(
            Field("data", "any", "The input, if pass_through_data is on."),
            Field(
                "wait_result",
                "object",
                "condition_met, wait_duration_seconds, attempts_made, wait_start_time, "
                "wait_end_time, timeout_occurred, was_cancelled and message.",
                members="{condition_met: boolean, wait_duration_seconds: number, "
                "attempts_made: integer, wait_start_time, wait_end_time, "
                "timeout_occurred: boolean, was_cancelled: boolean, message: "
                "any}",
            ),
            Field("trigger_data", "any", "What ended the wait: the event, call or answer."),
        ),
        output_ports=(
            replace(OUTPUT, aliases=("completed",)),
            Port(
                "timeout",
                "Taken when the time is up, or when somebody ended the wait.",
                aliases=("cancelled", "failed"),
            ),
        ),
        tags=("flow", "wait", "event"),
        keywords=(
            *("wait", "pause", "until", "hold", "callback", "poll"),
            *("event", "signal", "resume", "file", "ready", "approval"),
        ),
        guidance=(
            "To wait a set time use FLOW.DELAY; to ask a person and get an answer use a "
            "HUMAN_IN_THE_LOOP node. Connect `timeout`, or a run whose time is up ends there. "
            "condition, resource, file, api_response, database_change and queue_message look again "
            "and again; event, signal, approval and webhook end when their answer comes, and "
            "wait_condition may refuse it. An event is sent with `toolweave runs event NAME`; a "
            "webhook is called below /hooks, and proves itself by webhook_config.auth_token, else "
            "by the vault's wait-webhook-token, unless authentication_required is "
            "false. A queue is a Redis list at the vault's queue-url, "
            "or at queue_config.connection_string."
        ),
        checks=(WaitRequest.of, check_wait),
        examples=(
            Example(
                "Job is done",
                "Waits for the event of its job, a day at most.",
                {
                    "wait_type": "event",
                    "event_config": {"name": "job.finished", "match": {"job": "{{ data.job }}"}},
                    "wait_condition": "trigger.status == 'done'",
                    "timeout_seconds": 86_400,
                },
                {"data": {"job": "j-17"}},
            ),
            Example(
                "Payment comes in",
                "Waits for the payment service to call back.",
                {
                    "wait_type": "webhook",
                    "webhook_config": {
                        "endpoint_path": "/payments/confirmed",
                        "method": "POST",
                        "expected_payload": {
                            "payment": "{{ data.payment }}",
                            "status": "confirmed",
                        },
                        "authentication_required": True,
                    },
                    "timeout_seconds": 3600,
                },
                {"data": {"order": "A-100", "payment": "p-9"}},
            ),
            Example(
                "Export is written",
                "Looks for the file, less often each time.",
                {
                    "wait_type": "file",
                    "file_config": {
                        "file_path": "exports/daily.csv",
                        "watch_type": "creation",
                        "expected_content": "Total",
                    },
                    "check_interval_seconds": 10,
                    "exponential_backoff": True,
                    "backoff_multiplier": 1.5,
                    "timeout_seconds": 600,
                },
                {"data": {"export": "e-3"}},
            ),
            Example(
                "Service is ready",
                "Asks an API until it says ready, thirty times at most.",
                {
                    "wait_type": "api_response",
                    "api_config": {
                        "url": "https://api.example.com/jobs/{{ data.job }}",
                        "method": "GET",
                        "expected_status": 200,
                        "expected_response": {"state": "ready"},
                    },
                    "check_interval_seconds": 2,
                    "max_attempts": 30,
                    "timeout_seconds": 120,
                },
                {"data": {"job": "j-18"}},
            ),
            Example(
                "Already so",
                "The condition holds at once, so there is no wait.",
                {"wait_type": "condition", "wait_condition": "data.status == 'processed'"},
                {"data": {"job": "j-19", "status": "processed"}},
                {"data": {"job": "j-19", "status": "processed"}, "trigger_data": {}},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome | Waiting:
        """The input, once what is waited for has come or the time is up."""
        given, now, resumed = context.given, context.now(), context.resumed
        memory = WaitMemory.of(resumed.memory) if resumed else WaitMemory(now)
        answer = resumed if resumed and resumed.by == "answer" else None
        reply = answer.reply if answer else None
        deadline = memory.since + timedelta(seconds=given.number("timeout_seconds"))
        asked = WaitRequest.of(given)
        if _is_cancel(reply) and given.flag("cancellable"):
            return self._over(context, memory, None, was_cancelled=True)
        if asked is None:
            looked = await look(context, memory, reply)
        else:
            looked = asked.heard(reply, memory) if answer else WaitOutcome(memory)
        memory = looked.memory
        if looked.is_refused:
            return self._over(context, memory, looked.trigger, was_cancelled=True)
        if looked.trigger is not None:
            unmet = why_unmet(given, looked.trigger, now)
            if unmet is None:
                return self._over(context, memory, looked.trigger)
            memory = replace(memory, fault=unmet)
        most = given.whole("max_attempts")
        if now >= deadline or (asked is None and 0 <= most <= memory.looks):
            return self._over(context, memory, None)
        until = deadline
        if asked is None:
            until = min(deadline, now + timedelta(seconds=_interval_s(context, memory)))
        return Waiting(until, asked.question(given) if asked else None, memory.as_json())

    def _over(
        self,
        context: NodeContext,
        memory: WaitMemory,
        trigger: Json,
        *,
        was_cancelled: bool = False,
    ) -> Outcome:
        given, now = context.given, context.now()
        is_there = trigger is not None and not was_cancelled
        result: JsonObject = {
            "condition_met": is_there,
            "wait_duration_seconds": (now - memory.since).total_seconds(),
            "attempts_made": memory.looks,
            "wait_start_time": timestamp(memory.since),
            "wait_end_time": timestamp(now),
            "timeout_occurred": not is_there and not was_cancelled,
            "was_cancelled": was_cancelled,
            "message": None if is_there else memory.fault,
        }
        value: JsonObject = {
            "data": given.value("data") if given.flag("pass_through_data") else None,
            "wait_result": result if given.flag("include_wait_metadata") else {},
            "trigger_data": {} if trigger is None else trigger,
        }
        return Outcome(value, ("output",) if is_there else ("timeout",))


def _is_cancel(reply: Json) -> bool:
    return isinstance(reply, dict) and reply.get("cancelled") is True


def _interval_s(context: NodeContext, memory: WaitMemory) -> float:
    given = context.given
    interval_s = given.number("check_interval_seconds")
    if given.flag("exponential_backoff"):
        grown = given.number("backoff_multiplier") ** min(memory.looks - 1, 100)
        interval_s = min(interval_s * grown, max(LONGEST_INTERVAL_S, interval_s))
    return interval_s


node = WaitNode()
