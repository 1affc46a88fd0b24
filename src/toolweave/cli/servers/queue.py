"""`toolweave servers queue`."""

import click

from toolweave.cli.completion_values import server_names
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, tell
from toolweave.servers.definition import Server
from toolweave.settings import read_queues


@click.command()
@click.argument("name", shell_complete=server_names)
@click.argument("queue_name", metavar="[QUEUE]", required=False)
@click.option("--none", "is_removed", is_flag=True, help="Let every process use it.")
@json_option
def queue(name: str, queue_name: str | None, is_removed: bool, as_json: bool) -> None:
    """Bind a server to a queue: only processes that serve it start the server and call its tools.

    Nodes that name the server are executed on its queue. Without QUEUE, show the queue.
    """
    if is_removed and queue_name is not None:
        raise click.UsageError("--none removes the queue; it takes no QUEUE")
    wanted = () if queue_name is None else read_queues(queue_name)
    if len(wanted) > 1:
        raise click.UsageError("a server belongs to one queue")

    async def work() -> Server:
        async with current_home() as home:
            if is_removed or wanted:
                return await home.registry.bind(name, wanted[0] if wanted else None)
            return await home.registry.get(name)

    bound = run(work).queue
    text = f"belongs to queue {bound!r}" if bound else "is used by every process"
    tell(as_json, {"name": name, "queue": bound}, f"Server {name!r} {text}.")
