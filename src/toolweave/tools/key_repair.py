"""Which free name of an object an unknown key means, by words and by the value it has. Pure."""

from collections.abc import Iterable, Iterator

from toolweave.json_text import Json, JsonObject
from toolweave.tools.key_meaning import (
    containing,
    distinctive,
    is_credential,
    is_decoration,
    renamed,
    reordered,
    says_when,
    shares_word,
    shortened,
    switches_meant,
)
from toolweave.tools.meaning import is_another_form, mentioned, plain_word
from toolweave.tools.misspelling import misspelt
from toolweave.tools.name_words import alike, with_noise, words_in
from toolweave.tools.opposites import are_opposite
from toolweave.tools.other_names import Names, names_of
from toolweave.tools.violations import Explainer, Violation

MAX_COMPARED = 100
# Settings that every node has.
_COMMON = frozenset({"timeout"})
# What a memory keeps, by the words of other systems.
_KEPT = "document item record entry vector chunk text embedding point row data message"
# Words for a time limit, and those that only say that it is one.
_LIMITS = _COMMON | {"deadline", "expiry", "expiration", "expires", "ttl"}
_TIMES = _LIMITS | {"time", "duration", "second", "seconds", "sec", "minutes", "expire"}
_PLAIN_LIMIT = _COMMON | {"time", "limit", "out", "max", "maximum", "second", "seconds", "sec", "s"}


def related_keys(
    name: str, given: JsonObject, strange: list[str], known: JsonObject, explainer: Explainer
) -> list[str]:
    """The only unknown key with a word of a missing name, where its value fits no free name else.

    Of the free names, no other one may share a word with it.
    """
    free = [one for one in known if one not in given and one != name]
    found = [
        key
        for key in strange[:MAX_COMPARED]
        if shares_word(key, name)
        and takes(explainer, known.get(name, True), given[key])
        and not are_opposite(key, name)
        and not any(shares_word(key, one) for one in free)
    ]
    return found if len(found) == 1 else []


def only_place(
    name: str, given: JsonObject, strange: list[str], known: JsonObject, explainer: Explainer
) -> list[str]:
    """The only unknown key, where a missing name is the only one that is left to be set.

    The type of the name must accept its value, and not any value.
    """
    free = [one for one in known if one not in given]
    schema = known.get(name)
    if len(strange) != 1 or free != [name] or not isinstance(schema, dict):
        return []
    is_clear = "type" in schema and not says_when(strange[0]) and not is_decoration(strange[0])
    fits = takes(explainer, schema, given[strange[0]]) and not are_opposite(strange[0], name)
    return strange if is_clear and fits else []


def takes(explainer: Explainer, schema: Json, value: Json) -> bool:
    """Whether a schema accepts a value; a lone template may become anything."""
    is_template = isinstance(value, str) and value.startswith("{{") and value.endswith("}}")
    return is_template or explainer.fits(schema, value)


def required_in(schema: JsonObject) -> list[str]:
    """The names that a schema requires."""
    required = schema.get("required")
    return [one for one in required if isinstance(one, str)] if isinstance(required, list) else []


def only_values(schema: Json, explainer: Explainer) -> Iterator[Json]:
    """Return the default or the only possible values of a missing property."""
    for one in explainer.within(schema):
        options = one.get("enum")
        only = options if isinstance(options, list) and len(options) == 1 else []
        for value in [one[key] for key in ("const", "default") if key in one] + only:
            if explainer.fits(schema, value):
                yield value


