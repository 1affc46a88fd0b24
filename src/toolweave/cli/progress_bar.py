"""The progress bar of a call on a terminal."""

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from toolweave.cli.styled import console


class CallBar:
    """Drawn on stderr, and removed when it stops."""

    def __init__(self) -> None:
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[count]}"),
            TimeElapsedColumn(),
            console=console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("waiting for the server", total=None, count="")

    def start(self) -> None:
        """Draw it."""
        self._bar.start()

    def stop(self) -> None:
        """Remove it."""
        self._bar.stop()

    def show(self, done: float, total: float | None, words: str, count: str) -> None:
        """Show how far the call is."""
        self._bar.update(self._task, completed=done, total=total, description=words, count=count)
