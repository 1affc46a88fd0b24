"""The sample files of every dialect and form, and what is read from them."""

from pathlib import Path

from toolweave.workflow.formats.format import FormatName, LoadedWorkflow
from toolweave.workflow.formats.load import load

FOLDER = Path(__file__).parent / "samples"
FILES: tuple[str, ...] = tuple(
    sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.*"))
)
JSON_FILES = tuple(name for name in FILES if name.endswith(".json"))
DIALECT_OF: dict[str, FormatName] = {
    "toolweave": "toolweave",
    "ccwf": "ccwf",
    "flow": "flow",
    "agent-team": "agent-team",
}


def text_of(name: str) -> str:
    """The text of a sample."""
    return (FOLDER / name).read_text(encoding="utf-8")


def sample(name: str) -> LoadedWorkflow:
    """What is read from a sample."""
    return load(text_of(name), name_hint=name)


def dialect_of(name: str) -> FormatName:
    """The dialect whose folder a sample stands in."""
    return DIALECT_OF[name.split("/", maxsplit=1)[0]]
