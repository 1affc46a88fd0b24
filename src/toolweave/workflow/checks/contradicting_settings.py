"""Settings that contradict each other: one of them has no effect, or the run does something else.

Warnings without a fix: which of the two is meant is not known.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeGuard

from toolweave.catalog.spec import NodeSpec
from toolweave.cel.language import compile_text
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table

CODE = "VALUE_UNLIKELY"
_NO_BODY = frozenset({"GET", "HEAD", "OPTIONS"})
_MEDIA = {
    "json": ("json",),
    "form": ("x-www-form-urlencoded", "multipart/form-data"),
}
# The port that a mail server has for one kind of security.
_SECURITY = {465: "tls", 587: "starttls"}
# What says where mail comes from, for each way of getting it.
_MAIL_SOURCES: Mapping[str, tuple[str, ...]] = {
    "imap": ("host", "port", "use_ssl"),
    "gmail_api": ("base_url",),
    "outlook_api": ("base_url",),
    "webhook": ("path",),
}
# Paths at which this service answers by itself.
_TAKEN = frozenset({"github", "slack", "telegram", "discord", "health", "mcp", "api"})
_TAG = pattern(r"<(/?(?:b|i|u|s|a|code|pre|strong|em|blockquote))(?:\s[^<>]*)?>")
_TYPE_WORDS = {
    **dict.fromkeys(("int", "long", "int64", "integer"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "numeric", "number"), "number"),
    **dict.fromkeys(("bool", "boolean"), "boolean"),
    **dict.fromkeys(("str", "text", "varchar", "char", "string", "date", "datetime"), "string"),
    **dict.fromkeys(("timestamp", "time", "email", "url", "uri", "uuid"), "string"),
    **dict.fromkeys(("list", "array", "tuple"), "array"),
    **dict.fromkeys(("dict", "map", "record", "json", "object"), "object"),
}
_ARCHIVE_MINUTES = (60, 1_440, 4_320, 10_080)
_HOUR_S = 3_600
_MAX_ITERATIONS = 100


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield settings of a node that cannot both be meant."""
    for facts, spec, rules in node_table(case).having(_rules):
        config, inputs = facts.settings, facts.inputs
        for field, message, hint in (found for rule in rules for found in rule(config, inputs)):
            first = field.split(".")[0]
            is_named = first in inputs or any(one.name == first for one in spec.inputs)
            is_input = first not in config and is_named
            part = "inputParams" if is_input else "configurations"
            place = f"{facts.place}/{part}{pointer(*field.split('.'))}"
            yield Problem(CODE, place, message, hint=hint, severity="warning")


def _rules(spec: NodeSpec) -> "tuple[_Rule, ...]":
    rules = _RULES.get(spec.ref, ())
    return (*rules, _reminders) if spec.type == "HUMAN_IN_THE_LOOP" else rules


_Found = tuple[str, str, str]


def _request(config: JsonObject, inputs: JsonObject) -> Iterator[_Found]:
    body, method, kind = inputs.get("body"), config.get("method"), config.get("body_type")
    if body in (None, "", {}, []):
        return
    if str(method) in _NO_BODY:
        hint = "use POST, PUT or PATCH, or send values as query_params"
        yield "body", f"{method} sends no body; 'body' has no effect", hint
    elif kind == "none":
        yield (
            "body_type",
            "'body_type' is 'none', so that 'body' is not sent",
            "choose json or form",
        )
    headers = config.get("headers")
    for name, value in headers.items() if isinstance(headers, dict) else ():
        expected = _MEDIA.get(str(kind), ())
        if name.lower() != "content-type" or not isinstance(value, str) or not expected:
            continue
        if "{{" not in value and not any(one in value.lower() for one in expected):
            message = f"{name!r} is {shown(value)}, and the body is sent as {kind}"
            yield f"headers.{name}", message, "remove the header, or choose another body_type"


def _mail_port(config: JsonObject, _: JsonObject) -> Iterator[_Found]:
    port, security = config.get("smtp_port"), config.get("security")
    expected = _SECURITY.get(port) if isinstance(port, int) else None
    if expected and str(security) in _SECURITY.values() and security != expected:
        message = f"port {port} is used with {expected}; 'security' is {shown(security)}"
        yield "security", message, f"choose {expected}, or the other port"


