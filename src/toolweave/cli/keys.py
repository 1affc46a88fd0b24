"""`toolweave keys`: API keys for REST and MCP over HTTP."""

import click

from toolweave.access.key_service import KeyRecord, create_key, revoke_key, rotate_key
from toolweave.access.keys import SCOPES, ApiKeys
from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.session import in_home
from toolweave.cli.terminal import json_option, print_json, print_table, say, tell
from toolweave.home import Home


@click.group(cls=HelpfulGroup)
def keys() -> None:
    """Create, list and revoke API keys."""


@keys.command("create")
@click.option("--name", default="key", show_default=True, help="Name of the key.")
@click.option(
    "--scope", "scopes", multiple=True, required=True, help=f"One of {', '.join(SCOPES)}."
)
@click.option("--tool", "tools", multiple=True, help="Only this published tool; repeatable.")
@json_option
def create(name: str, scopes: tuple[str, ...], tools: tuple[str, ...], as_json: bool) -> None:
    """Create a key and print it once."""
    key, text = in_home(lambda home: create_key(_keys(home), name, list(scopes), tools))
    if as_json:
        print_json(KeyRecord.of(key).as_json() | {"key": text})
        return
    click.echo(text)
    say("Store it safely: it is not shown again.", stderr=True)


@keys.command("list")
@json_option
def list_keys(as_json: bool) -> None:
    """List keys without their secrets."""
    found = in_home(lambda home: _keys(home).list())
    if as_json:
        print_json([KeyRecord.of(key) for key in found])
    elif found:
        print_table(
            ("name", "scopes", "created", "state", "id"),
            [
                (
                    key.name,
                    " ".join(sorted(key.scopes)),
                    key.created_at,
                    "revoked" if key.revoked_at else "valid",
                    key.id,
                )
                for key in found
            ],
        )
    else:
        say("No keys yet. `toolweave keys create --scope tools:read` creates one.")


@keys.command("revoke")
@click.argument("key")
@json_option
def revoke(key: str, as_json: bool) -> None:
    """Revoke a key by its id or name."""
    in_home(lambda home: revoke_key(_keys(home), key, is_sure=True))
    tell(as_json, {"revoked": key}, f"Revoked {key!r}.")


@keys.command("rotate")
@click.argument("key")
@json_option
def rotate(key: str, as_json: bool) -> None:
    """Replace a key: print a new one with its name, scopes and tools, and revoke the old one."""
    new, text = in_home(lambda home: rotate_key(_keys(home), key))
    if as_json:
        print_json(KeyRecord.of(new).as_json() | {"key": text})
        return
    click.echo(text)
    say(f"Revoked the earlier key {key!r}. Store this one: it is not shown again.", stderr=True)


def _keys(home: Home) -> ApiKeys:
    return ApiKeys(home.database, home.clock)
