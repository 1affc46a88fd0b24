"""`toolweave servers sign-in`: sign in with OAuth in a browser."""

import webbrowser
from contextlib import suppress
from urllib.parse import urlsplit

import click

from toolweave.app.studio import open_studio
from toolweave.cli.prompts import read_line
from toolweave.cli.sanitize import visible
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, say, tell
from toolweave.errors import ToolweaveError
from toolweave.problems import quantity
from toolweave.servers.sign_in import SignIn
from toolweave.servers.sign_in_flow import sign_in_to
from toolweave.tasks import background


@click.command("sign-in")
@click.argument("name")
@click.option(
    "--no-browser",
    is_flag=True,
    help="Print the URL instead of opening a browser; with a browser on another machine, paste "
    "the address at which it ends.",
)
@json_option
def sign_in(name: str, no_browser: bool, as_json: bool) -> None:
    """Sign in to a server that uses OAuth; the tokens are stored in the vault."""

    async def show(url: str) -> None:
        say("Open this URL to sign in:", stderr=True)
        # Not wrapped, however narrow the terminal is.
        click.echo(f"  {visible(url, one_line=True)}", err=True)
        if no_browser:
            say("If the browser then cannot open a page, paste its address here:", stderr=True)
        elif urlsplit(url).scheme in ("http", "https"):
            webbrowser.open(url)

    async def work() -> int:
        signing = SignIn(show)
        async with (
            current_home() as home,
            open_studio(home) as studio,
            background() as tasks,
        ):
            server = await home.registry.get(name)
            if no_browser:
                tasks.start_soon(_read_pasted, signing)
            return await sign_in_to(studio.connections, studio.transports, server, signing)

    count = run(work)
    tell(
        as_json,
        {"name": name, "signedIn": True, "toolCount": count},
        f"Signed in to {name!r}: {quantity(count, 'tool')}.",
    )


async def _read_pasted(signing: SignIn) -> None:
    """Take addresses from standard input until one belongs to the sign-in."""
    with suppress(OSError):  # input that cannot be waited for, such as a file
        await _paste_lines(signing)


async def _paste_lines(signing: SignIn) -> None:
    while (line := await read_line("")) is not None:
        if not line.strip():
            continue
        try:
            signing.paste(line)
        except ToolweaveError as error:
            say(f"{error.message}; {error.hint}", stderr=True)
        else:
            return
