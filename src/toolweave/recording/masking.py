"""Takes secrets and personal data out of a recording: equal values get the same mask id.

A mask `${mask:m1}` stands for one text everywhere, so a value that flows from a result into a later
call still matches there.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TypeVar, cast

from toolweave.access.mask import MASK, Masker, is_sensitive
from toolweave.home import Home
from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.recording.entries import MaskedValue
from toolweave.recording.matching import MASK_START
from toolweave.recording.recording import AnyLine, Recording

# Shorter texts are masked only where they are a whole value: they occur in words by chance.
LEAST_INSIDE = 6
_REFERENCES = ("{{", "${vault:", MASK_START)
_LineT = TypeVar("_LineT", bound=AnyLine)


def mask_recording(recording: Recording, masker: Masker, fields: Iterable[str] = ()) -> Recording:
    """Return a recording without known secrets, values of sensitive names and given fields.

    The name of a field may contain `*`, which stands for any characters.
    """
    masks = _Masks(
        masker, tuple(name.casefold() for name in fields), _last_number(recording.header.masks)
    )
    for line in recording.lines():
        masks.collect(_json(line))
    masked = replace(
        recording,
        header=masks.apply(recording.header, "header"),
        workflow=masks.apply(recording.workflow, "workflow") if recording.workflow else None,
        tools=tuple(masks.apply(one, f"tool:{one.server}/{one.hash}") for one in recording.tools),
        skills=tuple(masks.apply(one, f"skill:{one.server}") for one in recording.skills),
        calls=tuple(masks.apply(one, f"seq:{one.seq}") for one in recording.calls),
        models=tuple(masks.apply(one, f"seq:{one.seq}") for one in recording.models),
        people=tuple(masks.apply(one, f"seq:{one.seq}") for one in recording.people),
        steps=tuple(masks.apply(one, f"step:{one.key}") for one in recording.steps),
        result=masks.apply(recording.result, "result") if recording.result else None,
    )
    found = tuple(
        MaskedValue(id=id_, at=tuple(dict.fromkeys(places))) for id_, places in masks.places.items()
    )
    if not found:
        return masked
    update = {"masks": (*recording.header.masks, *found)}
    return replace(masked, header=masked.header.model_copy(update=update))


async def mask_for_file(home: Home, recording: Recording, fields: Iterable[str] = ()) -> Recording:
    """Return a recording without the secrets of a home and what its settings mask."""
    home.masker.learn([await home.vault.get(name) for name in await home.vault.names()])
    return mask_recording(recording, home.masker, (*home.settings.record_mask, *fields))


def _last_number(masks: Iterable[MaskedValue]) -> int:
    """Return the highest number of a mask that a recording has already."""
    numbers = (mask.id[1:] for mask in masks)
    return max((int(one) for one in numbers if one.isdecimal()), default=0)


@dataclass(slots=True)
class _Masks:
    masker: Masker
    fields: tuple[str, ...]
    # How many masks there were before.
    before: int = 0
    # The mask of each text that is taken out.
    ids: dict[str, str] = field(default_factory=dict[str, str])
    places: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def collect(self, value: Json) -> None:
        """Find the texts to take out."""
        if isinstance(value, dict):
            for name, inner in value.items():
                if self._is_taken_out(name):
                    for text in _texts(inner):
                        self._id(text)
                self.collect(inner)
        elif isinstance(value, list):
            for inner in value:
                self.collect(inner)

    def _is_taken_out(self, name: str) -> bool:
        folded = name.casefold()
        return is_sensitive(name) or any(fnmatchcase(folded, rule) for rule in self.fields)

    def apply(self, line: _LineT, place: str) -> _LineT:
        """Return a line with masks, and note where they stand."""
        return type(line).model_validate(self._masked(_json(line), place, ()))

    def _masked(self, value: Json, place: str, at: tuple[str | int, ...]) -> Json:
        match value:
            case str():
                return self._text(value, place, at)
            case list():
                return [self._masked(one, place, (*at, n)) for n, one in enumerate(value)]
            case dict():
                return {key: self._masked(one, place, (*at, key)) for key, one in value.items()}
            case _:
                return value

    def _text(self, text: str, place: str, at: tuple[str | int, ...]) -> str:
        used: list[str] = []
        hidden = text
        if text in self.ids:
            used.append(text)
            hidden = f"{MASK_START}{self.ids[text]}}}"
        else:
            # Before known secrets are hidden: they would change a text that a rule takes out.
            for known, id_ in self.ids.items():
                if len(known) >= LEAST_INSIDE and MASK not in known and known in hidden:
                    used.append(known)
                    hidden = hidden.replace(known, f"{MASK_START}{id_}}}")
            hidden = self.masker.hide_text(hidden)
            if MASK in hidden:
                # The text itself is gone already; what is around it tells these apart.
                used.append(hidden)
                hidden = hidden.replace(MASK, f"{MASK_START}{self._id(hidden)}}}")
        for one in used:
            self.places.setdefault(self.ids[one], []).append(place + (pointer(*at) if at else ""))
        return hidden

    def _id(self, text: str) -> str:
        return self.ids.setdefault(text, f"m{self.before + len(self.ids) + 1}")


def _texts(value: Json) -> Iterator[str]:
    match value:
        case str():
            if value and not any(mark in value for mark in _REFERENCES):
                yield value
        case list():
            for one in value:
                yield from _texts(one)
        case _:  # of an object each field has a name of its own; it may be a schema
            return


def _json(line: AnyLine) -> JsonObject:
    return cast("JsonObject", line.as_json())
