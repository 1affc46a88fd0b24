"""`toolweave servers sign-in`: sign in with OAuth in a browser."""

import webbrowser
from urllib.parse import urlsplit

import click

from toolweave.app.studio import open_studio
from toolweave.cli.sanitize import visible
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, say, tell
from toolweave.servers.sign_in_flow import sign_in_to


@click.command("sign-in")
@click.argument("name")
@click.option("--no-browser", is_flag=True, help="Print the URL instead of opening a browser.")
@json_option
def sign_in(name: str, no_browser: bool, as_json: bool) -> None:
    """Sign in to a server that uses OAuth; the tokens are stored in the vault."""

    async def show(url: str) -> None:
        say("Open this URL to sign in:", stderr=True)
        # Not wrapped, however narrow the terminal is.
        click.echo(f"  {visible(url, one_line=True)}", err=True)
        if not no_browser and urlsplit(url).scheme in ("http", "https"):
            webbrowser.open(url)

    async def work() -> int:
        async with current_home() as home, open_studio(home) as studio:
            server = await home.registry.get(name)
            return await sign_in_to(studio.connections, studio.transports, server, show)

    count = run(work)
    tell(
        as_json,
        {"name": name, "signedIn": True, "toolCount": count},
        f"Signed in to {name!r}: {count} tools.",
    )
