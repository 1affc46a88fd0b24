"""The page `docs/seeds.md`: every requirement, the doors its tests use, and one of the tests."""

from functools import lru_cache
from pathlib import Path

from tests.seeds.marks import scan
from tests.seeds.requirements import REQUIREMENTS

TESTS = Path(__file__).parents[1]
# A door by the folder of its tests, and by what a test elsewhere imports to use it.
_FOLDERS = {"cli": "command line", "rest": "REST", "mcp_server": "MCP", "e2e": "studio"}
_IMPORTS = {
    "cli.driving import": "command line",
    "rest.house import": "REST",
    "seeds.running import": "REST",
    "mcp_server.doors import": "MCP",
    "publishing.desk import": "MCP",
    "ClientSession": "MCP",
}
NO_DOOR = "Python"

INTRODUCTION = """Toolweave unites five earlier designs. Each requirement of them has an id, and a
test that names it with `@pytest.mark.requirement`. *Door* is what the tests use: the command line,
REST, MCP, or the studio in a browser; *Python* means that a function is called directly, and
*internal* that no door can show it, with the reason."""
TITLES = {
    "000": "Natural language modes of MCP nodes",
    "001": "MCP nodes",
    "002": "Servers and documents",
    "003": "Flows",
    "004": "Node knowledge",
}


def seeds_page(made: str) -> str:
    """The text of the page; `made` is the note that it is generated."""
    tested = scan(TESTS).tested
    parts = ["# Requirements and their tests", made, INTRODUCTION]
    for seed, title in TITLES.items():
        rows = ["| requirement | what it says | door | test |", "|---|---|---|---|"]
        for requirement in REQUIREMENTS:
            if requirement.seed == seed:
                name = requirement.id.partition(":")[2]
                doors, test = _proof(tested.get(requirement.id, ()))
                if doors == NO_DOOR and requirement.internal:
                    doors = f"internal: {requirement.internal}"
                text = requirement.text.replace("|", "\\|")
                rows.append(f"| `{name}` | {text} | {doors} | {test} |")
        parts += [f"## {title} ({seed})", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def without_door() -> list[str]:
    """The ids that no test proves through a door and that do not say why."""
    tested = scan(TESTS).tested
    return [
        one.id
        for one in REQUIREMENTS
        if one.internal is None and _proof(tested.get(one.id, ()))[0] == NO_DOOR
    ]


def _proof(tests: tuple[str, ...]) -> tuple[str, str]:
    """All doors of the tests, and the first test that uses one."""
    if not tests:
        return "", ""
    doors = {test: _doors_of(test.partition("::")[0]) for test in sorted(tests)}
    through_door = [test for test in doors if NO_DOOR not in doors[test]]
    found = {door for test in through_door for door in doors[test]} or {NO_DOOR}
    return ", ".join(sorted(found)), f"`{(through_door or [*doors])[0]}`"


@lru_cache
def _doors_of(file: str) -> frozenset[str]:
    folder = file.split("/")[1]
    if folder in _FOLDERS:
        return frozenset({_FOLDERS[folder]})
    text = (TESTS.parent / file).read_text(encoding="utf-8")
    found = {door for mark, door in _IMPORTS.items() if mark in text}
    return frozenset(found or {NO_DOOR})
