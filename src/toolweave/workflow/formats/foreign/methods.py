"""Methods whose CEL depends on the kinds of the values, or that CEL has only for some."""

from toolweave.workflow.formats.foreign.cel_piece import LEVELS, POSTFIX, CelPiece, shaped
from toolweave.workflow.formats.foreign.source_language import SourceLanguage
from toolweave.workflow.formats.foreign.tree import Constant, NotReadable, Sign, Tree
from toolweave.workflow.shapes import UNKNOWN, look_up

LOWER = frozenset({"tolowercase", "lower", "tolower", "downcase", "lowercase", "lcase"})
UPPER = frozenset({"touppercase", "upper", "toupper", "upcase", "uppercase", "ucase"})


def whole_number(tree: Tree) -> int | None:
    """The whole number that is written; None for anything else."""
    match tree:
        case Constant(text=None, cel=digits) if digits.isdigit():
            return int(digits)
        case Sign(sign="-", of=Constant(text=None, cel=digits)) if digits.isdigit():
            return -int(digits)
        case _:
            return None


def changed_case(of: CelPiece, name: str) -> CelPiece:
    """The text in small or large letters; CEL changes those of ASCII only."""
    method = "lowerAscii" if name in LOWER else "upperAscii"
    return CelPiece(f"{of.inside(POSTFIX)}.{method}()", sort="text")


def item_at(of: CelPiece, index: int) -> CelPiece:
    """An item of a list, from its end if the index is negative."""
    if of.sort == "text":
        raise NotReadable
    base = of.inside(POSTFIX)
    shape = look_up(of.shape, 0).shape if of.sort == "list" else UNKNOWN
    place = str(index) if index >= 0 else f"size({of.text}) - {-index}"
    return shaped(f"{base}[{place}]", shape, may_miss=True, optional=f"{base}[?{place}]")


def part(of: CelPiece, start: int, end: int | None) -> CelPiece:
    """Some characters of a text; places behind its end are its end, negative ones count from it."""
    if of.sort != "text":
        raise NotReadable  # CEL has it for texts only
    if start == 0 and end is None:
        return of
    size = f"size({of.text})"
    first = _place(start, size)
    if end is None:
        return CelPiece(f"{of.inside(POSTFIX)}.substring({first})", sort="text")
    if start != 0 and not 0 <= start <= end:
        raise NotReadable
    return CelPiece(f"{of.inside(POSTFIX)}.substring({first}, {_place(end, size)})", sort="text")


def _place(place: int, size: str) -> str:
    if place == 0:
        return "0"
    return f"math.least({place}, {size})" if place > 0 else f"math.greatest(0, {size} - {-place})"


def joined_list(of: CelPiece, separator: str) -> CelPiece:
    """The items of a list in one text."""
    base = of.inside(POSTFIX)
    items = shaped("", of.shape.items or UNKNOWN)
    if items.sort == "whole":
        return CelPiece(f"{base}.map(x, string(x)).join({separator})", sort="text")
    if of.sort not in {"list", "any"} or items.sort not in {"text", "any"}:
        raise NotReadable
    return CelPiece(f"{base}.join({separator})", sort="text")


def replaced(of: CelPiece, values: list[CelPiece], language: SourceLanguage) -> CelPiece:
    """A text with another part; JavaScript replaces the first only, and gives `$` a meaning."""
    old, new = values
    given = f"{old.text}, {new.text}"
    if language == "javascript":
        if not new.text.startswith(("'", '"')) or "$" in new.text:
            raise NotReadable
        given += ", 1"
    return CelPiece(f"{of.inside(POSTFIX)}.replace({given})", sort="text")


def keys_of(of: CelPiece) -> CelPiece:
    """The names of the fields of an object."""
    if of.sort != "map":
        raise NotReadable  # those of a list would be its places
    return CelPiece(f"{of.inside(POSTFIX)}.map(key, key)", sort="list")


def fixed(of: CelPiece, digits: int | None, language: SourceLanguage) -> CelPiece:
    """A number with digits behind the point; JavaScript rounds halves otherwise than CEL."""
    is_same = language == "python" or of.sort == "whole"
    if digits is None or digits < 0 or not is_same or of.sort not in _NUMBERS | {"any"}:
        raise NotReadable
    return CelPiece(f"'%.{digits}f'.format([{of.text}])", sort="text")


def placed(of: CelPiece, plain: str, numbers: list[int | None]) -> CelPiece:
    """Methods with places in a list or a text, which must be written as numbers."""
    match plain, numbers:
        case "at", [int() as index]:
            return item_at(of, index)
        case "slice" | "substring", [int() as start]:
            return part(of, max(start, 0) if plain == "substring" else start, None)
        case "slice", [int() as start, int() as end]:
            return part(of, start, end)
        case "substring", [int() as start, int() as end] if 0 <= start <= end:
            return part(of, start, end)
        case "charat", [0]:
            return CelPiece(f"{of.inside(POSTFIX)}.charAt(0)", sort="text")
        case "tofixed", [digits]:
            return fixed(of, digits, "javascript")
        case "tofixed", []:
            return fixed(of, 0, "javascript")
        case _:
            raise NotReadable


def joined(of: CelPiece, values: list[CelPiece], language: SourceLanguage) -> CelPiece:
    """`list.join(', ')` of JavaScript, `', '.join(list)` of Python."""
    match values:
        case [one] if of.text[:1] in {"'", '"'} and language == "python":
            return joined_list(one, of.text)
        case [separator]:
            return joined_list(of, separator.text)
        case []:
            return joined_list(of, "','")
        case _:
            raise NotReadable


def by_kind(
    of: CelPiece, plain: str, values: list[CelPiece], language: SourceLanguage
) -> CelPiece | None:
    """Methods that CEL has for some kinds only; None for others."""
    match plain, values:
        case "replace", [_, _]:
            return replaced(of, values, language)
        case "split", [separator] if separator.text in {"''", '""'}:
            raise NotReadable
        case "indexof" | "lastindexof" | "find", [_] if of.sort in {"list", "any"}:
            raise NotReadable
        case "find", [part_of]:
            return CelPiece(f"{of.inside(POSTFIX)}.indexOf({part_of.text})", sort="whole")
        case "keys", []:
            return keys_of(of)
        case "concat", [other] if of.sort == other.sort == "list":
            text = f"{of.inside(POSTFIX)} + {other.inside(POSTFIX)}"
            return CelPiece(text, LEVELS["+"], "list")
        case _:
            return None


PLACED = frozenset({"at", "slice", "substring", "charat", "tofixed"})
_NUMBERS = frozenset({"whole", "number", "decimal"})
