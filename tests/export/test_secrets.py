"""No secret is in any exported file, in plain or inside the graph; references to secrets are."""

import base64
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.export.speaking import a_node, a_workflow, exported, specs
from tests.tools.strategies import steady

from toolweave.access.mask import MASK
from toolweave.export import discover
from toolweave.export.shareable import shareable
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.model import Workflow

SECRET = "hunter2-0fa9c3"
TARGETS = [exporter.name for exporter in discover()]
TELLING = ("api_key", "password", "Authorization", "clientSecret", "access-token", "DB_PASSWORD")
TOKENS = (
    "ghp_" + "a1B2" * 9,
    "sk-ant-" + "a1B2" * 9,
    "AKIA" + "A1B2" * 4,
    "xoxb-1234567890-abcdef",
    f"eyJ{'a1B2' * 4}.eyJ{'a1B2' * 4}.{'a1B2' * 4}",
    "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
)


def calling(values: JsonObject, **more: Json) -> Workflow:
    """A workflow that calls one tool with these values."""
    data: JsonObject = {"serverId": "s", "toolName": "t", "parameterValues": values, **more}
    return a_workflow(a_node("mcp", data))


def texts_of(workflow: Workflow, target: str) -> str:
    """All that an export writes, with what is encoded in it."""
    written = "\n".join(file.text for file in exported(workflow, target).files)
    encoded = re.findall(r"[A-Za-z0-9+/=]{40,}", written)
    return written + "".join(
        base64.b64decode(part + "=" * (-len(part) % 4)).decode("latin-1") for part in encoded
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", TELLING)
def test_a_value_under_a_telling_name_is_in_no_file(target: str, name: str) -> None:
    nested: JsonObject = {"headers": {name: [SECRET]}, name: SECRET}
    workflow = calling(nested, preservedDetailedConfig={"parameterValues": {name: SECRET}})
    assert SECRET not in texts_of(workflow, target)
    hidden = [one for one in exported(workflow, target).problems if "SECRET" in one.code]
    assert f"/nodes/0/data/parameterValues/{name}" in {problem.pointer for problem in hidden}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("token", TOKENS)
def test_a_value_in_the_shape_of_a_token_is_in_no_file(target: str, token: str) -> None:
    workflow = calling({"body": f"use {token} now"})
    written = texts_of(workflow, target)
    assert token not in written
    assert token[4:] not in written


@pytest.mark.parametrize("target", TARGETS)
def test_a_secret_in_a_text_is_in_no_file(target: str) -> None:
    told = f"Call it with password={SECRET}, see https://me:{SECRET}@example.com/"
    nodes = [
        a_node("prompt", {"prompt": told, "variables": [{"key": "api_key", "value": SECRET}]}),
        a_node("subAgent", {"agentDefinition": told, "description": told}),
        a_node("askUserQuestion", {"questionText": told}),
    ]
    extras: JsonObject = {"slashCommandOptions": {"hooks": {"env": {"API_TOKEN": SECRET}}}}
    workflow = a_workflow(*nodes, name=told, description=told, extras=extras)
    assert SECRET not in texts_of(workflow, target)


def test_a_field_the_catalog_calls_sensitive_is_hidden() -> None:
    sensitive = {
        spec.ref: [one.name for one in (*spec.configurations, *spec.inputs) if one.sensitive]
        for spec in specs()
    }
    known = {ref: names for ref, names in sensitive.items() if names}
    assert known
    for ref, names in known.items():
        kind, _, subtype = ref.partition(".")
        for name in names:
            data: JsonObject = {"subtype": subtype, "configurations": {name: SECRET}}
            assert SECRET not in texts_of(a_workflow(a_node(kind, data)), "claude-skill")


@pytest.mark.parametrize(
    "parameter",
    [
        {"name": "pin", "type": "string", "format": "password"},
        {"name": "pin", "type": "string", "validation": {"format": "password"}},
        {"name": "pin", "type": "string", "writeOnly": True},
    ],
)
def test_a_parameter_that_says_it_is_secret_is_hidden(parameter: JsonObject) -> None:
    workflow = calling({"pin": SECRET}, parameters=[None, {"type": "string"}, parameter])
    assert SECRET not in texts_of(workflow, "roo")
    assert SECRET in texts_of(calling({"pin": SECRET}), "roo")


@pytest.mark.parametrize(
    "reference",
    [
        *("${vault:GITHUB}", "${VAULT:github}", "${GITHUB_TOKEN}", "{{ trigger.token }}"),
        *("Bearer ${vault:GITHUB}", "${vault:USER}:${vault:PASSWORD}", "***"),
    ],
)
def test_a_reference_to_a_secret_stays_a_reference(reference: str) -> None:
    workflow = calling({"api_key": reference, "body": f'{{"token": "{reference}"}}'})
    shared, hidden = shareable(workflow, specs())
    assert shared == workflow
    assert hidden == ()


@pytest.mark.parametrize(
    "value", [f"${{KEY:-{SECRET}}}", f"{{{{ '{SECRET}' }}}}", f"${{vault:X}} {SECRET}", 123456]
)
def test_a_secret_beside_or_inside_a_reference_is_hidden(value: Json) -> None:
    shared, hidden = shareable(calling({"api_key": value}), specs())
    assert shared == calling({"api_key": MASK})
    assert [problem.severity for problem in hidden] == ["warning"]


def test_the_schema_of_a_secret_parameter_is_kept_but_not_its_default() -> None:
    described: JsonObject = {"type": "string", "description": "Your key", "minLength": 3}
    tools: list[Json] = [
        {
            "name": "t",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "api_key": {**described, "default": SECRET},
                    "query": {"type": "string", "default": "all"},
                    "password": True,
                },
            },
        }
    ]
    workflow = calling(
        {}, fullNaturalLanguageConfig={"availableTools": tools}, mode="fullNaturalLanguage"
    )
    shared, _ = shareable(workflow, specs())
    kept = texts_of(workflow, "gemini")
    assert SECRET not in kept
    assert '"minLength":3' in kept
    assert "Your key" in kept
    assert '"default":"all"' in kept
    assert shared.nodes[0].data["mode"] == "fullNaturalLanguage"


@steady(150)
@given(
    name=st.sampled_from(TELLING),
    secret=st.text(min_size=6).filter(lambda text: text.strip("*") and not text.isspace()),
)
def test_no_secret_of_any_letters_survives(name: str, secret: str) -> None:
    marked = f"{secret}\u2603secret"
    shared, hidden = shareable(calling({name: marked}), specs())
    assert shared == calling({name: MASK})
    assert len(hidden) == 1


@steady(100)
@given(text=st.text())
def test_hiding_twice_is_hiding_once(text: str) -> None:
    once, _ = shareable(calling({"body": text, "password": text}), specs())
    twice, hidden = shareable(once, specs())
    assert (twice, hidden) == (once, ())
