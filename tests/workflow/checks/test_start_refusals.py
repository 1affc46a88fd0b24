"""What the start of a step or the activation of a trigger refuses, validation refuses, by code."""

import pytest
from tests.catalog.builders import our_catalog
from tests.workflow.checks.building import NOW, found, line, node

from toolweave.catalog.node_input import NodeInput
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes import discover
from toolweave.workflow.checks import node_settings
from toolweave.workflow.checks.context import CheckContext, KnownEnvironment

SPECS = {one.spec.ref: one.spec for one in discover()}
GMAIL: JsonObject = {
    "sender_email": "bot@example.com",
    "recipient_emails": ["ada@example.com"],
    "email_subject": "s",
    "email_template": "t",
}
OAUTH: JsonObject = {
    "client_id": "${vault:i}",
    "client_secret": "${vault:s}",
    "refresh_token": "${vault:r}",
}
HOOK: JsonObject = {
    "email_provider": "webhook",
    "server_config": {"path": "/mail/in"},
    "credentials": {"secret": "${vault:hook}"},
}
IMAP: JsonObject = {
    "email_provider": "imap",
    "server_config": {"host": "imap.example.com"},
    "credentials": {"username": "a", "password": "${vault:p}"},
}


def waiting(**config: Json) -> JsonObject:
    whole: JsonObject = {"connection_string": "${vault:db}", "condition_query": "select 1"}
    return {"wait_type": "database_change", "database_config": {**whole, **config}}


@pytest.mark.parametrize(
    ("ref", "right", "wrong", "code", "place"),
    [
        (
            "HUMAN_IN_THE_LOOP.GMAIL_INTERACTION",
            GMAIL | {"gmail_credentials": OAUTH},
            GMAIL | {"gmail_credentials": {"client_id": "a", "client_secret": "b"}},
            "EMAIL_CONFIG_INVALID",
            "gmail_credentials/refresh_token",
        ),
        (
            "TRIGGER.EMAIL",
            HOOK,
            HOOK | {"credentials": {}},
            "EMAIL_CONFIG_INVALID",
            "credentials/secret",
        ),
        (
            "TRIGGER.EMAIL",
            HOOK,
            HOOK | {"server_config": {"path": "mail/in"}},
            "EMAIL_CONFIG_INVALID",
            "server_config/path",
        ),
        (
            "TRIGGER.EMAIL",
            IMAP,
            IMAP | {"credentials": {"username": "a"}},
            "EMAIL_CONFIG_INVALID",
            "credentials/password",
        ),
        (
            "FLOW.WAIT",
            waiting(),
            waiting(condition_query="delete from jobs"),
            "DATABASE_DENIED",
            "database_config/condition_query",
        ),
        (
            "FLOW.WAIT",
            waiting(),
            waiting(connection_string="mysql://root@db/jobs"),
            "DATABASE_ADDRESS_INVALID",
            "database_config/connection_string",
        ),
    ],
)
def test_an_incomplete_setting_is_refused_by_the_node_and_by_validation(
    ref: str, right: JsonObject, wrong: JsonObject, code: str, place: str
) -> None:
    def refused(config: JsonObject) -> list[str]:
        given = NodeInput({one.name: one.default for one in SPECS[ref].configurations} | config)
        codes: list[str] = []
        for check in SPECS[ref].checks:
            try:
                check(given)
            except Invalid as error:
                codes.append(error.code)
        return codes

    assert refused(right) == []
    assert found(node_settings.check, line(node("a", ref, configurations=right))) == []
    assert refused(wrong) == [code]
    (problem,) = found(node_settings.check, line(node("a", ref, configurations=wrong)))
    assert (problem.code, problem.severity) == (code, "error")
    assert problem.pointer == f"/nodes/0/data/configurations/{place}"


def test_numbers_for_values_of_a_query_are_refused_with_marks_as_the_fix() -> None:
    def asked(query: str) -> JsonObject:
        return {"database": "a.db", "query": query}

    def problems(query: str) -> list[tuple[str, Json]]:
        one = node(
            "a",
            "ACTION.DATABASE_QUERY",
            configurations=asked(query),
            inputParams={"parameters": [1, 2]},
        )
        told = found(node_settings.check, line(one))
        return [(problem.code, problem.patch[0]["value"] if problem.patch else None) for problem
                in told]  # fmt: skip

    right = "select a from b where c > ? and d < ?"
    assert problems(right) == []
    assert problems("select '$1' from b where c > ? and d < ?") == []
    wrong = "select a from b where c > $1 and d < $2"
    assert problems(wrong) == [("DATABASE_QUERY_INVALID", right)]
    swapped = "select a from b where c > $2 and d < $1"
    assert problems(swapped) == [("DATABASE_QUERY_INVALID", None)]


def test_a_refused_template_does_not_hide_what_the_node_refuses_after_it() -> None:
    config: JsonObject = {"smtp_host": "smtp.example.com", "from_address": "bot@example.com"}
    right: JsonObject = {
        "to": ["{{ trigger.mail }}"],
        "subject": "s",
        "text": "t",
        "attachments": [{"path": "a.csv"}],
    }

    def told(inputs: JsonObject) -> list[tuple[str, str]]:
        one = node("a", "EXTERNAL_ACTION.EMAIL", configurations=config, inputParams=inputs)
        # This catalog has the start of each node among its checks.
        case = CheckContext(line(one), KnownEnvironment(our_catalog(), NOW))
        return [(problem.code, problem.pointer) for problem in node_settings.check(case)]

    assert told(right) == []
    place = "/nodes/0/data/inputParams/attachments/0"
    wrong: JsonObject = {**right, "attachments": [{"filename": "a.csv"}]}
    assert told(wrong) == [("SERVICE_FIELD_INVALID", place)]
