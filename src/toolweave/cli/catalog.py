"""`toolweave catalog`: the node catalog on the terminal."""

from typing import Any, cast

import click

from toolweave.authoring.live_catalog import LiveCatalog
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.usage import UsageCounts
from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject, write

SHOWN_OPTIONS = 8


@click.group(cls=HelpfulGroup)
def catalog() -> None:
    """Browse and search workflow nodes."""


@catalog.command()
@click.option("--type", "only", help="Only this type.")
@json_option
def types(only: str | None, as_json: bool) -> None:
    """List node types and their subtypes."""
    found = _knowledge().types(only)
    if as_json:
        print_json(found)
        return
    print_table(
        ("type", "subtypes"),
        [(name, ", ".join(subtypes)) for name, subtypes in found.items()],
    )


@catalog.command()
@click.argument("refs", nargs=-1, required=True, metavar="TYPE.SUBTYPE…")
@json_option
def show(refs: tuple[str, ...], as_json: bool) -> int:
    """Show the inputs, outputs and purpose of nodes."""
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
@click.argument("words", nargs=-1)
@click.option("--type", "only", help="Only this type.")
@click.option("--tag", help="Only nodes with this tag.")
@click.option("--after", metavar="TYPE.SUBTYPE", help="Only nodes that can follow this one.")
@click.option(
    "--limit",
    default=10,
    show_default=True,
    type=click.IntRange(1, 100),
    help="Maximum number of results.",
)
@json_option
def search(
    words: tuple[str, ...],
    only: str | None,
    tag: str | None,
    after: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Search nodes by what they do; tolerates typos.

    Includes approved tools of your servers, as TOOL.MCP:SERVER/TOOL.
    """
    if not (words or only or tag or after):
        raise click.UsageError("describe what the node should do, or give --after, --type or --tag")
    names = (after.partition(".")[0], after.partition(".")[2]) if after else None
    found = _knowledge().search(
        " ".join(words), type_filter=only, tag=tag, after=names, limit=limit, max_tokens=10_000_000
    )
    results = cast("list[dict[str, Any]]", found["results"])
    if as_json:
        print_json(results)
    elif results:
        print_table(
            ("node", "description"),
            [(f"{hit['node_type']}.{hit['subtype']}", hit["description"]) for hit in results],
        )
    else:
        say("No matching nodes. `toolweave catalog types` lists all nodes.")


@catalog.command()
@click.option(
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1_000),
    help="Maximum number of nodes.",
)
@json_option
def stats(limit: int, as_json: bool) -> None:
    """Show how often nodes and catalog tools were asked for; counted on this machine only."""

    async def work() -> JsonObject:
        async with current_home() as home:
            return await UsageCounts(home.database, home.clock).stats(limit)

    found = run(work)
    if as_json:
        print_json(found)
        return
    rows = [
        (entry["name"], str(entry["count"]), entry["lastAskedAt"])
        for section in ("tools", "nodes")
        for entry in cast("list[dict[str, Any]]", found[section])
    ]
    if rows:
        print_table(("tool or node", "count", "last"), rows)
    else:
        say("Nothing was asked for yet.")


def _knowledge() -> Knowledge:
    """The built-in nodes and every approved tool; starts no server."""

    async def work() -> Knowledge:
        try:
            async with current_home() as home:
                live = LiveCatalog(home)
                await live.refresh(prepare=False)
                return live.knowledge
        except ToolweaveError as error:
            say(f"! only built-in nodes are available: {error.message}", stderr=True)
            return LiveCatalog(None).knowledge

    return run(work)


def _show(entry: dict[str, Any]) -> None:
    ref = f"{entry['node_type']}.{entry['subtype']}"
    if "error" in entry:
        say((entry["error"], "red"), stderr=True)
        say(entry["hint"], indent=2, stderr=True)
        return
    say((ref, "bold"), f"  {entry['description']}")
    for note in ("warning", "guidance"):
        if note in entry:
            say((entry[note], "yellow"), indent=2)
    for title, fields in (
        ("configurations", entry["configurations"]),
        ("inputs", entry["input_params_schema"]),
        ("outputs", entry["output_params_schema"]),
    ):
        if fields:
            say((title, "bold"), indent=2)
        for name, field in fields.items():
            _show_field(name, field)
    ports = ", ".join(port["name"] for port in entry["output_ports"])
    say(("ports out", "bold"), f"  {ports}", indent=2)
    for example in entry.get("examples", [])[:1]:
        say(("example", "bold"), f"  {example['name']}: {example['description']}", indent=2)
        given = {key: example[key] for key in ("configurations", "input_params") if key in example}
        say(write(given), indent=4)
    say("")


def _show_field(name: str, field: dict[str, Any]) -> None:
    facts = [field["type"]]
    if field.get("default") is not None:
        facts.append(f"default {write(field['default'])}")
    if options := field.get("options"):
        more = ", …" if len(options) > SHOWN_OPTIONS else ""
        facts.append("one of " + ", ".join(map(str, options[:SHOWN_OPTIONS])) + more)
    say(
        ("* ", "red") if field.get("required") else "  ",
        name,
        (f"  {'; '.join(facts)}", "cyan"),
        f" - {field['description']}",
        indent=4,
    )
