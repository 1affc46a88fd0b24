"""Every refusal in the code of a node is produced by a check, or depends on what a run meets."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.nodes.generated import Generated, generated
from tests.nodes.raise_sites import RaiseSite, Reached, raise_sites, refusals_noted
from tests.nodes.test_start import TRIED

from toolweave.catalog.node_input import NodeInput, by_own_names, with_defaults
from toolweave.errors import Invalid
from toolweave.nodes import discover
from toolweave.nodes.start_check import with_start_check

URL = "https://api.example.com/items"
TOKEN = "${vault:a}"
LONG = "x" * 3_000

# Refusals that no document shows: what decides is in the data, in an answer, or at the machine.
AT_RUN_TIME = {
    "action/_records.py:record_at": "a record of the data",
    "action/_request.py:value": "a placeholder that templates did not fill",
    "action/_text_formats.py:fail": "the text to parse",
    "action/_transformations.py:join_records": "how many records match",
    "action/file_read.py:_decoded": "the bytes of the file",
    "action/run_command.py:_json": "the output of the command",
    "action/set_fields.py:_record": "a record of the data",
    "action/set_fields.py:_with": "a record of the data",
    "action/web_search.py:_arguments": "the schema of a server's tool",
    "ai/_media.py:_checked": "the picture",
    "ai/_media.py:_checked#2": "the picture",
    "ai/_media.py:_picture": "the answer of a web server",
    "ai/_memories.py:_use": "an attached memory that waits",
    "flow/_wait_conditions.py:_resource": "the operating system",
    "flow/filter.py:_passes_unfit": "an item of the list",
    "flow/merge.py:_order": "how many inputs arrive",
    "flow/stop.py:compute": "reached: stopping is what the node is for",
    "flow/timeout.py:run": "the time",
    "mcp/resource.py:run": "the size of the resource",
    "mcp/_language.py:fill_parameters": "the answer of a model",
    "memory/_documents.py:put": "how much is stored",
    "memory/_embedding.py:embed": "the text to store",
    "memory/_file_keys.py:_read": "the content of a file",
    "memory/_file_keys.py:_written": "the size of a file",
    "memory/_memory_keys.py:set": "how much is stored",
    "memory/_pgvector.py:opened": "a table of the database",
    "memory/_redis_keys.py:clear": "the store",
    "memory/_redis_keys.py:names": "how much is stored",
    "memory/_storable_text.py:escaped": "the id of stored data; the key of a node names its place",
    "memory/_storable_text.py:escaped#2": "the id of stored data; as above",
    "memory/_storable_text.py:text_of": "a value that is no JSON",
    "memory/knowledge_base.py:_add": "the words of a file",
    "memory/document_store.py:_store": "the words of a file",
    "prompt/ask_user_question.py:_chosen": "the answer of a person",
    "prompt/branch.py:otherwise": "the value that is compared",
    "services/_client.py:send": "the answer of a service",
    "services/discord/messages.py:ask": "the answer of a service",
    "services/mail/outgoing.py:write_mail": "the size of files",
    "services/notion/api.py:_value": "the columns of a database",
    "services/notion/api.py:properties": "the columns of a database",
    "services/notion/instruction.py:_done": "the answer of a model",
    "services/notion/operations.py:_heading": "the text of a page",
    "services/notion/operations.py:do": "the answer of a model",
    "tool/_mcp_tool.py:_named": "the tools of a server",
    "trigger/schedule.py:_times": "checked when the expression is read",
}
# Refused by the general checks of a workflow, which come before the node's own.
BY_OTHER_CHECKS = {
    "flow/_wait_conditions.py:look": "FIELD_OPTION_INVALID",
    "flow/loop.py:items": "FIELD_REQUIRED",
    "flow/split.py:_grouped": "SETTING_NEEDED",
    "memory/document_store.py:run": "FIELD_OPTION_INVALID",
    "memory/entity.py:_do": "FIELD_OPTION_INVALID",
    "memory/key_value_store.py:_do": "FIELD_OPTION_INVALID",
    "memory/key_value_store.py:_opened": "FIELD_OPTION_INVALID",
    "memory/knowledge_base.py:run": "FIELD_OPTION_INVALID",
    "memory/vector_database.py:_do": "FIELD_OPTION_INVALID",
    "memory/vector_database.py:check_operation": "PROVIDER_NOT_BUILT_IN",
    "prompt/model_answer.py:compute": "TEMPLATE_INVALID",
    "prompt/model_answer.py:compute#2": "TEMPLATE_INVALID",
}


def _provoked() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Settings for refusals that the generated ones do not meet."""
    http = {"method": "GET", "url": URL}
    yield "ACTION.HTTP_REQUEST", {**http, "headers": {"Host": "a"}}, {}
    yield "ACTION.HTTP_REQUEST", {**http, "headers": {"X-A": "a\nb"}}, {}
    yield "ACTION.HTTP_REQUEST", http, {"dynamic_headers": {"X-A": TOKEN}}
    yield "ACTION.HTTP_REQUEST", {**http, "url": f"{URL}/{{id}}"}, {"url_variables": {"id": ".."}}
    transform = "ACTION.DATA_TRANSFORMATION"
    condition = {"field": "a", "operator": "in", "value": "b"}
    yield transform, {"operation": "filter", "filter_conditions": [condition]}, {}
    join = {"operation": "join", "group_by_fields": ["id"]}
    yield transform, join, {"context": {"right": [], "join_type": "sideways"}}
    pivot = {"operation": "pivot", "group_by_fields": ["a", "b"]}
    yield transform, {**pivot, "aggregation_functions": {"a": "sum", "b": "sum"}}, {}
    yield "ACTION.DATABASE_QUERY", {"database": "mysql://a", "query": "SELECT 1"}, {}
    numbered = {"database": "a.db", "query": "SELECT a FROM b WHERE c = $1"}
    yield "ACTION.DATABASE_QUERY", numbered, {"parameters": [1]}
    yield "ACTION.SET_FIELDS", {"set": {"a..b": 1}}, {}
    yield "ACTION.FILE_READ", {"path": "../../etc/passwd"}, {}
    yield "ACTION.FILE_READ", {"path": "out/"}, {}
    limits = {"conditions": [{"field": "a", "min": 1}], "filter_type": "range_filter"}
    yield "FLOW.FILTER", {"filter_mode": "include", **limits}, {"data": []}
    there = {"conditions": [{"field": "a", "operator": "is_not_null"}]}
    yield "FLOW.FILTER", {"filter_mode": "include", "filter_type": "property_filter", **there}, {}
    yield "TRIGGER.CRON", {"cron_expression": "CRON_TZ=Europe/Vienna 30 6 * * *"}, {}
    images = {"user_prompt": "a", "images": ["data:image/png,a"]}
    yield "AI_AGENT.GOOGLE_GEMINI", {"model": "m", "user_prompt": "a"}, images
    wait: dict[str, Any] = {"wait_type": "queue_message"}
    yield "FLOW.WAIT", {**wait, "queue_config": {"queue_name": "a", "queue_type": "sqs"}}, {}
    for resource in (
        {"resource_type": "gpu"},
        {"resource_type": "cpu", "availability_threshold": "high"},
    ):
        yield "FLOW.WAIT", {"wait_type": "resource", "resource_config": resource}, {}
    change = {"connection_string": "mysql://a", "condition_query": "SELECT 1"}
    yield "FLOW.WAIT", {"wait_type": "database_change", "database_config": change}, {}
    said = {"role": "user", "message": "a", "metadata": {"conversation_id": True}}
    yield "MEMORY.CONVERSATION_BUFFER", {}, said
    keys = {"storage_backend": "memory"}
    key: dict[str, Any] = {"operation": "set", "key": "a", "value": 1}
    yield "MEMORY.KEY_VALUE_STORE", keys, {**key, "options": {"ttl": -1}}
    yield "MEMORY.KEY_VALUE_STORE", keys, {**key, "key": LONG}
    yield "MEMORY.KEY_VALUE_STORE", keys, {**key, "key": "\ud800"}
    yield from _provoked_vectors()
    yield from _provoked_services()


