"""Words that say the opposite of each other: neither is a misspelling of the other."""

from functools import cache

from toolweave.patterns import pattern

_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NEGATIONS = frozenset(
    {"no", "not", "non", "without", "never", "except", "dont", "skip", "disable", "disabled"}
    | {"ignore", "exclude", "hide", "suppress", "omit", "prevent", "deny", "forbid", "off"}
)
_PREFIXES = ("un", "in", "im", "ir", "dis", "non", "no", "de", "not", "anti", "mis")
_PAIRS = (
    *("asc desc", "ascending descending", "increase decrease", "increasing decreasing"),
    *("min max", "minimum maximum", "internal external", "inbound outbound", "import export"),
    *("encode decode", "encrypt decrypt", "include exclude", "before after", "first last"),
    *("upload download", "start end", "start stop", "open close", "read write", "send receive"),
    *("public private", "enable disable", "enabled disabled", "allow deny", "accept reject"),
    *("left right", "top bottom", "upper lower", "next previous", "source target", "old new"),
    *("prepend append", "inner outer", "push pull", "lock unlock", "show hide", "add remove"),
    *("attach detach", "join split", "head tail", "in out", "input output", "up down"),
    *("sender receiver", "create delete", "subscribe unsubscribe", "pack unpack", "on off"),
)


@cache
def _opposites() -> frozenset[frozenset[str]]:
    return frozenset(frozenset(one.split()) for one in _PAIRS)


def are_opposite(one: str, other: str) -> bool:
    """Whether two names differ by a negation or by words that are opposites."""
    first = [word.lower() for word in _WORD.findall(one)]
    second = [word.lower() for word in _WORD.findall(other)]
    if bool(_NEGATIONS & {*first}) != bool(_NEGATIONS & {*second}):
        return True
    mine = [word for word in first if word not in second]
    theirs = [word for word in second if word not in first]
    if len(mine) != 1 or len(theirs) != 1:
        return False
    short, long = sorted((mine[0], theirs[0]), key=len)
    is_negated = len(short) > 3 and any(long == prefix + short for prefix in _PREFIXES)
    return is_negated or frozenset((short, long)) in _opposites()
