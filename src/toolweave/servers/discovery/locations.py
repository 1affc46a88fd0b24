"""Where clients store their files: home, project, platform and environment, as plain data.

Nothing in this folder queries the operating system, so every platform can be tested on any other.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Platform = Literal["linux", "darwin", "win32"]


@dataclass(frozen=True, slots=True)
class ClientLocations:
    """The user's home, the project directory and the platform."""

    home: Path
    project: Path  # the current directory
    platform: Platform
    environ: Mapping[str, str]
    root: Path = Path("/")  # the root of system paths

    def variable(self, name: str) -> Path | None:
        """Return the path in an environment variable, if it is absolute."""
        value = self.environ.get(name)
        return Path(value) if value and os.path.isabs(value) else None

    def settings_directory(self) -> Path:
        """The directory of a user's application settings."""
        match self.platform:
            case "darwin":
                return self.home / "Library" / "Application Support"
            case "win32":
                return self.variable("APPDATA") or self.home / "AppData" / "Roaming"
            case "linux":
                return self.variable("XDG_CONFIG_HOME") or self.home / ".config"

    def upward(self) -> Iterator[Path]:
        """The project directory and every directory above it, nearest first."""
        here = Path(os.path.realpath(self.project))
        end = Path(os.path.realpath(self.root))
        for directory in (here, *here.parents):
            yield directory
            if directory == end:
                return

    def checkout(self) -> Path | None:
        """The git checkout that contains the project directory."""
        return next((at for at in self.upward() if os.path.exists(at / ".git")), None)

    def project_directories(self) -> Iterator[Path]:
        """The directories from the project up to its checkout, without the home directory."""
        checkout = self.checkout() or Path(os.path.realpath(self.project))
        home = Path(os.path.realpath(self.home))
        for directory in self.upward():
            if directory != home:
                yield directory
            if directory == checkout:
                return


def folder_variables(workspace: Path, home: Path) -> Callable[[str], str]:
    """Replaces the variables of VS Code and Cursor that name folders.

    They depend on the location of the file, which is lost after import.
    """
    known = {
        "${workspaceFolder}": str(workspace),
        "${workspaceFolderBasename}": workspace.name,
        "${userHome}": str(home),
        "${pathSeparator}": os.sep,
        "${/}": os.sep,
    }

    def rewrite(text: str) -> str:
        for variable, value in known.items():
            text = text.replace(variable, value)
        return text

    return rewrite
