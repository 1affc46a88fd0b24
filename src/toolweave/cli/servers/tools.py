"""`toolweave servers tools NAME`: what a server can do, and what each tool wants."""

from typing import Any

import click

from toolweave.app.studio import open_studio
from toolweave.cli.rooms import ground, run
from toolweave.cli.terminal import console, json_option, print_json, visible
from toolweave.servers.lockfile import Drift
from toolweave.tools.parameter import Parameter
from toolweave.tools.tool import Tool
from toolweave.tools.wire import write_wire


@click.command()
@click.argument("name")
@click.option("--tool", "only", help="Show one tool only.")
@json_option
def tools(name: str, only: str | None, as_json: bool) -> None:
    """List a server's tools with their parameters."""

    async def work() -> tuple[tuple[Tool, ...], list[Drift]]:
        async with ground() as rooms, open_studio(rooms) as studio:
            listed = await studio.gate.tools(name)
            return listed, rooms.lockfile.drift(name, listed)

    listed, drift = run(work)
    shown = [tool for tool in listed if only is None or tool.name == only]
    if as_json:
        print_json([_as_dict(tool) for tool in shown])
        return
    changed = {change.tool: change.kind for change in drift}
    for tool in shown:
        _show(tool, changed.get(tool.name))
    if not shown:
        click.echo("It lists no tools." if only is None else f"It has no tool {only!r}.")


def _as_dict(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": [write_wire(parameter) for parameter in tool.parameters],
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "problems": [problem.as_json() for problem in tool.problems],
    }


def _show(tool: Tool, changed: str | None) -> None:
    out = console()
    mark = f"  [yellow]{changed} since approval[/yellow]" if changed else ""
    out.print(f"[bold]{visible(tool.name)}[/bold]{mark}")
    if tool.description:
        out.print(f"  {visible(tool.description.strip())}", style="dim")
    for problem in tool.problems:
        out.print(f"  [yellow]! {visible(problem.message)}[/yellow]  {problem.code}")
    for parameter in tool.parameters:
        _show_parameter(parameter, 1)
    out.print("")


def _show_parameter(parameter: Parameter, depth: int) -> None:
    required = "[red]*[/red]" if parameter.required else " "
    indent = "  " * depth
    facts = [_kind(parameter)]
    if parameter.has_default:
        facts.append(f"default {parameter.default!r}")
    if parameter.constraints.enum:
        facts.append(
            "one of " + ", ".join(repr(value) for value in parameter.constraints.enum[:12])
        )
    text = f" - {visible(parameter.description)}" if parameter.description else ""
    kinds = f"[cyan]{visible(', '.join(facts))}[/cyan]"
    console().print(f"{indent}{required} {visible(parameter.name)}  {kinds}{text}")
    children = parameter.items.properties if parameter.items else parameter.properties
    for child in children:
        _show_parameter(child, depth + 2)


def _kind(parameter: Parameter) -> str:
    if parameter.kind == "array" and parameter.items is not None:
        kind = f"array of {_kind(parameter.items)}"
    elif parameter.kind == "union":
        kind = " or ".join(_kind(variant) for variant in parameter.variants) or "any"
    else:
        kind = parameter.kind
    return f"{kind} or null" if parameter.nullable else kind
