"""`toolweave demo-server`: the sample MCP server, over stdio or HTTP."""

import click

from toolweave.demo.server import run_http, run_stdio


@click.command("demo-server")
@click.option("--http", "over_http", is_flag=True, help="Serve streamable HTTP instead of stdio.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address for --http.")
@click.option(
    "--port",
    default=0,
    show_default=True,
    type=click.IntRange(0, 65_535),
    help="Port for --http; 0 chooses a free one.",
)
def demo_server(over_http: bool, host: str, port: int) -> None:
    """Run the built-in sample MCP server: deterministic tools to try everything with."""
    if over_http:
        run_http(host, port)
    else:
        run_stdio()
