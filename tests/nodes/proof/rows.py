"""What a row of proof is: one field of one node, and what the node does for each value of it.

The rows are in the YAML files beside this one. A row shows that a field matters: everything else
stays the same, and what comes of it differs.

    FLOW.SORT:                            # a node
      given: {shows: sorted_data}         # what all rows below have, unless they say otherwise
      rows:
        - field: order                    # `inputs.NAME` for an input
          config: {sort_field: n}         # its other settings
          inputs: {data: [{n: 1}]}        # its other inputs
          shows: sorted_data              # a path into what it gives; `ports`; nothing: all of it
          before: [{operation: set}]      # inputs of earlier steps with the same settings
          body: {ref: FLOW.STOP}          # what hangs on the port `loop`
          gives:
            - {is: …}                     # the field is left out, so its default counts
            - {value: desc, is: …}
            - {value: up, fails: CODE}

Among `before`, `{pause: 60}` lets seconds pass and `settings` are those of that step. `$own`
in a text is a name of this run alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.yaml_text import read_yaml

FOLDER = Path(__file__).parent
PAUSE = "pause"
SETTINGS = "settings"
_KEYS = frozenset({"field", "config", "inputs", "shows", "before", "body", "gives"})


class Unset:
    """The field is left out."""

    def __repr__(self) -> str:
        return "unset"


UNSET: Final = Unset()


@dataclass(frozen=True, slots=True)
class Fails:
    """The node fails with a code."""

    code: str


@dataclass(frozen=True, slots=True)
class Row:
    """A field, and what comes of at least two values of it."""

    ref: str
    field: str
    is_input: bool
    gives: tuple[tuple["Json | Unset", "Json | Fails"], ...]
    config: JsonObject
    inputs: JsonObject
    shows: str
    before: tuple[JsonObject, ...]
    body: JsonObject | None

    @classmethod
    def of(cls, ref: str, written: JsonObject) -> Self:
        """A row as it stands in a file."""
        assert written.keys() <= _KEYS, f"{ref}: {written.keys() - _KEYS}"
        place, _, name = str(written["field"]).rpartition(".")
        body = written.get("body")
        return cls(
            ref,
            name,
            place == "inputs",
            tuple(_given(record_of(one)) for one in list_of(written["gives"])),
            record_of(written.get("config", {})),
            record_of(written.get("inputs", {})),
            str(written.get("shows", "")),
            tuple(record_of(one) for one in list_of(written.get("before", []))),
            None if body is None else record_of(body),
        )

    @property
    def whole(self) -> str:
        """`FLOW.SORT.order`, or `FLOW.SORT.inputs.data`."""
        return f"{self.ref}.inputs.{self.field}" if self.is_input else f"{self.ref}.{self.field}"

    def claims(self) -> frozenset[str]:
        """The field, and `FLOW.SORT.order=asc` for every value that is a text or a list of some."""
        words: set[str] = set()
        for value, _ in self.gives:
            words.update(
                one
                for one in (value if isinstance(value, list) else [value])
                if isinstance(one, str)
            )
        return frozenset({self.whole, *(f"{self.whole}={word}" for word in words)})


def all_rows() -> Iterator[Row]:
    """The rows of every file."""
    for path in sorted(FOLDER.glob("*.yaml")):
        for ref, section in record_of(read_yaml(path.read_bytes(), max_depth=60)).items():
            told = record_of(section)
            shared = record_of(told.get("given", {}))
            for one in list_of(told["rows"]):
                yield Row.of(ref, _merged(shared, record_of(one)))


def _merged(shared: JsonObject, own: JsonObject) -> JsonObject:
    found = {**shared, **own}
    for name in ("config", "inputs"):
        found[name] = {**record_of(shared.get(name, {})), **record_of(own.get(name, {}))}
    return found


def _given(one: JsonObject) -> tuple["Json | Unset", "Json | Fails"]:
    assert one.keys() <= {"value", "is", "fails"}, one
    assert ("is" in one) != ("fails" in one), one
    return one.get("value", UNSET), Fails(str(one["fails"])) if "fails" in one else one["is"]


def record_of(value: Json) -> JsonObject:
    """An object."""
    assert isinstance(value, dict), value
    return value


def list_of(value: Json) -> list[Json]:
    """A list."""
    assert isinstance(value, list), value
    return value
