"""Writes the reference pages: `python scripts/make_docs.py`, or `--check` to look for drift.

Commands come from the command line itself, settings from `settings.py`, codes from `codes/`,
nodes from the catalog, templates from the gallery, requirements from `tests/seeds`. A setting
without words, or words without a setting, stop the making.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import click

from toolweave import nodes
from toolweave.catalog.index import Catalog
from toolweave.catalog.serialise import serialise
from toolweave.cli.main import cli
from toolweave.codes.table import AREAS
from toolweave.json_text import write
from toolweave.settings import PREFIX, WORDS, from_environment
from toolweave.templates.gallery import GalleryTemplate, templates

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "toolweave"
MADE = "<!-- Made by scripts/make_docs.py; do not edit. -->"
WIDTH = 90

TRIED = 4321


def pages() -> dict[str, str]:
    """Every reference page by its name."""
    return {
        "commands.md": commands_page(),
        "settings.md": settings_page(),
        "codes.md": codes_page(),
        **node_pages(),
        **template_pages(),
        "seeds.md": seeds_page(),
    }


def seeds_page() -> str:
    """Every requirement with its tests; the tests are beside the package, not part of it."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    return import_module("tests.seeds.page").seeds_page(MADE)


def commands_page() -> str:
    """The help of every command."""
    parts = [
        "# Commands",
        MADE,
        "Exit codes: 0 it worked, 1 the thing failed, 2 wrong use, 130 interrupted. With `--json` "
        'a command prints JSON on standard output, also for an error: `{"error": {"code", '
        '"message", "hint"}}`. `-h` is short for `--help`.',
    ]
    for path, ctx in _contexts(cli, None):
        text = ctx.get_help().replace("Usage: ", "", 1)
        parts += [f"## `{path}`", f"```text\n{text}\n```"]
    return _joined(parts)


def _contexts(
    command: click.Command, parent: click.Context | None
) -> Iterator[tuple[str, click.Context]]:
    name = command.name if parent else "toolweave"
    settings: dict[str, Any] = {**command.context_settings, "terminal_width": WIDTH}
    ctx = click.Context(command, parent, name, **settings)
    yield ctx.command_path, ctx
    if isinstance(command, click.Group):
        for below in command.list_commands(ctx):
            found = command.get_command(ctx, below)
            assert found is not None
            yield from _contexts(found, ctx)


def settings_page() -> str:
    """Every variable of the environment."""
    known = set(variables())
    if known != set(WORDS):
        raise SystemExit(f"settings without words, or words without: {known ^ set(WORDS)}")
    rows = ["| variable | what it is for | default | least |", "|---|---|---|---|"]
    for name, words in WORDS.items():
        default, least = _number(name)
        rows.append(f"| `{PREFIX}{name}` | {words} | {default} | {least} |")
    return _joined(
        [
            "# Settings",
            MADE,
            "Settings are variables of the environment, read once when a command starts. A value "
            "that cannot be read stops the command with `SETTING_INVALID`.",
            "\n".join(rows),
        ]
    )


def variables() -> Iterator[str]:
    """The names the source reads, without `TOOLWEAVE_`."""
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        yield from re.findall(r"\"TOOLWEAVE_([A-Z_]+)\"", text)
        yield from re.findall(r"_number\(\s*env, \"([A-Z_]+)\"", text)


def _number(name: str) -> tuple[str, str]:
    """The default and the least value of a number, found by setting it."""
    tree = ast.parse((SOURCE / "settings.py").read_text(encoding="utf-8"))
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or len(call.args) != 4:
            continue
        if isinstance(call.args[1], ast.Constant) and call.args[1].value == name:
            before = dict(_flat(asdict(from_environment({}))))
            after = dict(_flat(asdict(from_environment({f"TOOLWEAVE_{name}": str(TRIED)}))))
            [changed] = [key for key, value in after.items() if value != before[key]]
            return write(before[changed]).removesuffix(".0"), ast.unparse(call.args[3])
    return "", ""


