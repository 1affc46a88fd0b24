"""`toolweave services`: credentials of services outside; secrets are typed or piped, never argv."""

import os
import sys
import webbrowser
from urllib.parse import urlsplit

import click

from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.sanitize import visible
from toolweave.cli.session import home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.credentials.accounts import Tested, client_of, kind_of, open_desk
from toolweave.credentials.store import Credential
from toolweave.servers.sign_in import Show, SignIn


@click.group(cls=HelpfulGroup)
def services() -> None:
    """Keep credentials of Slack, GitHub, Google and their like in the vault."""


@services.command("list")
@json_option
def list_services(as_json: bool) -> None:
    """List credentials, without their secrets."""

    async def work() -> list[Credential]:
        async with home() as rooms, open_desk(rooms) as desk:
            return await desk.listed()

    found = run(work)
    if as_json:
        print_json([_as_dict(one) for one in found])
    elif found:
        rows = [(one.name, one.kind, one.auth, one.base_url or "its own") for one in found]
        print_table(("name", "kind", "signed in by", "address"), rows)
    else:
        say("No credentials yet. `toolweave services add slack` stores one.")


@services.command("add")
@click.argument("name")
@click.option("--kind", help="Which service it is for; by default as the name begins.")
@click.option("--base-url", help="Where the service is, if not at its usual address.")
@click.option("--token-env", metavar="VARIABLE", help="Take the token from this variable.")
@click.option("--client-id", help="Sign in with OAuth as this client.")
@click.option("--client-secret-env", metavar="VARIABLE", help="The client's secret, if it has one.")
@click.option("--scope", "scopes", multiple=True, help="What to be allowed, instead of the usual.")
@click.option("--authorize-url", help="Where people sign in, if not at the usual address.")
@click.option("--token-url", help="Where tokens are given, if not at the usual address.")
@click.option("--no-browser", is_flag=True, help="Only print the address to sign in at.")
@json_option
def add(
    name: str,
    kind: str | None,
    base_url: str | None,
    token_env: str | None,
    client_id: str | None,
    client_secret_env: str | None,
    scopes: tuple[str, ...],
    authorize_url: str | None,
    token_url: str | None,
    no_browser: bool,
    as_json: bool,
) -> None:
    """Store a token, typed at the prompt or given on standard input; or sign in with OAuth."""
    of_kind = kind_of(name, kind)
    secret = None if client_id is not None else _token(token_env)

    async def work() -> Credential:
        async with home() as rooms, open_desk(rooms) as desk:
            if client_id is None or secret is not None:
                return await desk.add(name, of_kind, secret or "", base_url=base_url)
            client = client_of(
                of_kind,
                client_id,
                _variable(client_secret_env) if client_secret_env else None,
                scopes=scopes,
                authorize_url=authorize_url,
                token_url=token_url,
            )
            sign_in = SignIn(_shower(no_browser))
            return await desk.sign_in(name, of_kind, client, sign_in, base_url=base_url)

    stored = run(work)
    if as_json:
        print_json(_as_dict(stored))
    else:
        say(f"Stored for {of_kind}. Use it as ${{vault:{name}}} in a node's token field.")


@services.command("test")
@click.argument("name")
@json_option
def test(name: str, as_json: bool) -> None:
    """Make one harmless call and say whose credential it is."""

    async def work() -> Tested:
        async with home() as rooms, open_desk(rooms) as desk:
            return await desk.test(name)

    found = run(work)
    if as_json:
        print_json(
            {"name": found.name, "kind": found.kind, "who": found.who, "address": found.address}
        )
    else:
        say(f"{found.name!r} works: {found.kind} at {found.address} says {found.who}.")


@services.command("remove")
@click.argument("name")
@json_option
def remove(name: str, as_json: bool) -> None:
    """Forget a credential and its secret."""

    async def work() -> None:
        async with home() as rooms, open_desk(rooms) as desk:
            await desk.remove(name)

    run(work)
    if as_json:
        print_json({"removed": name})
    else:
        say(f"Removed {name!r}.")


def _token(variable: str | None) -> str:
    if variable is not None:
        return _variable(variable)
    asks = sys.stdin.isatty()
    value = click.prompt("Token", hide_input=True) if asks else sys.stdin.read()
    if not value.strip():
        raise click.UsageError("the token is empty; type it, pipe it in, or use --token-env")
    return value.strip()


def _variable(name: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise click.UsageError(f"the variable {name!r} is not set")
    return value


def _shower(no_browser: bool) -> Show:
    async def show(url: str) -> None:
        say("Open this address to sign in:", stderr=True)
        # In one piece, however narrow the terminal is.
        click.echo(f"  {visible(url, one_line=True)}", err=True)
        if not no_browser and urlsplit(url).scheme in ("http", "https"):
            webbrowser.open(url)

    return show


def _as_dict(one: Credential) -> dict[str, str | None]:
    return {"name": one.name, "kind": one.kind, "auth": one.auth, "baseUrl": one.base_url}
