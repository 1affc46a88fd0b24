"""`toolweave servers resources` and `prompts`: what a server offers beside its tools."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import click

from toolweave.app.studio import Studio, open_studio
from toolweave.cli.call_work import as_dict
from toolweave.cli.results import print_result
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.json_text import Json, JsonObject
from toolweave.servers.offers import (
    PromptRecord,
    ServerResources,
    list_prompts,
    list_resources,
)
from toolweave.tools.tool import ToolResult, content_call
from toolweave.tools.uri_template import expand

T = TypeVar("T")

set_option = click.option(
    "--set", "given", multiple=True, metavar="NAME=VALUE", help="Value of a variable or argument."
)
complete_option = click.option(
    "--complete", metavar="NAME=START", help="List values for an argument that begin like this."
)


@click.command()
@click.argument("name")
@click.option("--read", "uri", metavar="URI", help="Read the resource, or a template with --set.")
@set_option
@complete_option
@json_option
def resources(
    name: str, uri: str | None, given: tuple[str, ...], complete: str | None, as_json: bool
) -> None:
    """List a server's resources and templates, or read one."""
    if uri is None:
        if given or complete:
            raise click.UsageError("--set and --complete need --read")
        _print_resources(_in_studio(lambda studio: list_resources(studio.gate, name)), as_json)
        return
    values = _pairs(given)
    if complete is not None:
        _complete(name, {"template": uri}, complete, values, as_json)
        return
    address = expand(uri, values) if values else uri
    call = content_call(name, "resources/read", {"uri": address})
    _print(_in_studio(lambda studio: studio.gate.call(call)), name, as_json)


@click.command()
@click.argument("name")
@click.option("--get", "prompt", metavar="PROMPT", help="Fill in the prompt; arguments with --set.")
@set_option
@complete_option
@json_option
def prompts(
    name: str, prompt: str | None, given: tuple[str, ...], complete: str | None, as_json: bool
) -> None:
    """List a server's prompts, or fill in one; `*` marks required arguments."""
    if prompt is None:
        if given or complete:
            raise click.UsageError("--set and --complete need --get")
        found = _in_studio(lambda studio: list_prompts(studio.gate, name)).prompts
        if as_json:
            print_json([one.as_json() for one in found])
            return
        for one in found:
            _print_prompt(one)
        if not found:
            say("The server has no prompts.")
        return
    values = _pairs(given)
    if complete is not None:
        _complete(name, {"prompt": prompt}, complete, values, as_json)
        return
    call = content_call(name, "prompts/get", {"name": prompt, "arguments": {**values}})
    result = _in_studio(lambda studio: studio.gate.call(call))
    if as_json:
        print_json(as_dict(result))
        return
    found = result.structured
    for message in _messages(found):
        say((f"{message.get('role')}:", "bold"))
        say(str(message.get("text") or "(no text)"), indent=2)


def _messages(found: Json) -> list[JsonObject]:
    messages = found.get("messages") if isinstance(found, dict) else None
    listed = messages if isinstance(messages, list) else []
    return [one for one in listed if isinstance(one, dict)]


def _in_studio(work: Callable[[Studio], Coroutine[Any, Any, T]]) -> T:
    async def inside() -> T:
        async with current_home() as home, open_studio(home) as studio:
            return await work(studio)

    return run(inside)


def _pairs(given: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--set takes NAME=VALUE, not {pair!r}")
        pairs[name] = value
    return pairs


def _complete(
    server: str, of: JsonObject, asked: str, known: dict[str, str], as_json: bool
) -> None:
    argument, _, start = asked.partition("=")
    parameters: JsonObject = {**of, "argument": argument, "value": start, "known": {**known}}
    call = content_call(server, "completion/complete", parameters)
    found = _in_studio(lambda studio: studio.gate.call(call)).structured
    values = found.get("values") if isinstance(found, dict) else None
    if as_json:
        print_json(values)
        return
    for value in values if isinstance(values, list) else []:
        say(str(value))


def _print(result: ToolResult, server: str, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(result))
    else:
        print_result(as_dict(result), server, Path.cwd())


def _print_resources(found: ServerResources, as_json: bool) -> None:
    if as_json:
        print_json(found.as_json())
        return
    for one in found.resources:
        facts = ", ".join(
            fact for fact in (one.mime_type, f"{one.size} bytes" if one.size else None) if fact
        )
        say((one.uri, "bold"), (f"  {facts}", "cyan") if facts else "")
        _about(one.title, one.name, one.description)
    for template in found.templates:
        say((template.uri_template, "bold"), ("  template", "cyan"))
        _about(template.title, template.name, template.description)
    if not found.resources and not found.templates:
        say("The server has no resources.")


def _about(title: str | None, name: str, description: str | None) -> None:
    say((f"{title or name}{': ' + description if description else ''}", "dim"), indent=2)


def _print_prompt(prompt: PromptRecord) -> None:
    say((prompt.name, "bold"), f"  {prompt.title}" if prompt.title else "")
    if prompt.description:
        say((prompt.description, "dim"), indent=2)
    for argument in prompt.arguments:
        about = f" - {argument.description}" if argument.description else ""
        say(("* ", "red") if argument.required else "  ", argument.name, about, indent=2)