def _mail_source(config: JsonObject, _: JsonObject) -> Iterator[_Found]:
    """Parts of a mail server that another way of getting mail has."""
    provider, server = config.get("email_provider", "imap"), config.get("server_config")
    kind = provider if isinstance(provider, str) else ""
    for name in server if isinstance(server, dict) else ():
        users = [one for one, names in _MAIL_SOURCES.items() if name in names]
        if users and kind in _MAIL_SOURCES and kind not in users:
            message = f"{name!r} has no effect while 'email_provider' is {shown(kind)}"
            hint = f"remove it, or choose {' or '.join(map(repr, users))}"
            yield f"server_config.{name}", message, hint


def _only_copies(config: JsonObject, inputs: JsonObject) -> Iterator[_Found]:
    """A mail that only those with a copy get."""
    if not (config.get("to") or inputs.get("to")) and (inputs.get("cc") or inputs.get("bcc")):
        yield "to", "the mail has no recipient, only copies", "name whom it is to, as 'to'"


def _filled_query(config: JsonObject, _: JsonObject) -> Iterator[_Found]:
    query = config.get("query")
    if isinstance(query, str) and "{{" in query:
        message = "a value that is written into the query may change what it does"
        yield "query", message, "write ? or :name, and give the value in inputParams.parameters"


def _types(config: JsonObject, _: JsonObject) -> Iterator[_Found]:
    """Types of other languages, which count as a description of a text here."""
    fields = config.get("fields")
    for name, kind in fields.items() if isinstance(fields, dict) else ():
        meant = _TYPE_WORDS.get(kind.strip().lower()) if isinstance(kind, str) else None
        if meant is not None and kind != meant:
            message = f"{shown(kind)} is no type here, so that {name!r} is a text"
            yield f"fields.{name}", message, f"use {meant!r}, or describe the text"


def _markup(config: JsonObject, _: JsonObject) -> Iterator[_Found]:
    """Tags in Markdown, or tags that are not closed."""
    for field in ("message_text", "message_template"):
        text, mode = config.get(field), config.get("parse_mode", "Markdown")
        tags = _TAG.findall(text) if isinstance(text, str) else []
        if tags and mode != "HTML":
            message = f"{field!r} has HTML tags, and 'parse_mode' is {shown(mode)}"
            yield field, message, "choose HTML, or write it in Markdown"
        elif mode == "HTML" and any(tags.count(one) != tags.count(f"/{one}") for one in tags
                                    if not one.startswith("/")):  # fmt: skip
            yield field, "a tag is not closed", "close every tag, such as <b>…</b>"


def _range(config: JsonObject, _: JsonObject) -> Iterator[_Found]:
    first, last = config.get("start_value", 0), config.get("end_value")
    step, most = config.get("step", 1), config.get("max_iterations", _MAX_ITERATIONS)
    numbers = [one for one in (first, last, step, most) if _is_number(one)]
    if config.get("loop_type") != "for_range" or len(numbers) != 4 or not numbers[2]:
        return
    count = (numbers[1] - numbers[0]) / numbers[2]
    if count > numbers[3]:
        message = f"the range has {count:g} steps; 'max_iterations' ends it after {numbers[3]:g}"
        field = "max_iterations" if "max_iterations" in config else "end_value"
        yield field, message, "raise max_iterations, or shorten the range"


def _without_value(config: JsonObject, _: JsonObject) -> Iterator[_Found]:
    """Conditions that compare a field with nothing."""
    kind, listed = config.get("filter_type"), config.get("conditions")
    if kind not in ("simple_condition", "array_contains"):
        return
    for at, one in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(one, dict) or "field" not in one or "value" in one:
            continue
        if one.get("operator") != "exists":
            message = "the condition has no 'value' that the field is compared with"
            yield f"conditions.{at}", message, "add 'value', or choose the operator 'exists'"


def _constant(config: JsonObject, _: JsonObject) -> Iterator[_Found]:
    """A condition that reads nothing, so that one of both ways is never taken."""
    text = config.get("condition_expression")
    expression = compile_text(text) if isinstance(text, str) and "{{" not in text else None
    if expression is not None and expression.is_ours and not expression.references:
        message = f"the condition {shown(text)} is the same in every run"
        yield "condition_expression", message, "compare a value of the run: data.total > 100"


