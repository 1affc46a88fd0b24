"""Texts of a well-known form: addresses, mail addresses, time zones, moments, ids of services.

Warnings only: what a node itself refuses is reported by `node_settings`. A field is known by its
name; texts with templates or secrets are known at run time.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache, partial

from toolweave.catalog.address_texts import is_mailbox, is_url, meant_url, several_mailboxes
from toolweave.catalog.spec import Field, NodeSpec
from toolweave.catalog.time_texts import is_zone, meant_zones
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.document import Steps
from toolweave.tools.meaning import plain_word
from toolweave.tools.schema_slips import plain_pattern
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks import text_forms
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import NodeFacts, node_table
from toolweave.workflow.checks.text_forms import UnusualForm
from toolweave.workflow.modes import object_at

READS_CONSTANTS = True
CODE = "FIELD_FORM_UNUSUAL"
_PRIVATE = pattern(
    r"https?://(?:localhost|127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\."
    r"|0\.0\.0\.0|\[::1\]|[^/:]+\.(?:local|internal|lan)(?=[:/]|$))",
    re.IGNORECASE,
)
_NOTION = pattern(r"https?://(?:[\w-]+\.)*notion\.(?:so|site)/\S*?([0-9a-f]{32})(?:[?#]\S*)?")
_NOTION_ID = pattern(r"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_MAIL = frozenset(
    {"reviewers", "from_address", "to", "cc", "bcc", "reply_to", "people"}
    | {"escalation_recipients"}
)
# Fields whose names say what form their texts have.
_NAMED: Mapping[str, Callable[[str], UnusualForm | None]] = {
    "attachment_types": text_forms.ending,
    "content_type": text_forms.media_type,
    "error_codes": text_forms.error_code,
    "time_min": text_forms.instant,
    "time_max": text_forms.instant,
    "sort_field": text_forms.sort_field,
    "date": text_forms.day,
    "attendees": text_forms.invited,
    "cron_expression": text_forms.schedule,
    "field": text_forms.field_path,
    "group_by_fields": text_forms.field_path,
    "merge_key": text_forms.field_path,
    "sender_whitelist": text_forms.sender,
}
_SHORTEST = 4
_NAME_IN_BRACES = pattern(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
_MODELS = {
    "AI_AGENT.OPENAI_CHATGPT": ("claude", "gemini", "mistral", "llama"),
    "AI_AGENT.ANTHROPIC_CLAUDE": ("gpt", "o1", "o3", "gemini", "mistral", "llama"),
    "AI_AGENT.GOOGLE_GEMINI": ("gpt", "o1", "o3", "claude", "mistral", "llama"),
}
# Nodes whose paths are below the folder of files.
_FILES = (
    *("ACTION.FILE_", "TRIGGER.FILE_", "FLOW.WAIT", "EXTERNAL_ACTION.DISCORD"),
    "EXTERNAL_ACTION.EMAIL",
)


_MAX_DEPTH = 6
_NO_MEMBERS: frozenset[str] = frozenset()
_Form = Callable[[str], UnusualForm | None]


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield texts that are not of the form that their field expects."""
    for facts in node_table(case).catalog:
        spec = facts.spec
        if spec is None or spec.origin is not None:
            continue
        if facts.settings:
            yield from _of_part(case, facts, spec, facts.settings, "configurations")
        if facts.inputs:
            yield from _of_part(case, facts, spec, facts.inputs, "inputParams")
        if spec.ref in _MODELS:
            yield from _of_model(spec, facts.settings, facts.index)
        if facts.is_nested and (variables := object_at(facts.inputs, "url_variables")):
            place = f"{facts.place}/configurations/url"
            yield from _unfilled(facts.settings.get("url"), variables, place)
    for facts, _, fields in node_table(case).having(_open_fields):
        for field in fields:
            yield from _suggested(field, facts.settings, f"{facts.place}/configurations")


def _field_names(spec: NodeSpec) -> frozenset[str]:
    return frozenset(one.name for one in (*spec.all_configurations, *spec.inputs))


