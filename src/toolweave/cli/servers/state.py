"""`toolweave servers enable|disable|remove`."""

import click

from toolweave.cli.rooms import ground, run


@click.command()
@click.argument("name")
def enable(name: str) -> None:
    """Switch a server on; failures of the past are forgotten."""

    async def work() -> bool:
        async with ground() as rooms:
            return (await rooms.registry.enable(name)).is_approved

    is_approved = run(work)
    click.echo(f"Enabled {name!r}.")
    if not is_approved:
        click.echo(f"It is not approved yet: `toolweave servers approve {name}`.")


@click.command()
@click.argument("name")
def disable(name: str) -> None:
    """Switch a server off until somebody enables it."""

    async def work() -> None:
        async with ground() as rooms:
            await rooms.registry.disable(name)

    run(work)
    click.echo(f"Disabled {name!r}.")


@click.command()
@click.argument("name")
def remove(name: str) -> None:
    """Forget a server, its approval and its pinned tools."""

    async def work() -> None:
        async with ground() as rooms:
            await rooms.registry.remove(name)
            rooms.lockfile.unpin(name)

    run(work)
    click.echo(f"Removed {name!r}. Other clients' configuration is untouched.")