def _cases(config: JsonObject, _: JsonObject) -> Iterator[_Found]:
    """Cases that are never reached: the first that holds is taken."""
    listed = config.get("cases")
    seen: set[str] = set()
    for at, one in enumerate(listed if isinstance(listed, list) else ()):
        when = one.get("when") if isinstance(one, dict) else None
        if not isinstance(when, str):
            continue
        if when.strip() == "true":
            yield f"cases.{at}.when", f"case {at} always holds", "leave it to the port 'default'"
        if when in seen:
            message = f"case {at} is the same as an earlier one and is never taken"
            yield f"cases.{at}.when", message, "write another condition, or remove it"
        seen.add(when)


def _data(_: JsonObject, inputs: JsonObject) -> Iterator[_Found]:
    data = inputs.get("data")
    is_template = isinstance(data, str) and data.startswith("{{") and data.endswith("}}")
    if data is not None and not isinstance(data, dict) and not is_template:
        hint = 'name the inputs of the workflow: {"text": "…"}'
        yield "data", f"a workflow is started with named inputs, not with {shown(data)}", hint


def _taken(config: JsonObject, _: JsonObject) -> Iterator[_Found]:
    path = config.get("webhook_path")
    if isinstance(path, str) and path.strip("/").lower() in _TAKEN:
        message = f"{shown(path)} is the path of another service's events"
        yield "webhook_path", message, "choose a path of your own"


def _archive(config: JsonObject, _: JsonObject) -> Iterator[_Found]:
    thread = config.get("thread_config")
    minutes = thread.get("auto_archive_duration") if isinstance(thread, dict) else None
    if _is_number(minutes) and minutes not in _ARCHIVE_MINUTES:
        hint = f"use one of {', '.join(map(str, _ARCHIVE_MINUTES))}"
        message = f"Discord archives after certain minutes; {shown(minutes)} is none of them"
        yield "thread_config.auto_archive_duration", message, hint


def _reminders(config: JsonObject, _: JsonObject) -> Iterator[_Found]:
    """Reminders and escalations after the time in which an answer counts."""
    limit = next(
        (
            value * unit
            for name, unit in (
                ("response_timeout", 1),
                ("review_deadline", 1),
                ("timeout_seconds", 1),
                ("timeout_minutes", 60),
                ("timeout_hours", _HOUR_S),
            )
            if _is_number(value := config.get(name))
        ),
        None,
    )
    rules = config.get("escalation_rules")
    after = rules.get("escalation_after_hours") if isinstance(rules, dict) else None
    for field, value, unit in (
        ("reminder_seconds", config.get("reminder_seconds"), 1),
        ("escalation_rules.escalation_after_hours", after, _HOUR_S),
    ):
        if limit and _is_number(value) and value * unit >= limit:
            message = f"{field!r} is {shown(value)}, when the time for an answer is over"
            yield field, message, "write a shorter time"


def _is_number(value: Json) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


_Rule = Callable[[JsonObject, JsonObject], Iterator[_Found]]
# The rules of a node, beside those of all that ask a person.
_RULES: Mapping[str, tuple[_Rule, ...]] = {
    "ACTION.DATABASE_QUERY": (_filled_query,),
    "ACTION.HTTP_REQUEST": (_request,),
    "AI_AGENT.EXTRACT": (_types,),
    "EXTERNAL_ACTION.DISCORD_ACTION": (_archive,),
    "EXTERNAL_ACTION.EMAIL": (_mail_port, _only_copies),
    "EXTERNAL_ACTION.TELEGRAM_ACTION": (_markup,),
    "FLOW.FILTER": (_without_value,),
    "FLOW.IF": (_constant,),
    "FLOW.LOOP": (_range,),
    "FLOW.SUBWORKFLOW": (_data,),
    "FLOW.SWITCH": (_cases,),
    "HUMAN_IN_THE_LOOP.TELEGRAM_INTERACTION": (_markup,),
    "TRIGGER.EMAIL": (_mail_source,),
    "TRIGGER.WEBHOOK": (_taken,),
}