def _of_part(
    case: CheckContext, facts: NodeFacts, spec: NodeSpec, values: JsonObject, part: str
) -> Iterator[Problem]:
    for name, value in values.items():
        # Most are texts of no form, numbers and the like.
        if isinstance(value, str):
            if value not in text_forms.NOTHING and _form_in(spec.ref, name) is None:
                continue
            members = _NO_MEMBERS
        elif facts.is_nested and isinstance(value, list | dict):
            members = case.made.of_spec(_with_members, spec)
        else:
            continue
        if name in case.made.of_spec(_field_names, spec):  # an unknown name is renamed first
            yield from _of_field(case, spec, (name, value), members, f"{facts.place}/{part}")


def _open_fields(spec: NodeSpec) -> tuple[Field, ...]:
    if spec.origin is not None:
        return ()
    return tuple(
        one for one in spec.configurations if one.is_open and one.options and one.type == "string"
    )


def _suggested(field: Field, settings: Mapping[str, Json], place: str) -> Iterator[Problem]:
    """Yield a name that is a suggested one in another writing; other names are allowed."""
    given = settings.get(field.name)
    if not isinstance(given, str) or given in field.options or "{{" in given:
        return
    name = given if settings.get("base_url") else given.rpartition("/")[2]
    found = [one for one in field.options if plain_word(one) == plain_word(name)]
    if not found and len(given) > _SHORTEST:
        found = [one for one in field.options if one.endswith(f"-{given}")]
    if len(found) == 1:
        at = place + pointer(field.name)
        message = f"{field.name!r} is {shown(given)}; the name is {shown(found[0])}"
        patch = ({"op": "replace", "path": at, "value": found[0]},)
        yield Problem(CODE, at, message, f"use {found[0]!r}", "warning", patch)


def _unfilled(url: Json, variables: Mapping[str, Json], place: str) -> Iterator[Problem]:
    """Yield placeholders of other systems in a path, where a value of this name is given."""
    if not isinstance(url, str):
        return
    plain = url
    for name in variables:
        form = re.escape(name)
        marks = rf":{form}|<{form}>|\[{form}\]|\${form}|%{form}%|\$?\{{{form}\}}"
        signs = rf"(?<=/)(?:{marks})(?=[/?#&]|$)"
        plain = re.sub(signs, f"{{{{ {name} }}}}", plain)
    by_letters = {plain_word(name): name for name in variables}

    def spelt(match: re.Match[str]) -> str:
        name = by_letters.get(plain_word(match[1]))
        return match[0] if name is None or match[1] in variables else f"{{{{ {name} }}}}"

    plain = _NAME_IN_BRACES.sub(spelt, plain)
    if plain != url:
        message = f"{shown(url)} has a placeholder of another system; it is sent as it is"
        patch = ({"op": "replace", "path": place, "value": plain},)
        yield Problem(CODE, place, message, f"write {plain!r}", "warning", patch)


def _with_members(spec: NodeSpec) -> frozenset[str]:
    fields = (*spec.configurations, *spec.inputs)
    # The names in a map are the author's own.
    return frozenset(one.name for one in fields if one.members and "*:" not in one.members)


def _of_field(
    case: CheckContext,
    spec: NodeSpec,
    given: tuple[str, Json],
    members: frozenset[str],
    place: str,
) -> Iterator[Problem]:
    name, value = given
    allows_private = case.known.home is not None and case.known.home.allows_private
    for steps, text in _texts(name, value, members):
        if text in text_forms.NOTHING and len(steps) == 1:
            yield from _nothing(spec, name, text, place)
            continue
        form = _form_of(spec, str(next(one for one in reversed(steps) if isinstance(one, str))))
        if form is None or (form is not _url and ("{{" in text or "${" in text)):
            continue
        if form is _url and allows_private and _PRIVATE.match(text):
            continue
        at = place + pointer(*steps)
        if form is _mailbox and (several := several_mailboxes(text)):
            yield from _split(value, steps, several, place)
        elif (found := form(text)) is not None:
            named = next(one for one in reversed(steps) if isinstance(one, str))
            message = f"{named!r} is {shown(text)}; expected {found.expected}"
            patch = ({"op": "replace", "path": at, "value": found.fix},) if found.fix else None
            hint = found.hint or (f"use {found.fix!r}" if found.fix else None)
            yield Problem(CODE, at, message, hint=hint, severity="warning", patch=patch)


