"""What a word looks like, such as a path or a version, and what a parameter takes."""

from toolweave.assistant.extraction.english import classes
from toolweave.assistant.extraction.tokens import name_parts
from toolweave.patterns import pattern

_SHAPES = {
    "email": pattern(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "url": pattern(r"[a-zA-Z][\w+.-]*://\S+"),
    "version": pattern(r"[vV]?\d+(?:\.\d+)+(?:-[\w.]+)?|[vV]\d+"),
    "ip": pattern(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d+)?|[0-9a-fA-F]*(?::[0-9a-fA-F]*){2,}"),
    "domain": pattern(r"(?:[a-zA-Z0-9_*-]+\.)+[a-zA-Z]{2,}"),
    "path": pattern(
        r"(?:~|\.{1,2})?/[^\s:]*|[A-Za-z]:[\\/]\S*|[\w.@-]+(?:/[\w.@*-]+)+/?|\S+\.[A-Za-z]\w{0,4}"
    ),
    "code": pattern(r"(?=\S*\d)\w+(?:[-_.#:]\w+)*|[A-Z]{2,}(?:[-_]\w+)*"),
    "handle": pattern(r"[@#][\w.-]+"),
}
# A form that only one class has, and the classes that a more exact one rules out.
_EXACT = ("email", "url", "ip", "version")


def classes_of(text: str) -> frozenset[str]:
    """Return what a word may be."""
    for name in _EXACT:
        if _SHAPES[name].fullmatch(text):
            return frozenset({name, "code"} if name == "version" else {name})
    return frozenset(name for name, shape in _SHAPES.items() if shape.fullmatch(text))


def expected_classes(name: str, description: str) -> frozenset[str]:
    """Return what a parameter takes by its own words: a path for `output_file`."""
    known = classes()
    parts = name_parts(name)
    for word in reversed(parts):
        if word in known:
            return known[word]
    words = (word.strip(".,;:()").lower() for word in description.split())
    first = next((word for word in words if word in known), "")
    return known.get(first, frozenset())
