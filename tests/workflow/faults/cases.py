"""The faults as data: right documents, what is wrong in the wrong ones, and unusual right ones."""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml

from toolweave.json_text import Json
from toolweave.workflow.json_patch import apply_patch

FOLDER = Path(__file__).parent
# Sets that were made from the right documents of another one.
_SHARED = {"fifth": "fourth", "sixth": "fourth"}
_UNUSUAL = "unusual.json"
# Any: the files are JSON that is read by name here and nowhere else.
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fault:
    """A wrong document: a right one and what was done to it."""

    id: str
    family: str
    right: str
    text: str
    at: tuple[str, ...]
    is_mendable: bool
    is_never_fixed: bool
    is_of_world: bool
    is_refused: bool
    is_text: bool
    # The right document and others that are as right, as JSON texts.
    accepted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unusual:
    """A right document that must give no error; `file` tells JSON from YAML."""

    id: str
    text: str
    file: str


@cache
def right_documents(folder: str = "") -> dict[str, Json]:
    """The right documents by name, with those that the set in `folder` has of its own."""
    return _rights(FOLDER) | _rights(FOLDER / _SHARED.get(folder, folder))


@cache
def faults(folder: str = "wrong") -> tuple[Fault, ...]:
    """All faults of a set, by family; `folder` is a folder here or a whole path elsewhere."""
    files = [path for path in sorted((FOLDER / folder).glob("*.json")) if path.name != _UNUSUAL]
    rights = right_documents(folder)
    return tuple(
        _fault(entry, rights[entry["right"]])
        for path in files
        for entry in cast(list[Entry], _read(path))
    )


@cache
def unusual_documents(folder: str = "") -> tuple[Unusual, ...]:
    """Right documents that few people would write; the plain right ones are among them.

    A set with right documents of its own has its own unusual ones too, and only these are given.
    """
    has_own = any((FOLDER / folder / one).exists() for one in ("right", _UNUSUAL))
    place = FOLDER / folder if has_own else FOLDER
    plain = [Unusual(name, _text(document), name) for name, document in _rights(place).items()]
    path = place / _UNUSUAL
    entries = cast(list[Entry], _read(path)) if path.exists() else []
    rights = right_documents(folder)
    return (*plain, *(_unusual(entry, rights[entry["right"]]) for entry in entries))


def _rights(place: Path) -> dict[str, Json]:
    return {path.stem: _read(path) for path in sorted((place / "right").glob("*.json"))}


def _fault(entry: Entry, right: Json) -> Fault:
    wrong = apply_patch(right, entry.get("patch", ()))
    also = tuple(apply_patch(right, patch) for patch in entry.get("accepted", ()))
    return Fault(
        id=entry["id"],
        family=entry["family"],
        right=entry["right"],
        text=_damaged_text(wrong, entry.get("text", {})),
        at=tuple(entry["at"]),
        is_mendable=entry.get("mendable", False),
        is_never_fixed=entry.get("never_fix", False),
        is_of_world=entry.get("world", False),
        is_refused=entry.get("runs") is False,
        is_text="text" in entry,
        accepted=(_text(right), *map(_text, also)),
    )


def _unusual(entry: Entry, right: Json) -> Unusual:
    document = apply_patch(right, entry.get("patch", ()))
    damage: Entry = entry.get("text", {})
    if damage.get("yaml"):
        text = yaml.safe_dump(document, allow_unicode=True, sort_keys=False)
        return Unusual(entry["id"], text, f"{entry['id']}.yaml")
    return Unusual(entry["id"], _damaged(_text(document), damage), f"{entry['id']}.json")


def _damaged_text(document: Json, how: Entry) -> str:
    """The text after an edit; with indentation where the edit changes nothing without."""
    plain = _text(document)
    damaged = _damaged(plain, how)
    if how and damaged == plain:
        return _damaged(json.dumps(document, ensure_ascii=False, indent=2), how)
    return damaged


def _damaged(text: str, how: Entry) -> str:
    """The text as a careless author would leave it."""
    for old, new in how.get("replace", ()):
        text = text.replace(old, new)
    if "regex" in how:
        text = re.sub(how["regex"][0], how["regex"][1], text)
    if "cut" in how:
        text = text[: -how["cut"]]
    if how.get("encode"):
        text = json.dumps(text)
    before, after = how.get("wrap", ("", ""))
    return f"{before}{text}{after}"


def _text(document: Json) -> str:
    return json.dumps(document, ensure_ascii=False)


def _read(path: Path) -> Json:
    return cast(Json, json.loads(path.read_text(encoding="utf-8")))