def _provoked_vectors() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    vectors = {"database_provider": "supabase_pgvector", "database_url": TOKEN, "table_name": "a"}
    vectors |= {"embedding_model": "text-embedding-3-small", "vector_dimension": "3"}
    item = {"id": "a", "content": "b"}
    for items in ([item, item], [{**item, "content": "\0"}]):
        yield "MEMORY.VECTOR_DATABASE", vectors, {"operation": "store", "items": items}


def _provoked_services() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    slack = {"action_type": "send_file", "channel": "C0123456", "bot_token": TOKEN}
    for file in ("a", {"content_base64": "%"}):
        yield "EXTERNAL_ACTION.SLACK", slack, {"attachments": [file]}
    github = {"github_token": TOKEN, "repository_config": {"owner": "a", "repo": "b"}}
    reading = {**github, "action_type": "get_file_content"}
    yield "EXTERNAL_ACTION.GITHUB", reading, {"path": ".."}
    hook = {"owner": "a", "repo": "b", "hook_url": URL, "hook_secret": TOKEN}
    hooking = {**github, "action_type": "create_webhook", "repository_config": hook}
    yield "EXTERNAL_ACTION.GITHUB", hooking, {}
    encoded = {"owner": "a", "repo": "b", "encoding": "base64"}
    file = {"path": "a.txt", "content": "%", "commit_message": "a"}
    creating = {**github, "action_type": "create_file", "repository_config": encoded}
    yield "EXTERNAL_ACTION.GITHUB", creating, file
    event = {"action_type": "create_event", "access_token": TOKEN, "date": "2026-02-30"}
    yield "EXTERNAL_ACTION.GOOGLE_CALENDAR", event, {}
    yield "EXTERNAL_ACTION.GOOGLE_CALENDAR", {**event, "date": "soon"}, {}
    yield "EXTERNAL_ACTION.GOOGLE_CALENDAR", event, {"data": {"access_token": "b"}}
    discord = {"action_type": "send_message", "channel_id": "1", "message_content": LONG}
    yield "EXTERNAL_ACTION.DISCORD_ACTION", {**discord, "server_id": "1", "bot_token": TOKEN}, {}
    smtp = {"smtp_host": "a", "username": "b", "password": TOKEN, "from_address": "a@example.com"}
    many = {
        "to": [f"a{number}@example.com" for number in range(1_001)],
        "subject": "a",
        "text": "b",
    }
    yield "EXTERNAL_ACTION.EMAIL", smtp, many
    asking = {"sender_email": "a@example.com", "recipient_emails": ["b@example.com"]}
    login = {"gmail_credentials": {"password": TOKEN, "security": "some"}}
    asking |= {"email_subject": "a", "email_template": "b"}
    yield "HUMAN_IN_THE_LOOP.GMAIL_INTERACTION", {**asking, **login}, {}
    patterns = {"chat_id": "1", "telegram_bot_token": TOKEN, "allowed_response_patterns": ["["]}
    yield "HUMAN_IN_THE_LOOP.TELEGRAM_INTERACTION", {**patterns, "message_template": "a"}, {}
    notion = {"notion_token": TOKEN, "operation_type": "both"}
    for instruction in (
        *("{", '{"operation": 1}', '{"operation": "fly"}', '{"operation": "append_text"}'),
        *('{"operation": "create_page"}', '{"operation": "get_page", "page_id": "other"}'),
    ):
        yield "EXTERNAL_ACTION.NOTION", notion, {"instruction": instruction}
    page = {**notion, "page_id": "p"}
    lines = "a\\n" * 1_200
    for instruction in (
        *('{"operation": "append_text"}', '{"operation": "create_page"}'),
        f'{{"operation": "append_text", "text": "{lines}"}}',
    ):
        yield "EXTERNAL_ACTION.NOTION", page, {"instruction": instruction}


