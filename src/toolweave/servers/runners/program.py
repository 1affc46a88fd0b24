"""Find the files a program needs, so that a sandbox can allow only those.

`~/.local/bin/tool` is a link into a virtual environment, whose script uses a Python, which is
a link into an installation: the program needs the prefix of each hop.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping

# A prefix under home that is shared with private files (keyrings, credentials): only its `bin`.
SHARED_PREFIXES = (".local", ".cargo", ".config", ".cache")
PROGRAM_FOLDERS = ("bin", "shims")
MOST_INTERPRETERS = 4


def required_directories(
    program: str, env: Mapping[str, str], *, is_too_wide: Callable[[str], bool]
) -> list[str]:
    """Return what `program` needs: the prefix of each link and interpreter."""
    found: dict[str, None] = {}
    current: str | None = program
    for _ in range(MOST_INTERPRETERS):
        if current is None:
            break
        for hop in _hops(current):
            found[_installation(hop, env, is_too_wide)] = None
        current = _interpreter(current, env)
    return list(found)


def _hops(path: str) -> Iterator[str]:
    """Return `path`, every link it follows, and the file itself."""
    seen: set[str] = set()
    while path not in seen:
        seen.add(path)
        yield path
        if os.path.islink(path):
            path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    real = os.path.realpath(path)
    if real not in seen:
        yield real


def _installation(path: str, env: Mapping[str, str], is_too_wide: Callable[[str], bool]) -> str:
    folder = os.path.dirname(path)
    if os.path.basename(folder) not in PROGRAM_FOLDERS:
        return path
    prefix = os.path.dirname(folder)
    shared = {os.path.join(env.get("HOME", "/"), name) for name in SHARED_PREFIXES}
    return folder if prefix in shared or is_too_wide(prefix) else prefix


def _interpreter(path: str, env: Mapping[str, str]) -> str | None:
    try:
        with open(path, "rb") as file:
            first = file.readline(512)
    except OSError:  # a program may be executable and not readable
        return None
    if not first.startswith(b"#!"):
        return None
    words = [os.fsdecode(word) for word in first[2:].split()]
    if words and os.path.basename(words[0]) == "env":
        names = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        return shutil.which(names[0], path=env.get("PATH", os.defpath)) if names else None
    return words[0] if words and os.path.isfile(words[0]) else None
