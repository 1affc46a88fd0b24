"""The members of an object setting in a short notation, and the JSON Schema it stands for.

`{name*, type: text|voice, days: integer 0..7, fields: [{name, inline: boolean}], …}`: a member is
a text unless a type follows its name, `*` says that it is needed, words between bars are all the
values there are. At the end, `…` says that there are other members, and `*: number` that all of
them, whatever their names, are numbers. An `id` is a text or a whole number, `any` is anything,
and `or` stands between shapes that are both right.
"""

from functools import lru_cache
from typing import cast

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern

_TOKEN = pattern(r"\s*(?:([{}\[\],:*…])|([^\s{}\[\],:*…]+))")
_RANGE = pattern(r"(-?[\d.]+)\.\.(-?[\d.]+)")
_TYPES: dict[str, Json] = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "object": "object",
    "array": "array",
    "id": ["string", "integer"],
}


@lru_cache(maxsize=512)
def member_schema(notation: str) -> JsonObject:
    """Return the schema of a value in the notation; it is shared and not to be changed."""
    reader = _Reader([found[1] or found[2] for found in _TOKEN.finditer(notation)])
    return reader.shape()


class _Reader:
    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._at = 0

    def shape(self) -> JsonObject:
        shapes: list[Json] = [self._shape()]
        while self._took("or"):
            shapes.append(self._shape())
        return {"anyOf": shapes} if len(shapes) > 1 else cast("JsonObject", shapes[0])

    def _shape(self) -> JsonObject:
        if self._took("{"):
            return self._members()
        if self._took("["):
            items = self.shape()
            self._expect("]")
            return {"type": "array", "items": items}
        return self._plain(self._next())

    def _members(self) -> JsonObject:
        properties: JsonObject = {}
        required: list[Json] = []
        others: Json = False
        while not self._took("}"):
            if self._took("…"):
                others = True
            elif self._took("*"):
                self._expect(":")
                others = self.shape()
            else:
                name = self._next()
                if self._took("*"):
                    required.append(name)
                properties[name] = self.shape() if self._took(":") else {"type": "string"}
            self._took(",")
        schema: JsonObject = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        return schema if others is True else schema | {"additionalProperties": others}

    def _plain(self, word: str) -> JsonObject:
        if "|" in word:
            return {"enum": [int(one) if one.isdecimal() else one for one in word.split("|")]}
        if word == "any":
            return {}
        schema: JsonObject = {"type": _TYPES[word]}
        found = _RANGE.fullmatch(self._words[self._at]) if self._at < len(self._words) else None
        if found:
            self._at += 1
            schema |= {"minimum": _number(found[1]), "maximum": _number(found[2])}
        return schema

    def _next(self) -> str:
        word = self._words[self._at]
        self._at += 1
        return word

    def _took(self, sign: str) -> bool:
        is_it = self._at < len(self._words) and self._words[self._at] == sign
        self._at += is_it
        return is_it

    def _expect(self, sign: str) -> None:
        if not self._took(sign):
            raise ValueError(f"expected {sign!r} at word {self._at} of {self._words}")


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)
