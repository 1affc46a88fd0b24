"""The tools that the official suites call, as workflows published under the suites' names."""

from base64 import b64decode
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from conformance.defect.sitecustomize import DEFECT_S
from library.repo import Repo
from toolweave.authoring.environment import known_offline
from toolweave.home import open_home, workflow_store
from toolweave.library.home_libraries import library_store
from toolweave.publishing.service import PublicationRequest, publish
from toolweave.settings import Settings
from toolweave.workflow.formats.load import read

Document = dict[str, Any]
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg"
    "gg=="
)
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
# Longer than the service waits before it gives a handle, and shorter than the suite does.
AFTER_HANDLE_S = 6


PROMPTS: list[Document] = [
    {
        "id": "p-1",
        "title": "test_simple_prompt",
        "template": "This is a simple prompt for testing.",
        "variables": [],
    },
    {
        "id": "p-2",
        "title": "test_prompt_with_arguments",
        "template": "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'",
        "variables": ["arg1", "arg2"],
        "variableValueSets": [{"id": "s-1", "name": "Paris", "values": {"arg1": "paris"}}],
    },
    {
        "id": "p-3",
        "title": "test_prompt_with_image",
        "template": "Please analyze the image above.",
        "attachments": ["image.png"],
    },
    {
        "id": "p-4",
        "title": "test_prompt_with_embedded_resource",
        "template": "Please process the embedded resource above.",
        "variables": ["resourceUri"],
        "attachments": ["notes.txt"],
    },
    {
        "id": "p-5",
        "title": "test_input_required_result_prompt",
        "template": "Use this context: {context}",
        "variables": ["context"],
    },
]
RESOURCES: list[Document] = [
    {"file": "static.txt", "uri": "test://static-text"},
    {"file": "static.png", "uri": "test://static-binary"},
    {"file": "data.json", "uriTemplate": "test://template/{id}/data"},
    {"file": "static.txt", "uri": "test://watched-resource"},
]
LIBRARY: Document = {
    "templates/all.json": {"templates": PROMPTS},
    "templates/image.png": b64decode(PNG),
    "templates/notes.txt": b"Embedded resource content for testing.",
    "resources/index.json": {"resources": RESOURCES},
    "resources/static.txt": b"This is the content of the static text resource.",
    "resources/static.png": b64decode(PNG),
    "resources/data.json": {"id": "{id}", "templateTest": True, "data": "Data for ID: {id}"},
}


@dataclass(frozen=True)
class Fixture:
    """A workflow, and how it is published."""

    document: Document
    more: dict[str, Any] = field(default_factory=dict[str, Any])


HELPER = {
    "id": "helper",
    "type": "subAgent",
    "name": "helper",
    "data": {"description": "Helps", "prompt": "Help."},
}


async def publish_all(home: Path) -> None:
    """Publish every fixture in a home."""
    async with open_home(Settings(home=home), environ={}) as opened:
        store, known = workflow_store(opened.settings), await known_offline(opened)
        for fixture in FIXTURES:
            workflow = read(fixture.document).workflow
            await store.save(workflow, over=None)
            wish = PublicationRequest(workflow.name, tool=workflow.name, **fixture.more)
            await publish(opened, known, wish)
        # Listed first, so that the suite looks at a skill that has a folder.
        await store.save(read(chain("a_skill_with_a_folder", HELPER)).workflow, over=None)
        repo = Repo(home.parent / "prompts", LIBRARY)
        await library_store(opened).add("team", str(repo.folder), ref=None, folder=repo.folder)


def chain(name: str, *nodes: Document, **more: Any) -> Document:
    """A start, these nodes one after the other, an end."""
    whole: list[Document] = [
        {"id": "start", "type": "start", "name": "Start", "data": {}},
        *nodes,
        {"id": "end", "type": "end", "name": "End", "data": {}},
    ]
    placed = [{**node, "position": {"x": 200 * at, "y": 0}} for at, node in enumerate(whole)]
    edges = [edge(before, after) for before, after in pairwise(placed)]
    return {
        "id": name,
        "name": name,
        "version": "1.0.0",
        "schemaVersion": "1.3.0",
        "nodes": placed,
        "connections": edges,
        **more,
    }


def edge(before: Document, after: Document) -> Document:
    port = "confirmed" if before["type"] == "HUMAN_IN_THE_LOOP" else "output"
    ends = {"from": before["id"], "to": after["id"], "fromPort": port, "toPort": "input"}
    return {"id": f"{before['id']}-{after['id']}", **ends}


def catalog(id: str, type: str, subtype: str, **configurations: Any) -> Document:
    data = {"subtype": subtype, "configurations": configurations}
    return {"id": id, "type": type, "name": id, "data": data}


def prompt(text: str) -> Document:
    return {"id": "text", "type": "prompt", "name": "Text", "data": {"prompt": text}}


def blocks(*content: Document) -> Document:
    made = {"set": {"content": list(content)}, "keep_others": False}
    return catalog("content", "ACTION", "SET_FIELDS", **made)


def delay(id: str, seconds: Any = 0) -> Document:
    return catalog(id, "FLOW", "DELAY", duration_seconds=seconds)


def stop(message: str) -> Document:
    return catalog("stop", "FLOW", "STOP", outcome="error", message=message)


