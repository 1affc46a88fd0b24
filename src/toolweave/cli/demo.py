"""`toolweave demo`: run the sample workflow with the built-in server."""

import click

from toolweave.app.studio import open_studio
from toolweave.cli.run import run_workflow
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option
from toolweave.demo.sample import Sample, open_sample


@click.command("demo")
@click.option(
    "--city", default="London", show_default=True, help="City to report the (made-up) weather of."
)
@json_option
@click.pass_context
def demo(context: click.Context, city: str, as_json: bool) -> int:
    """Run the sample workflow: no account, no key, nothing to set up.

    Registers and approves the built-in MCP server, which is part of this program, and stores the
    sample; `toolweave serve` shows it on a canvas.
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
    async with current_home() as home, open_studio(home) as studio:
        return await open_sample(home, studio.gate, studio.connections)
