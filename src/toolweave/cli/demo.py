"""`toolweave demo`: the sample workflow, run here and now with the built-in server."""

import click

from toolweave.app.samples import Sample, open_sample
from toolweave.app.studio import open_studio
from toolweave.cli.run import run_workflow
from toolweave.cli.session import home, run
from toolweave.cli.terminal import json_option


@click.command("demo")
@click.option("--city", default="London", show_default=True, help="Where the weather is made up.")
@json_option
@click.pass_context
def demo(context: click.Context, city: str, as_json: bool) -> int:
    """Run the sample workflow: no account, no key, nothing to set up.

    The built-in MCP server is registered and trusted, for it is this very program, and the sample
    is stored; `toolweave serve` shows it on a canvas.
    """
    sample = run(_prepare)
    code: int = context.invoke(
        run_workflow, file=sample.workflow, pairs=(f"city={city}",), as_json=as_json
    )
    if not as_json:
        click.echo(
            f"Stored as {sample.workflow!r}. Next: `toolweave serve` to see it on a canvas, or "
            f"`toolweave servers tools {sample.server}`.",
            err=True,
        )
    return code


async def _prepare() -> Sample:
    async with home() as rooms, open_studio(rooms) as studio:
        return await open_sample(studio)