def _check_all(reached_by: list[tuple[str, Generated]]) -> Reached:
    specs = {one.spec.ref: with_start_check(one) for one in discover()}
    with refusals_noted() as reached:
        for ref, case in reached_by:
            spec = specs[ref]
            config = with_defaults(case.config, spec.all_configurations)
            given = NodeInput(config, by_own_names(case.inputs, spec.inputs))
            for static in spec.checks:
                try:
                    static(given)
                except Invalid:
                    continue
    return reached


def _cases() -> list[tuple[str, Generated]]:
    found = [(ref, Generated("provoked", config, inputs)) for ref, config, inputs in _provoked()]
    for code in discover():
        cases = list(generated(code.spec))
        found += [(code.spec.ref, one) for one in cases[:: max(1, len(cases) // (3 * TRIED))]]
    return found


@pytest.fixture(scope="module")
def sites() -> list[RaiseSite]:
    return raise_sites()


def test_a_refusal_is_produced_by_a_check_or_depends_on_the_run(sites: list[RaiseSite]) -> None:
    reached = _check_all(_cases())
    unreached = {site.name for site in sites if not reached.has(site)}
    assert unreached - AT_RUN_TIME.keys() - BY_OTHER_CHECKS.keys() == set(), "no check produces it"
    listed = AT_RUN_TIME.keys() | BY_OTHER_CHECKS.keys()
    assert listed - {site.name for site in sites} == set(), "there is no such refusal"
    assert listed - unreached == set(), "a check produces it; do not list it"


def test_refusals_are_found_by_syntax_and_noted_when_they_happen(sites: list[RaiseSite]) -> None:
    (site,) = [one for one in sites if one.name == "flow/_items.py:check_sorting"]
    assert not _check_all([]).has(site)
    wrong = Generated("wrong", {"sort_field": ""}, {})
    assert _check_all([("FLOW.SORT", wrong)]).has(site)
