"""`toolweave completion SHELL`: the script that lets a shell complete commands and names."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")
# The variable by which the script asks for completions.
VARIABLE = "_TOOLWEAVE_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands, options and names in a shell.

    \b
    bash: add  eval "$(toolweave completion bash)"  to ~/.bashrc
    zsh:  add  eval "$(toolweave completion zsh)"   to ~/.zshrc
    fish: toolweave completion fish > ~/.config/fish/completions/toolweave.fish
    """
    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(ctx.find_root().command, {}, "toolweave", VARIABLE).source())