def form(id: str, message: str, **properties: Document) -> Document:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    asked = {"message": message, "requested_schema": schema}
    return catalog(id, "HUMAN_IN_THE_LOOP", "MCP_ELICITATION", **asked)


def takes(**properties: Document) -> Document:
    return {
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": list(properties),
        }
    }


TEXT: Document = {"type": "string"}
NAME = form("user_name", "What is your name?", name=TEXT)
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{n}", "title": title} for n, title in ((1, "First"), (2, "Second"))]
ADDRESS: Document = {
    "$anchor": "addressDef",
    "type": "object",
    "properties": {"street": TEXT, "city": TEXT},
}
MODERN_SCHEMA: Document = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": ADDRESS},
    "properties": {
        "name": TEXT,
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": TEXT,
        "email": TEXT,
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def two_questions(name: str) -> Document:
    """Two forms that are asked at once."""
    first, second = (form(id, "Yes?", confirm={"type": "boolean"}) for id in ("one", "two"))
    both = chain(name, first, second)
    start, _, _, end = both["nodes"]
    pairs = [(start, first), (start, second), (first, end), (second, end)]
    return {**both, "connections": [edge(*pair) for pair in pairs]}


def resource(uri: str, mime_type: str, text: str) -> Document:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}}


CONTENTS: dict[str, list[Document]] = {
    "test_image_content": [IMAGE],
    "test_audio_content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}],
    "test_embedded_resource": [resource("test://embedded-resource", "text/plain", "Embedded.")],
    "test_multiple_content_types": [
        {"type": "text", "text": "Multiple content types test:"},
        IMAGE,
        resource("test://mixed-content-resource", "application/json", '{"test":"data"}'),
    ],
}
TOOLS: list[Document] = [
    *(chain(name, blocks(*content)) for name, content in CONTENTS.items()),
    chain("test_simple_text", prompt("This is a simple text response for testing.")),
    chain("test_logging_tool", prompt("Nothing is logged to the client.")),
    chain("test_error_handling", stop("This tool intentionally returns an error for testing")),
    chain("test_tool_with_progress", delay("one"), delay("two"), delay("three")),
    chain("json_schema_2020_12_tool", prompt("ok"), inputSchema=MODERN_SCHEMA),
    chain("test_header", prompt("ok"), **takes(region={**TEXT, "x-mcp-header": "Region"})),
]
ASKING: list[Document] = [
    chain(
        "test_elicitation",
        form("ask", "{{ trigger.message }}", username=TEXT, email=TEXT),
        **takes(message=TEXT),
    ),
    chain(
        "test_elicitation_sep1034_defaults",
        form(
            "ask",
            "Who is it?",
            name={"type": "string", "default": "John Doe"},
            age={"type": "integer", "default": 30},
            score={"type": "number", "default": 95.5},
            status={**TEXT, "enum": ["active", "inactive", "pending"], "default": "active"},
            verified={"type": "boolean", "default": True},
        ),
    ),
    chain(
        "test_elicitation_sep1330_enums",
        form(
            "ask",
            "Which?",
            untitledSingle={**TEXT, "enum": OPTIONS},
            titledSingle={**TEXT, "oneOf": TITLED},
            legacyEnum={**TEXT, "enum": ["opt1", "opt2"], "enumNames": ["One", "Two"]},
            untitledMulti={"type": "array", "items": {**TEXT, "enum": OPTIONS}},
            titledMulti={"type": "array", "items": {"anyOf": TITLED}},
        ),
    ),
    chain("test_streaming_elicitation", NAME),
    chain("test_input_required_result_elicitation", NAME),
    chain(
        "test_input_required_result_request_state",
        form("confirm", "Please confirm", ok={"type": "boolean"}),
        prompt("state-ok"),
    ),
    chain(
        "test_input_required_result_multi_round",
        form("step1", "Step 1: What is your name?", name=TEXT),
        form("step2", "Step 2: What is your favorite color?", color=TEXT),
    ),
    chain(
        "test_input_required_result_tampered_state",
        form("confirm", "Please confirm", ok={"type": "boolean"}),
    ),
]
FIXTURES: list[Fixture] = [
    *map(Fixture, (*TOOLS, *ASKING)),
    Fixture(chain("greet", prompt("Hello, {{name}}!"), **takes(name=TEXT))),
    Fixture(
        chain(
            "slow_compute",
            delay("slow", "{{ trigger.seconds }}"),
            **takes(seconds={"type": "number"}, label=TEXT),
        ),
        {"tasks": "always"},
    ),
    Fixture(chain("failing_job", delay("slow", 1), stop("It fails.")), {"tasks": "only"}),
    # With the defect that the service is started with, this is a failure of the service itself.
    Fixture(
        chain(
            "protocol_error_job",
            catalog("broken", "FLOW", "DELAY", duration_seconds=DEFECT_S, retry_attempts=0),
        ),
        {"tasks": "always"},
    ),
    Fixture(
        chain("confirm_delete", form("ask", "Sure?", confirm={"type": "boolean"})),
        {"tasks": "always"},
    ),
    Fixture(two_questions("multi_input"), {"tasks": "always"}),
    Fixture(chain("test_tool_with_task", NAME, delay("slow", AFTER_HANDLE_S))),
]
