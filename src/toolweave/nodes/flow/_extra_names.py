"""Names that an expression sees beside those of its node."""

from collections.abc import Iterator, Mapping

from toolweave.json_text import Json


class ExtraNames(Mapping[str, Json]):
    """Names of one's own in front of others, which are looked up only when asked for."""

    def __init__(self, own: Mapping[str, Json], others: Mapping[str, Json]) -> None:
        self._own = own
        self._others = others

    def __getitem__(self, name: str) -> Json:
        return self._own[name] if name in self._own else self._others[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from (name for name in self._others if name not in self._own)

    def __len__(self) -> int:
        return sum(1 for _ in self)