def _flat(value: dict[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    for key, below in value.items():
        if isinstance(below, dict):
            yield from _flat(cast("dict[str, Any]", below), f"{at}{key}.")
        else:
            yield f"{at}{key}", below


def codes_page() -> str:
    """Every code, grouped by area."""
    parts = [
        "# Codes",
        MADE,
        "Every problem and every error carries one of these codes. Messages may change from "
        "release to release; codes do not.",
    ]
    for area, codes in AREAS.items():
        rows = (f"| `{code}` | {_cell(meaning)} |" for code, meaning in codes.items())
        parts += [f"## {area}", "\n".join(["| code | meaning |", "|---|---|", *rows])]
    return _joined(parts)


def node_pages() -> dict[str, str]:
    """A list of the built-in nodes, and a page for each."""
    catalog = Catalog(node.spec for node in nodes.discover())
    parts = [
        "# Nodes",
        MADE,
        "The built-in nodes of workflows. `toolweave catalog show` and the MCP tool "
        "`get_node_details` return the same details. Every approved tool of a server is a node "
        "too: `TOOL.MCP:SERVER/TOOL`.",
    ]
    made: dict[str, str] = {}
    for node_type in catalog.types():
        rows = ["| node | what it does |", "|---|---|"]
        for spec in catalog:
            if spec.type == node_type:
                entry = serialise(spec)
                name = f"{entry['node_type']}.{entry['subtype']}"
                rows.append(f"| [`{name}`](nodes/{name}.md) | {_cell(str(entry['description']))} |")
                made[f"nodes/{name}.md"] = _joined([f"# {name}", MADE, *_node(entry)])
        parts += [f"## {node_type}", "\n".join(rows)]
    return {"nodes.md": _joined(parts), **made}


EFFECTS = {
    "pure": "none; it only computes",
    "keyed": "repeatable; a retry carries the same key, so it happens once",
    "once": "once; after a crash in the middle, a person or your policy decides about a repetition",
}


def _node(entry: dict[str, Any]) -> list[str]:
    parts = [entry["description"], entry.get("guidance", "")]
    parts.append(f"Effect: {EFFECTS[entry['effect']]}.")
    for title, fields in (
        ("Settings", entry["configurations"]),
        ("Inputs", entry["input_params_schema"]),
        ("Outputs", entry["output_params_schema"]),
    ):
        if fields:
            rows = ["| field | type | default | meaning |", "|---|---|---|---|"]
            rows += [_field(name, field) for name, field in fields.items()]
            required = any(field.get("required") for field in fields.values())
            parts += [f"## {title}", "\n".join(rows), "`*` is required." if required else ""]
    ports = ", ".join(f"`{port['name']}`" for port in entry["output_ports"])
    parts += ["## Ports", f"Output ports: {ports}." if ports else "It has no output ports."]
    for number, example in enumerate(entry.get("examples", [])):
        parts += ["## Examples"] if number == 0 else []
        shown = {key: value for key, value in example.items() if key not in ("name", "description")}
        parts += [f"### {example['name']}", example["description"]]
        parts.append(f"```json\n{_indented(shown)}\n```")
    return parts


def template_pages() -> dict[str, str]:
    """A list of the templates, and a page for each."""
    rows = ["| template | what it does |", "|---|---|"]
    made: dict[str, str] = {}
    for template in templates().values():
        path = f"gallery/{template.name}.md"
        rows.append(f"| [{template.title}]({path}) | {_cell(template.summary)} |")
        made[path] = _template(template)
    intro = (
        "Complete workflows to start from. Place one from the gallery of the studio, or let an MCP "
        "client fetch it with `get_template`. Nodes that need a service or a model name what is "
        "missing when you open the workflow."
    )
    return {"templates.md": _joined(["# Templates", MADE, intro, "\n".join(rows)]), **made}


def _template(template: GalleryTemplate) -> str:
    rows = ["| node | kind |", "|---|---|"]
    for node in cast("list[dict[str, Any]]", template.workflow["nodes"]):
        kind = f"{node['type']}.{node['subtype']}"
        # A tool of a server has no page.
        shown = f"`{kind}`" if ":" in kind else f"[`{kind}`](../nodes/{kind}.md)"
        rows.append(f"| {_cell(node.get('name') or node['id'])} | {shown} |")
    parts = [
        f"# {template.title}",
        MADE,
        template.summary,
        "\n".join(rows),
        f"## Try it with\n\n```json\n{_indented(template.inputs)}\n```" if template.inputs else "",
        f"## Workflow\n\n```json\n{_indented(template.workflow)}\n```",
    ]
    return _joined(parts)


def _indented(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _field(name: str, field: dict[str, Any]) -> str:
    default = field.get("default")
    shown = "" if default is None or default == "" else f"`{_cell(write(default))}`"
    options = cast("list[str]", field.get("options") or [])
    kinds = " \\| ".join(f"`{_cell(str(option))}`" for option in options) or field["type"]
    mark = "*" if field.get("required") else ""
    return f"| `{name}`{mark} | {kinds} | {shown} | {_cell(field['description'])} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _joined(parts: list[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def main() -> int:
    """Write the pages, or with `--check` say which are stale."""
    stale = 0
    made = pages()
    for folder in ("nodes", "gallery"):
        for path in (ROOT / "docs" / folder).glob("*.md"):
            if f"{folder}/{path.name}" not in made:
                stale += 1
                sys.stdout.write(f"{folder}/{path.name} is not needed any more\n")
                if "--check" not in sys.argv:
                    path.unlink()
    for name, text in made.items():
        path = ROOT / "docs" / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        sys.stdout.write(f"{name} {'is stale' if '--check' in sys.argv else 'written'}\n")
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
