"""`toolweave runs event`: send an event to waiting runs."""

from getpass import getuser

import click

from toolweave.access.secret_text import SecretTexts
from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.cli.runs.control import SETTLE_S, given_value
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.triggers.event_delivery import EventDelivery


@click.command()
@click.argument("name")
@click.option("--data", metavar="VALUE", default="{}", help="Payload of the event; JSON or text.")
@json_option
def event(name: str, data: str, as_json: bool) -> None:
    """Send an event to the runs that wait for it.

    NAME is the event's name in `event_config` of FLOW.WAIT.
    """

    async def work() -> list[tuple[str, str]]:
        async with (
            current_home() as home,
            open_studio(home) as studio,
            open_engine(studio) as engine,
        ):
            secrets = SecretTexts(home.vault, home.masker)
            event_delivery = EventDelivery(engine, secrets, home.clock)
            told = await event_delivery.event(
                name, given_value(data), by=getuser(), via="cli", resume=False
            )
            return [(one, await engine.runs.settle(one, SETTLE_S)) for one in told.runs]

    done = run(work)
    if as_json:
        print_json([{"id": one, "status": status} for one, status in done])
        return
    for one, status in done:
        say(f"{one}  {status}")
    if not done:
        say(f"No run is waiting for {name!r}.")
