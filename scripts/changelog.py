"""Assembles `CHANGELOG.md` from the files in `changes/`: `python scripts/changelog.py 0.2.0`.

Without a version it prints the section that would be written, and changes nothing. Ends with 1 if a
file has no known kind or no text.
"""

import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = ("added", "changed", "fixed", "removed")
MARK = "## Unreleased\n\nSee [`changes/`](changes/).\n"


def problems(folder: Path) -> list[str]:
    """What is wrong with the names or texts of the files."""
    found: list[str] = []
    for path in sorted(folder.glob("[!.]*")):
        parts = path.name.split(".")
        if len(parts) != 3 or parts[1] not in KINDS or parts[2] != "md":
            found.append(f"{path.name}: the name must be WORDS.{'|'.join(KINDS)}.md")
        elif not path.read_text(encoding="utf-8").strip():
            found.append(f"{path.name}: is empty")
    return found


def section(folder: Path, title: str) -> str:
    """The changes of one release, by kind, in the order of their names."""
    lines = [f"## {title}", ""]
    for kind in KINDS:
        files = sorted(folder.glob(f"*.{kind}.md"))
        if files:
            lines += [f"### {kind.capitalize()}", ""]
            lines += [f"- {' '.join(path.read_text(encoding='utf-8').split())}" for path in files]
            lines.append("")
    return "\n".join(lines)


def write(root: Path, version: str, day: str) -> None:
    """Move the changes into `CHANGELOG.md`, below the heading for what is not released."""
    path, folder = root / "CHANGELOG.md", root / "changes"
    text = path.read_text(encoding="utf-8")
    if MARK not in text:
        raise SystemExit("CHANGELOG.md has no section 'Unreleased' that points to changes/")
    made = section(folder, f"{version} ({day})")
    path.write_text(text.replace(MARK, f"{MARK}\n{made}", 1), encoding="utf-8")
    for file in folder.glob("*.md"):
        file.unlink()


def main(arguments: list[str]) -> None:
    """Print or write."""
    if found := problems(ROOT / "changes"):
        raise SystemExit("\n".join(found))
    if arguments:
        write(ROOT, arguments[0], f"{datetime.now(UTC):%-d %B %Y}")
    else:
        sys.stdout.write(section(ROOT / "changes", "Unreleased"))


if __name__ == "__main__":
    main(sys.argv[1:])