def _nothing(spec: NodeSpec, name: str, text: str, place: str) -> Iterator[Problem]:
    """Yield a word for no value, where leaving the field out says the same."""
    fields = [one for one in (*spec.all_configurations, *spec.inputs) if one.name == name]
    if not fields or any(text in one.options for one in fields):
        return
    at = place + pointer(name)
    is_optional = all(not one.required and one.default in (None, "") for one in fields)
    # What is said to a person or a model may be this word.
    is_free = any(one.multiline for one in fields)
    if is_free:
        return
    message = f"{name!r} is the text {shown(text)}, which is no empty value here"
    patch = ({"op": "remove", "path": at},) if is_optional else None
    yield Problem(CODE, at, message, hint="leave it out", severity="warning", patch=patch)


def _texts(name: str, value: Json, members: frozenset[str]) -> Iterator[tuple[Steps, str]]:
    """The texts of a field; of an object only where its keys are the node's own."""
    if isinstance(value, str):
        yield (name,), value
        return
    is_own = name in members
    waiting: list[tuple[Steps, Json]] = [((name,), value)]
    while waiting:
        at, one = waiting.pop()
        if isinstance(one, str):
            yield at, one
        elif isinstance(one, dict) and is_own and len(at) < _MAX_DEPTH:
            waiting.extend(((*at, key), below) for key, below in one.items())
        elif isinstance(one, list) and (is_own or len(at) == 1):
            waiting.extend(((*at, index), below) for index, below in enumerate(one))


def _split(value: Json, steps: Steps, several: list[str], place: str) -> Iterator[Problem]:
    at = place + pointer(*steps)
    patch = None
    if isinstance(value, list) and isinstance(index := steps[-1], int):
        whole: list[Json] = [*value[:index], *several, *value[index + 1 :]]
        patch = ({"op": "replace", "path": place + pointer(steps[0]), "value": whole},)
    message = f"one text holds {len(several)} mail addresses; expected one in each"
    hint = f"write {', '.join(several)} one by one"
    yield Problem(CODE, at, message, hint=hint, severity="warning", patch=patch)


def _form_of(spec: NodeSpec, name: str) -> _Form | None:
    return _form_in(spec.ref, name)


@lru_cache(maxsize=4_096)  # nodes have the same fields again and again
def _form_in(ref: str, name: str) -> _Form | None:
    if name in {"url", "urls"} or name.endswith("_url"):
        # An MCP server may be named instead, and databases have addresses of their own.
        if name == "mcp_server_url":
            return _server
        return None if name == "database_url" else _url
    if name in {"timezone", "time_zone", "timeZone"}:
        return None if ref == "TRIGGER.CRON" else _zone
    if name.endswith(("_email", "_emails")) or name in _MAIL:
        return _mailbox
    if name.endswith("_datetime") or name == "dateTime":
        return _moment
    if name in {"pattern", "allowed_response_patterns"}:
        return text_forms.glob if ref.startswith("TRIGGER.FILE") else _pattern
    if name in _NAMED:
        return _NAMED[name]
    if name in {"path", "file_path"} and ref.startswith(_FILES):
        return text_forms.file_path
    vendor = ref.partition(".")[2].partition("_")[0]
    return _IDS.get((vendor, name))


def _url(text: str) -> UnusualForm | None:
    if _PRIVATE.match(text):
        return UnusualForm(
            "a public address",
            hint="set TOOLWEAVE_ALLOW_PRIVATE_HTTP=1 to let workflows reach private addresses",
        )
    if (odd := text_forms.address(text) or text_forms.path_parameter(text)) is not None:
        return odd
    if "{{" in text or "${" in text:
        return None
    return None if is_url(text) else UnusualForm("an address such as https://…", meant_url(text))