def only_fitting(
    wrong: str, value: Json, known: JsonObject, free: list[str], explainer: Explainer
) -> str | None:
    """Return the only free name that means the same and accepts the value."""

    def fitting(names: Iterable[str]) -> list[str]:
        return [
            name
            for name in names
            if not _is_deprecated(known.get(name))
            and takes(explainer, known.get(name, True), value)
        ]

    if found := fitting(reordered(wrong, free)):
        return found[0] if len(found) == 1 else None  # the same words
    if named := other_names(wrong, known, explainer):
        found = fitting(one for one in named if one in free) if len(named) == 1 else []
        is_limit = named[0] in _COMMON and _has_own_limit(wrong, free)
        return found[0] if found and not is_limit else None
    about = node_of(explainer)
    found = (
        fitting(switches_meant(wrong, [one for one in free if _is_switch(known.get(one))]))
        or fitting(one for one in distinctive(wrong, known) if one in free)
        or fitting(renamed(wrong, free))
        or fitting(alike(wrong, free, about))
    )
    for similar in () if found else (containing, shortened):
        if len(others := fitting(similar(wrong, free))) == 1:
            return others[0]
    if not found and is_credential(wrong):
        found = [name for name in fitting(free) if _is_secret(known.get(name))]
    if len(found) != 1:
        return None
    is_limit = found[0] in _COMMON
    if is_limit and (_has_own_limit(wrong, free) or not _says_time(wrong)):
        return None  # one of its own, or of something else than time
    return found[0]


def other_names(wrong: str, known: JsonObject, explainer: Explainer) -> tuple[str, ...]:
    """The settings of a node that other systems call so, or the members of an object in one.

    Several if it is not certain. The settings of the part in which the name stands come before
    those of the other part.
    """
    ref, root = node_of(explainer), explainer.root
    if not ref or not isinstance(root, dict):
        return ()
    if known.keys() != explainer.properties(root).keys():
        return tuple(one for one in names_of(ref).members.meant(wrong) if one in known)
    settings = names_of(ref).settings
    if plain_word(wrong) not in settings.exact and (own := with_noise(wrong, known)):
        return own
    named = settings.meant(wrong, ref)
    return tuple(one for one in named if one in known) or named


def other_options(
    fault: Violation, text: str, options: list[str], explainer: Explainer
) -> list[str]:
    """The options of a node's setting that other systems call so, or that the text names."""
    # The setting itself or an item of its list, or a member: `role_config.action`.
    ref, name = node_of(explainer), ".".join(one for one in fault.path if isinstance(one, str))
    names = names_of(ref).options.get(name, Names()) if ref else Names()
    exact = [one for one in names.exact.get(plain_word(text), ()) if one in options]
    if exact:
        return exact
    if not is_another_form(text, options) and (both := mentioned(text, options)):
        return both
    # `add_documents` of a memory is `add`, whatever it calls what it keeps.
    about = f"{ref} {name} {_KEPT}" if ref.startswith("MEMORY.") else f"{ref} {name}"
    found = names.meant(text, about) or names.phrased(text)
    return [one for one in found if one in options]


def is_member(name: str, explainer: Explainer) -> bool:
    """Whether an object in another place of the whole has a member of this name."""
    root = explainer.root
    outer = explainer.properties(root) if isinstance(root, dict) else {}
    inner = (explainer.properties(one) for one in outer.values() if isinstance(one, dict))
    return name in outer or any(name in one for one in inner)


def node_of(explainer: Explainer) -> str:
    ref = explainer.root.get("x-node") if isinstance(explainer.root, dict) else None
    return ref if isinstance(ref, str) else ""


def _has_own_limit(wrong: str, free: list[str]) -> bool:
    """Whether a node has a time limit of its own that `timeout` with another word may mean."""
    limits = _COMMON if {*words_in(wrong)} <= _PLAIN_LIMIT else _LIMITS
    return any(limits & {*words_in(name)} for name in free if name not in _COMMON)


def _says_time(wrong: str) -> bool:
    """Whether a name is about time: `limit` alone may be a number of anything."""
    given = {*words_in(wrong)}
    return bool(given & _TIMES) or misspelt(wrong, _COMMON) is not None


def _is_switch(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "boolean"


def _is_secret(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("writeOnly") is True


def _is_deprecated(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("deprecated") is True
