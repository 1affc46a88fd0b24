"""`toolweave catalog`: the node catalog on the terminal."""

from typing import Any, cast

import click

from toolweave import nodes
from toolweave.catalog.index import Catalog
from toolweave.catalog.knowledge import Knowledge
from toolweave.cli.terminal import console, json_option, print_json, print_table, visible
from toolweave.json_text import JsonObject, write


@click.group()
def catalog() -> None:
    """Look up workflow nodes."""


@catalog.command()
@click.option("--type", "only", help="One type only.")
@json_option
def types(only: str | None, as_json: bool) -> None:
    """List node types and their subtypes."""
    found = _knowledge().node_types(only)
    if as_json:
        print_json(found)
        return
    print_table(
        ("type", "subtypes"),
        [(name, ", ".join(cast("list[str]", subtypes))) for name, subtypes in found.items()],
    )


@catalog.command()
@click.argument("refs", nargs=-1, required=True, metavar="TYPE.SUBTYPE…")
@json_option
def show(refs: tuple[str, ...], as_json: bool) -> int:
    """Show what nodes take, give and are used for."""
    asked = [(ref.partition(".")[0], ref.partition(".")[2]) for ref in refs]
    found = _knowledge().node_details(asked, max_tokens=10_000_000)
    entries = cast("list[JsonObject]", found["nodes"])
    if as_json:
        print_json(entries)
    else:
        for entry in entries:
            _show(cast("dict[str, Any]", entry))
    return 1 if any("error" in entry for entry in entries) else 0


@catalog.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--type", "only", help="One type only.")
@click.option("--tag", help="Only nodes with this tag.")
@click.option("--after", metavar="TYPE.SUBTYPE", help="Only nodes that can follow this one.")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 100))
@json_option
def search(
    words: tuple[str, ...],
    only: str | None,
    tag: str | None,
    after: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Find a node by what it should do; spelling may be off."""
    names = (after.partition(".")[0], after.partition(".")[2]) if after else None
    found = _knowledge().search(
        " ".join(words), type_filter=only, tag=tag, after=names, limit=limit, max_tokens=10_000_000
    )
    results = cast("list[dict[str, Any]]", found["results"])
    if as_json:
        print_json(results)
    elif results:
        print_table(
            ("node", "what it does"),
            [(f"{hit['node_type']}.{hit['subtype']}", hit["description"]) for hit in results],
        )
    else:
        click.echo("Nothing fits. `toolweave catalog types` lists all nodes.")


def _knowledge() -> Knowledge:
    return Knowledge(Catalog(node.spec for node in nodes.discover()))


def _show(entry: dict[str, Any]) -> None:
    out = console()
    ref = f"{entry['node_type']}.{entry['subtype']}"
    if "error" in entry:
        out.print(f"[red]{visible(entry['error'])}[/red]\n  {visible(entry['hint'])}\n")
        return
    out.print(f"[bold]{visible(ref)}[/bold]  {visible(entry['description'])}")
    for note in ("warning", "guidance"):
        if note in entry:
            out.print(f"  [yellow]{visible(entry[note])}[/yellow]")
    for title, fields in (
        ("configurations", entry["configurations"]),
        ("inputs", entry["input_params_schema"]),
        ("outputs", entry["output_params_schema"]),
    ):
        if fields:
            out.print(f"  [bold]{title}[/bold]")
        for name, field in fields.items():
            _show_field(name, field)
    ports = ", ".join(port["name"] for port in entry["output_ports"])
    out.print(f"  [bold]ports out[/bold] {visible(ports)}\n")


def _show_field(name: str, field: dict[str, Any]) -> None:
    mark = "[red]*[/red]" if field.get("required") else " "
    facts = [field["type"]]
    if field.get("default") is not None:
        facts.append(f"default {write(field['default'])}")
    if field.get("options"):
        facts.append("one of " + ", ".join(field["options"][:8]))
    console().print(
        f"    {mark} {visible(name)}  [cyan]{visible('; '.join(facts))}[/cyan] - "
        f"{visible(field['description'])}"
    )
