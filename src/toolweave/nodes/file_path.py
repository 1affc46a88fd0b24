"""A path of a file in the settings of a node."""

from pathlib import PurePosixPath

from toolweave.catalog.node_input import refused_at

HINT = "write a path below the files folder, such as in/data.csv"


def check_path(path: str, *at: str | int) -> None:
    """Whether a path can be in a folder of workflows. Raises `FILE_PATH_INVALID`, `FILE_DENIED`."""
    if not path or "\0" in path or "\\" in path:
        message = f"{path[:80]!r} is no path of a file"
        raise refused_at(at, "FILE_PATH_INVALID", message, hint=HINT)
    if path.endswith("/"):
        message = f"{path[:80]!r} is a folder, not a file"
        raise refused_at(at, "FILE_PATH_INVALID", message, hint=HINT)
    inside = PurePosixPath(path)
    if not inside.parts or ".." in inside.parts:
        message = f"{path[:200]!r} cannot be used: it leaves the folder, or is the folder itself"
        raise refused_at(at, "FILE_DENIED", message, hint=HINT)
