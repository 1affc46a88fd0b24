"""What speaks for an unknown name being a certain place: its words, its value, or the rest. Pure.

The evidence has ranks. Only what the strongest rank finds counts, and only if it is one place.
"""

from collections.abc import Sequence

from toolweave.tools.inner_keys import is_meant
from toolweave.tools.key_meaning import containing, is_decoration, longer_or_shorter, says_when
from toolweave.tools.meaning import CHANGING, words
from toolweave.tools.opposites import are_opposite
from toolweave.tools.other_names import names_of
from toolweave.workflow.node_slots import NodeSlot, Stray

CALLED, NAMED, DESCRIBED, OPTION, ONLY = range(5)
_LEAST = 4
# Words that a description has for any field.
_VAGUE = words(
    "name type mode config setting option value data text id field list object string number key"
    " the node is to of a an or and for in its use what which"
)
# Words for how something is done, which add nothing to an option.
_MANNER = words("kind style way how choice select selection method strategy")


def ranks(
    stray: Stray, slots: Sequence[NodeSlot], strays: Sequence[Stray], ref: str = ""
) -> dict[int, list[NodeSlot]]:
    """The places that a name may mean, by the rank of what speaks for them.

    What other systems call a setting of the node `ref` is that setting, or none if it is taken.
    """
    if len(stray.steps) == 2 and (named := names_of(ref).settings.meant(stray.name, ref)):
        own = [one for one in slots if len(one.steps) == 2 and one.name in named]
        near = [one for one in own if one.steps[0] == stray.steps[0]]
        return {CALLED: own} if len(named) == 1 else {CALLED: near} if len(near) == 1 else {}
    possible = [one for one in slots if not are_opposite(stray.name, one.name)]
    return {
        NAMED: [one for one in possible if _is_named(stray.name, one.name) and _says(stray, one)],
        DESCRIBED: [one for one in possible if _is_described(stray.name, one)],
        OPTION: [one for one in possible if _is_option(stray, one)],
        ONLY: [one for one in possible if _is_only(stray, one, slots, strays)],
    }


def _says(stray: Stray, slot: NodeSlot) -> bool:
    """Whether a name says what it is: `id` alone is no word for an id in the other part."""
    return bool(words(stray.name) - _VAGUE) or stray.steps[0] == slot.steps[0]


def _is_named(key: str, name: str) -> bool:
    return bool(is_meant(key, name) or containing(key, [name]) or longer_or_shorter(key, [name]))


def _is_described(key: str, slot: NodeSlot) -> bool:
    """Whether the description of a place has all words of a name."""
    given = words(key) - _VAGUE
    if not given or max(map(len, given)) < _LEAST:
        return False
    # A bound or a unit of the name says another thing than one in a sentence.
    if words(key) & words(" ".join(CHANGING)) - words(slot.name):
        return False
    return given <= words(slot.description) | words(slot.name)


def _is_option(stray: Stray, slot: NodeSlot) -> bool:
    """Whether a value is an option of a place, and its name says nothing else: `kind`, `style`.

    `response_type: json` is not the type of the body that is sent.
    """
    options = slot.schema.get("enum")
    if not isinstance(stray.value, str) or not isinstance(options, list):
        return False
    told = words(stray.name) - _VAGUE - words(slot.name) - words(slot.description)
    return stray.value in options and not told - _MANNER


def _is_only(
    stray: Stray, slot: NodeSlot, slots: Sequence[NodeSlot], strays: Sequence[Stray]
) -> bool:
    """Whether one object has exactly one name that it does not know, beside where it lacks one."""
    owner = stray.steps[:-1]
    if slot.steps[:-1] != owner or [one for one in strays if one.steps[:-1] == owner] != [stray]:
        return False
    if says_when(stray.name) or is_decoration(stray.name):
        return False
    if len(slot.steps) > 2:
        return True  # which of them is missing, the check of the whole shows
    # In the settings themselves, many names are possible: only a list or an object says enough.
    needed = [one for one in slots if one.is_required and one.steps[:-1] == owner]
    return needed == [slot] and isinstance(stray.value, list | dict)
