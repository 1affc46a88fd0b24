"""FLOW.WAIT: hold the run until something is so."""

from dataclasses import replace

from toolweave.catalog.spec import OUTPUT, Example, Field, NodeSpec, Port


class Wait:
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
                options=(
                    "condition",
                    "event",
                    "signal",
                    "resource",
                    "approval",
                    "webhook",
                    "file",
                    "api_response",
                    "queue_message",
                    "database_change",
                ),
            ),
            Field(
                "wait_condition",
                "string",
                "CEL that ends the wait, over data and `trigger` (what came or was read): "
                "`trigger.status == 'done'`.",
                multiline=True,
            ),
            Field(
                "check_interval_seconds",
                "float",
                "Seconds between looks, where nothing tells by itself.",
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
            ),
            Field(
                "webhook_config",
                "object",
                'For webhook: {"endpoint_path": "/paid", "method": "POST", "expected_payload": '
                '{"status": "ok"}, "authentication_required": true}.',
                {},
            ),
            Field(
                "file_config",
                "object",
                'For file: {"file_path": "out/report.csv", "watch_type": "creation", '
                '"expected_content": "Total"}.',
                {},
            ),
            Field(
                "api_config",
                "object",
                'For api_response: {"url": "https://...", "method": "GET", "expected_status": 200, '
                '"expected_response": {"state": "ready"}}.',
                {},
            ),
            Field(
                "queue_config",
                "object",
                'For queue_message: {"queue_name": "orders", "queue_type": "redis", '
                '"message_filter": {}, "consume_message": true}.',
                {},
            ),
            Field(
                "database_config",
                "object",
                "For database_change: connection_string (a vault reference), condition_query, "
                "expected_result.",
                {},
                sensitive=True,
            ),
            Field(
                "resource_config",
                "object",
                'For resource, percent in use: {"resource_type": "cpu", '
                '"availability_threshold": 80}.',
                {},
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
            ),
            Field("pass_through_data", "boolean", "Whether data is passed on.", True),
            Field("include_wait_metadata", "boolean", "Whether wait_result is filled.", True),
            Field("cancellable", "boolean", "Whether a person may end the wait early.", True),
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
                "wait_end_time, timeout_occurred and was_cancelled.",
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
            "HUMAN_IN_THE_LOOP node. Connect `timeout`, or a run whose time is up ends there."
        ),
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


node = Wait()
