"""`toolweave servers limit`."""

import click

from toolweave.cli.completion_values import server_names
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, tell
from toolweave.servers.definition import Server


@click.command()
@click.argument("name", shell_complete=server_names)
@click.option("--concurrent", type=click.IntRange(1, 10_000), help="Calls at the same time.")
@click.option(
    "--per-second",
    type=click.FloatRange(0.001, 10_000),
    help="Calls that begin per second; 0.1 is one every ten seconds.",
)
@click.option("--none", "is_removed", is_flag=True, help="Remove the limits.")
@json_option
def limit(
    name: str, concurrent: int | None, per_second: float | None, is_removed: bool, as_json: bool
) -> None:
    """Limit the calls of a server, in all processes of the database together.

    A call over a limit waits for its turn. Without options, show the limits.
    """
    is_changed = is_removed or concurrent is not None or per_second is not None
    if is_removed and (concurrent is not None or per_second is not None):
        raise click.UsageError("--none removes the limits; it takes no other option")

    async def work() -> Server:
        async with current_home() as home:
            if is_changed:
                return await home.registry.limit(name, concurrent=concurrent, per_second=per_second)
            return await home.registry.get(name)

    server = run(work)
    at_once, rate = server.max_concurrent, server.max_per_second
    parts = [f"{at_once} at the same time"] if at_once is not None else []
    parts += [f"{rate:g} per second"] if rate is not None else []
    text = f"at most {' and '.join(parts)}" if parts else "unlimited"
    record = {"name": name, "max_concurrent": at_once, "max_per_second": rate}
    tell(as_json, record, f"Calls of {name!r}: {text}.")
