"""`toolweave servers tools NAME`: list a server's tools and their parameters."""

import click

from toolweave.app.studio import open_studio
from toolweave.cli.completion_values import server_names
from toolweave.cli.sanitize import visible
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.errors import NotFound
from toolweave.json_text import write
from toolweave.problems import did_you_mean
from toolweave.servers.approval import ServerToolRecord
from toolweave.servers.lockfile import Drift
from toolweave.tools.parameter import Parameter
from toolweave.tools.tool import Tool

SHOWN_OPTIONS = 12


@click.command()
@click.argument("name", shell_complete=server_names)
@click.option("--tool", "only", help="Show one tool only.")
@json_option
def tools(name: str, only: str | None, as_json: bool) -> None:
    """List a server's tools with their parameters; `*` marks required ones."""

    async def work() -> tuple[tuple[Tool, ...], list[Drift], str | None]:
        async with current_home() as home, open_studio(home) as studio:
            listed = await studio.gate.tools(name)
            live = await studio.connections.use(await home.registry.get(name))
            return listed, home.lockfile.drift(name, listed), live.connection.description

    listed, drift, description = run(work)
    shown = [tool for tool in listed if only is None or tool.name == only]
    if only is not None and not shown:
        raise NotFound(
            "MCP_TOOL_NOT_FOUND",
            f"server {name!r} has no tool {only!r}",
            hint=did_you_mean(only, [tool.name for tool in listed]),
        )
    if as_json:
        print_json([ServerToolRecord.read(tool).as_json() for tool in shown])
        return
    if description and only is None:
        say((f"{description}\n", "dim"))
    changed = {change.tool: change.kind.replace("_", " ") for change in drift}
    for tool in shown:
        _show(tool, changed.get(tool.name))
    if not shown:
        say("The server has no tools.")


def _show(tool: Tool, changed: str | None) -> None:
    mark = (f"  {changed} since approval", "yellow") if changed else ""
    say((visible(tool.name, one_line=True), "bold"), mark)
    if tool.description:
        say((tool.description.strip(), "dim"), indent=2)
    for problem in tool.problems:
        say((f"! {problem.message}", "yellow"), f"  [{problem.code}]", indent=2)
    for parameter in tool.parameters:
        _show_parameter(parameter, 2)
    say("")


def _show_parameter(parameter: Parameter, indent: int) -> None:
    facts = [_kind(parameter)]
    if parameter.has_default:
        facts.append(f"default {write(parameter.default)}")
    if options := parameter.constraints.enum:
        more = ", …" if len(options) > SHOWN_OPTIONS else ""
        facts.append("one of " + ", ".join(write(each) for each in options[:SHOWN_OPTIONS]) + more)
    say(
        ("* ", "red") if parameter.required else "  ",
        visible(parameter.name, one_line=True),
        (f"  {', '.join(facts)}", "cyan"),
        f" - {parameter.description}" if parameter.description else "",
        indent=indent,
    )
    whole = parameter.items or parameter
    for child in whole.properties:
        _show_parameter(child, indent + 4)
    for variant in whole.variants:
        _show_variant(variant, whole.discriminator, indent + 4)


def _show_variant(variant: Parameter, discriminator: str | None, indent: int) -> None:
    """The properties of one alternative, under the value that selects it."""
    if not variant.properties:
        return
    tag = next((one.only_value for one in variant.properties if one.name == discriminator), ())
    chosen = f"with {discriminator} {write(tag[0])}:" if tag else "or:"
    say((chosen, "dim"), indent=indent)
    for child in variant.properties:
        if not tag or child.name != discriminator:
            _show_parameter(child, indent + 2)


def _kind(parameter: Parameter) -> str:
    if parameter.kind == "array" and parameter.items is not None:
        kind = f"array of {_kind(parameter.items)}"
    elif parameter.kind == "union":
        kinds = dict.fromkeys(_kind(variant) for variant in parameter.variants)
        kind = " or ".join(kinds) or "any"
    else:
        kind = parameter.kind
    return f"{kind} or null" if parameter.nullable else kind
