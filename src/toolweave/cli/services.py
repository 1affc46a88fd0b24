"""`toolweave services`: credentials of external services; secrets never appear in argv."""

import os
import sys
import webbrowser
from urllib.parse import urlsplit

import click

from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.sanitize import visible
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say, tell
from toolweave.credentials.accounts import CredentialRecord, Tested, client_of, kind_of, open_desk
from toolweave.credentials.store import Credential
from toolweave.servers.sign_in import Show, SignIn


@click.group(cls=HelpfulGroup)
def services() -> None:
    """Manage credentials of external services (Slack, GitHub, Google and more) in the vault."""


@services.command("list")
@json_option
def list_services(as_json: bool) -> None:
    """List credentials without their secrets."""

    async def work() -> list[Credential]:
        async with current_home() as home, open_desk(home) as desk:
            return await desk.listed()

    found = run(work)
    if as_json:
        print_json([CredentialRecord.of(one) for one in found])
    elif found:
        rows = [(one.name, one.kind, one.auth, one.base_url or "its own") for one in found]
        print_table(("name", "kind", "signed in by", "address"), rows)
    else:
        say("No credentials yet. `toolweave services add slack` stores one.")


@services.command("add")
@click.argument("name")
@click.option("--kind", help="The service; default: derived from the name.")
@click.option("--base-url", help="Base URL, if not the service's own.")
@click.option(
    "--token-env", metavar="VARIABLE", help="Read the token from this environment variable."
)
@click.option("--client-id", help="Sign in with OAuth using this client id.")
@click.option(
    "--client-secret-env", metavar="VARIABLE", help="Client secret, if the client has one."
)
@click.option(
    "--scope", "scopes", multiple=True, help="OAuth scope to request instead of the defaults."
)
@click.option("--authorize-url", help="Authorization URL, if not the service's own.")
@click.option("--token-url", help="Token URL, if not the service's own.")
@click.option(
    "--no-browser", is_flag=True, help="Print the sign-in URL instead of opening a browser."
)
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
    """Store a token, read from a prompt or standard input, or sign in with OAuth."""
    of_kind = kind_of(name, kind)
    secret = None if client_id is not None else _token(token_env)

    async def work() -> Credential:
        async with current_home() as home, open_desk(home) as desk:
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
    tell(
        as_json,
        CredentialRecord.of(stored),
        f"Stored for {of_kind}. Use it as ${{vault:{name}}} in a node's token field.",
    )


@services.command("test")
@click.argument("name")
@json_option
def test(name: str, as_json: bool) -> None:
    """Test a credential with one read-only call and print its account."""

    async def work() -> Tested:
        async with current_home() as home, open_desk(home) as desk:
            return await desk.test(name)

    found = run(work)
    tell(as_json, found, f"{found.name!r} works: {found.kind} at {found.address} says {found.who}.")


@services.command("remove")
@click.argument("name")
@json_option
def remove(name: str, as_json: bool) -> None:
    """Remove a credential and its secret."""

    async def work() -> None:
        async with current_home() as home, open_desk(home) as desk:
            await desk.remove(name)

    run(work)
    tell(as_json, {"removed": name}, f"Removed {name!r}.")


def _token(variable: str | None) -> str:
    if variable is not None:
        return _variable(variable)
    asks = sys.stdin.isatty()
    value = click.prompt("Token", hide_input=True) if asks else sys.stdin.read()
    if not value.strip():
        raise click.UsageError(
            "the token is empty; type it, pipe it to standard input, or use --token-env"
        )
    return value.strip()


def _variable(name: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise click.UsageError(f"the environment variable {name!r} is not set")
    return value


def _shower(no_browser: bool) -> Show:
    async def show(url: str) -> None:
        say("Open this URL to sign in:", stderr=True)
        # Not wrapped, however narrow the terminal is.
        click.echo(f"  {visible(url, one_line=True)}", err=True)
        if not no_browser and urlsplit(url).scheme in ("http", "https"):
            webbrowser.open(url)

    return show
