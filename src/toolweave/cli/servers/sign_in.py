"""`toolweave servers sign-in`: the one moment a browser is opened, because a person asked."""

import webbrowser
from urllib.parse import urlsplit

import click

from toolweave.app.studio import open_studio
from toolweave.cli.rooms import ground, run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.cli.visible import visible
from toolweave.errors import Invalid
from toolweave.servers.definition import Http, Sse
from toolweave.servers.oauth import sign_in_now
from toolweave.servers.opening import refuse_unapproved
from toolweave.servers.sign_in import SignIn


@click.command("sign-in")
@click.argument("name")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@json_option
def sign_in(name: str, no_browser: bool, as_json: bool) -> None:
    """Sign in to a server that uses OAuth; the tokens go to the vault."""

    async def show(url: str) -> None:
        say("Open this address to sign in:", stderr=True)
        # In one piece, however narrow the terminal is.
        click.echo(f"  {visible(url, one_line=True)}", err=True)
        if not no_browser and urlsplit(url).scheme in ("http", "https"):
            webbrowser.open(url)

    async def work() -> int:
        async with ground() as rooms, open_studio(rooms) as studio:
            server = await rooms.registry.get(name)
            refuse_unapproved(server)
            ready = await studio.opener.expanded(server)
            if not isinstance(ready, Http | Sse) or not ready.oauth:
                raise Invalid(
                    "SERVER_SIGN_IN_UNUSED",
                    f"server {name!r} has no OAuth sign-in",
                    hint="register it with `toolweave servers add NAME URL --oauth`",
                )
            await sign_in_now(
                name,
                ready,
                rooms.vault,
                sign_in=SignIn(show),
                headers=ready.headers,
                limits=rooms.settings.limits,
            )
            return len((await studio.connections.use(server)).tools)

    count = run(work)
    if as_json:
        print_json({"name": name, "signedIn": True, "toolCount": count})
    else:
        say(f"Signed in to {name!r}: {count} tools.")
