"""What other systems call our nodes: `ERROR_TRIGGER`, `VECTOR_STORE`. Not a check.

The data is in `foreign_node_names.txt`: names that can mean one node of a type only.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from toolweave.tools.meaning import plain_word


def named_otherwise(node_type: str, subtype: str, known: Iterable[str]) -> str | None:
    """The subtype of a type that another system calls so."""
    found = _names().get((node_type, plain_word(subtype)))
    return found if found is not None and found in known else None


def node_named(name: str) -> tuple[str, str] | None:
    """The only type and subtype that another system has one name for: `emailReadImap`."""
    plain = plain_word(name)
    found = [(kind, subtype) for (kind, one), subtype in _names().items() if one == plain]
    return found[0] if len(found) == 1 else None


@cache
def _names() -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        ref, _, names = line.partition(":")
        kind, _, subtype = ref.partition(".")
        found |= {(kind, plain_word(name)): subtype for name in names.split()}
    return found