def _server(text: str) -> UnusualForm | None:
    """The address of a server without its scheme; a name is fine."""
    is_address = "/" in text and "." in text and "://" not in text
    return UnusualForm("an address such as https://…", meant_url(text)) if is_address else None


def _zone(text: str) -> UnusualForm | None:
    if is_zone(text):
        return None
    found = meant_zones(text)[:10]
    hint = f"use {' or '.join(map(repr, found))}" if found else None
    return UnusualForm(
        "an IANA name such as Europe/Berlin", found[0] if len(found) == 1 else None, hint
    )


def _mailbox(text: str) -> UnusualForm | None:
    # A reviewer may be a name; with an @ it is meant to be an address.
    if (odd := text_forms.mailbox(text)) is not None:
        return odd
    if "://" in text:
        return UnusualForm("a name or a mail address")
    return UnusualForm("a mail address") if "@" in text and not is_mailbox(text) else None


def _moment(text: str) -> UnusualForm | None:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return UnusualForm("a time such as 2026-03-02T18:00:00Z", text_forms.padded_moment(text))
    return None


def _pattern(text: str) -> UnusualForm | None:
    plain = plain_pattern(text)
    return UnusualForm("a pattern without slashes around it", plain) if plain else None


def _notion_id(text: str) -> UnusualForm | None:
    if _NOTION_ID.fullmatch(text):
        return None
    found = _NOTION.fullmatch(text)
    return UnusualForm("the id of a Notion page or database", found[1] if found else None)


def _snowflake(text: str, name: str) -> UnusualForm | None:
    if text.isdecimal():
        return None
    hint = "Discord shows ids in its developer mode; a name is no id"
    meant = text_forms.discord_id(text, name)
    return UnusualForm("an id of digits", meant, None if meant else hint)


# The address of a public channel; `t.me/c/…` and `t.me/+…` have no name.
_CHANNEL = pattern(r"(?:https?://)?(?:t|telegram)\.me/([A-Za-z]\w{3,31})/?")


def _chat(text: str) -> UnusualForm | None:
    if re.fullmatch(r"-?\d+|@\w+", text) is not None:
        return None
    found = _CHANNEL.fullmatch(text.strip())
    fix = f"@{found[1]}" if found else None
    return UnusualForm("a number such as -1001234567890, or @channelname", fix)


_IDS: Mapping[tuple[str, str], _Form] = {
    **{
        ("NOTION", name): _notion_id
        for name in ("database_id", "page_id", "default_database_id", "default_page_id")
    },
    **{
        ("DISCORD", name): partial(_snowflake, name=name)
        for name in ("channel_id", "server_id", "message_id", "target_user_id")
    },
    ("TELEGRAM", "chat_id"): _chat,
    ("GITHUB", "branches"): text_forms.branch,
    ("GITHUB", "branch"): text_forms.branch,
    ("GITHUB", "base_branch"): text_forms.branch,
    ("GITHUB", "repo"): text_forms.repository,
    ("GITHUB", "workflow_file"): text_forms.workflow_file,
    ("GITHUB", "assignees"): text_forms.user_name,
    ("TELEGRAM", "user_id"): text_forms.number_id,
    ("TELEGRAM", "reply_to_message_id"): text_forms.number_id,
    ("SLACK", "thread_ts"): text_forms.thread,
    ("SLACK", "user_mentions"): text_forms.mention,
    ("SLACK", "channel"): text_forms.channel,
    ("SLACK", "channel_override"): text_forms.channel,
    ("DISCORD", "reaction_emoji"): text_forms.emoji,
    ("GOOGLE", "recurrence"): text_forms.recurrence,
}


def _of_model(spec: NodeSpec, settings: Mapping[str, Json], index: int) -> Iterator[Problem]:
    others, model = _MODELS[spec.ref], settings.get("model")
    if isinstance(model, str) and not settings.get("base_url") and model.lower().startswith(others):
        place = pointer("nodes", index, "data", "configurations", "model")
        message = f"{shown(model)} looks like a model of another provider than {spec.ref}"
        hint = "choose a model of this provider, or the node of the other one"
        yield Problem(CODE, place, message, hint=hint, severity="warning")
