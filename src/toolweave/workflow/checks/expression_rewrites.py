"""Other writings of an expression that is not CEL, of which a repair takes the one that works.

Not a check. Each rewrite keeps the meaning; whether its result can be read, and whether all of its
names exist, is for the caller to find out. Where two different results work, none is taken.
"""

import re
from collections.abc import Iterator

from toolweave.cel.paths import quoted
from toolweave.cel.tokens import is_name, tokens
from toolweave.patterns import pattern

MAX_LENGTH = 2_000
MAX_REWRITES = 60
# `{{#if x}}`, `{{/if}}`, `{{> part}}`: blocks of other systems, which are no expressions.
_BLOCK = pattern(r"\s*(?:[#/>^%]|!(?![\w(]))")
# `a // b` is a division or a default: what follows would become a comment.
_COMMENT = pattern(r"[\w\])'\"]\s*//")
_WRAPPED = pattern(
    r"(?:while|if|when|where|return|assert|eval|expr|expression|cel|js|filter|condition)"
    r"\s*\((?P<inner>.*)\)\s*(?:\{\s*\}|then|do|:)?\s*;?",
    re.DOTALL | re.IGNORECASE,
)
_LED = pattern(
    r"(?:while|if|when|where|return|assert|await|only if|expr:|cel:|js:|python:|condition:)\s+"
    r"(?P<inner>.+?)\s*(?:then|do|:|;)?",
    re.DOTALL | re.IGNORECASE,
)
# `{{- x -}}` and `{{~ x ~}}` take away the space around them.
_TRIMMED = pattern(r"(?:[-~]\s+)?(?P<inner>[^-~\s].*?)(?:\s+[-~])?", re.DOTALL)
_QUOTED_KEY = pattern(r"(?<=[\w\])])\.\s*('[^']*'|\"[^\"]*\")")
_HAS_TEXT = pattern(r"\bhas\(\s*(['\"])([A-Za-z_][\w.]*)\1\s*\)")
_MACRO = pattern(r"\.(filter|map|all|exists|exists_one)\(\s*(?![A-Za-z_]\w*\s*,)([A-Za-z_]\w*)\.")
_MODULE = pattern(
    r"\bre\.(?:match|search|fullmatch|test)\(\s*(?:r?)(?P<pattern>'[^']*'|\"[^\"]*\")\s*,\s*"
    r"(?P<text>[^(),]+(?:\[[^\]]*\])?)\s*\)"
)
_TEST = pattern(r"/(?P<pattern>[^/\s]+)/\.test\(\s*(?P<text>[^()]+)\)")
_STEP = pattern(r"\.\$\w+")
# `x.empty?` of Ruby.
_PREDICATE = pattern(r"\.(empty|blank|any|present|include|nil|none|zero)\?(?P<call>\s*\()?")
_HAS_KEY = pattern(r"\bhas\(\s*([A-Za-z_][\w.]*)\[\s*(['\"])([^'\"]+)\2\s*\]\s*\)")
_MOMENT = pattern(
    r"(?<!['\"\w-])(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))(?!['\"\w])"
)
_POINT_TWICE = pattern(r"(?<!\.)\.\.(?!\.)")
_BRACKETS = pattern(r"[\[({]")
_TWICE = pattern(r"(&&|\|\||==|!=|>=|<=|\+)\s*\1(?!=)")
_STEPPED = pattern(r"::\s*-?\d|\[[^\]'\"]*::")
_COLONS = pattern(r"(?<=[\w\])])[:#](?=[A-Za-z_])")
_BRACED = pattern(r"[$#%@]\{(?P<inner>[^{}]*)\}|[$#%@]\((?P<round>.*)\)", re.DOTALL)
# `${data.total} > 5` of a shell.
_BRACED_PATHS = pattern(r"[$#%@]\{\s*([A-Za-z_]\w*(?:\.\w+|\[\d+\])*)\s*\}(?!['\"])")
_ARROW = pattern(r"^\(\s*\)\s*[=-]>\s*(?!.*(?:[=-]>|\bfunction\b))")
_DOLLAR = pattern(r"(?<![\w.'\"])\$(?=[A-Za-z_]\w*[.(\[])")
_QUOTED_ROOT = pattern(r"(?<![\w.\])])['\"]([A-Za-z_]\w*)['\"]\.(?=[A-Za-z_])")
# Lists as other languages make them, and questions whether something is in one.
_LISTS = pattern(
    r"\b(?:set|list|array|tuple|listOf|setOf|Arrays\.asList)\(([^()\[\]]*,[^()\[\]]*)\)",
    re.IGNORECASE,
)
# `in_array('a', tags)` of PHP, `array_contains(tags, 'a')` of SQL.
_IN_ARRAY = pattern(
    r"\bin_?array\(\s*(?P<item>[^(),]+?)\s*,\s*(?P<list>[^(),]+?)\s*(?:,\s*true\s*)?\)",
    re.IGNORECASE,
)
_ARRAY_HAS = pattern(
    r"\b(?:array|list)_?(?:contains|has|includes)\(\s*(?P<list>[^(),]+?)\s*,\s*(?P<item>[^(),]+?)\s*\)",
    re.IGNORECASE,
)
# `tags.indexOf('a') >= 0` of a list, which has no such method here.
_INDEX_OF = pattern(
    r"(?P<list>[A-Za-z_][\w.]*)\.indexOf\((?P<item>[^()]+)\)\s*(?:>=\s*0|>\s*-1|!==?\s*-1)"
)
_NO_INDEX_OF = pattern(
    r"(?P<list>[A-Za-z_][\w.]*)\.indexOf\((?P<item>[^()]+)\)\s*(?:<\s*0|===?\s*-1)"
)
_NO_CASE = pattern(
    r"(?P<text>[A-Za-z_][\w.\[\]]*)\s+ILIKE\s+'(?P<before>%?)(?P<part>[^%_']+)(?P<after>%?)'",
    re.IGNORECASE,
)
# `total >= 1 and <= 5`
_RANGE = pattern(
    r"(?P<left>[A-Za-z_][\w.\[\]]*)\s*(?P<first>[<>]=?\s*-?\d+(?:\.\d+)?)\s*(?:&&|and|AND)\s*"
    r"(?P<second>[<>]=?\s*-?\d+(?:\.\d+)?)"
)
_THOUSANDS = pattern(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+)(?=\.\d|(?![\w,]))")
_FIRST = pattern(r"\.first\(\)(?=\.|\s*[=<>!+*/-])")
_LAST = pattern(r"(?P<list>[A-Za-z_][\w.]*)\.last\(\)(?=\.|\s*[=<>!+*/-])")
_IN_CALL = pattern(
    r"\.(?:in|isIn|is_in|oneOf|one_of|isOneOf)\(\s*(?P<items>[^()]*?)\s*\)", re.IGNORECASE
)
_NO_COMMA = pattern(r"('[^']*'|\"[^\"]*\")\s+(?=['\"])")
_HALF = pattern(r"((?P<left>[A-Za-z_][\w.\[\]]*)\s*==\s*(?:'[^']*'|\"[^\"]*\"|\d+))\s*\|\|\s*==\s*")
# `'a' . b` of PHP.
_POINTS = pattern(r"(?<=['\"])\s*\.\s+(?=[A-Za-z_'\"$])|(?<=[\w\])])\s+\.\s*(?=['\"])")
_HYPHENS = pattern(r"\.([A-Za-z_]\w*(?:-[A-Za-z_]\w*)+)(?![\w(])")
_CHAIN = pattern(
    r"(?P<left>[A-Za-z_][\w.\[\]'\"]*)\s*==\s*(?P<first>'[^']*'|\"[^\"]*\"|\d+)"
    r"(?P<rest>(?:\s*\|\|\s*(?:'[^']*'|\"[^\"]*\"|\d+)(?!\s*[=<>!.\[]))+)"
)
_JOINED = pattern(r"(?:'[^']*'|\"[^\"]*\")\s*\|\|")
_IN_TEXT = pattern(
    r"(?P<part>'[^']*'|\"[^\"]*\"|[A-Za-z_][\w.]*)\s+in\s+"
    r"(?P<whole>[A-Za-z_][\w.]*(?:\[[^\]]*\][\w.]*)*)"
)
# `days[0.rain`
_OPEN_INDEX = pattern(r"\[\s*(\d+)(?=\.[A-Za-z_]|\s*(?:[=<>!&|+*/)-]|$))")
_QUOTED_NUMBER = pattern(r"(?<=[<>=] )['\"](-?\d+(?:\.\d+)?)['\"]")
# `20 €`: a unit after a number, which has nothing to do with an expression.
_UNITS = pattern(r"(?<=\d)\s*(?:°[CFK]?|€|£|\$)(?=\s*(?:&&|\|\||[)\],?:]|$))")
_QUOTED_TRUTH = pattern(r"(^|&&\s*|\|\|\s*|!\s*)(['\"])(true|false)\2(?=\s*(?:&&|\|\||\)|$))")
# `amount = facts.amount` gives a name to a value.
_ASSIGNMENT = pattern(
    r"\s*(?:(?:let|const|var)\s+)?[A-Za-z_]\w*\s*:?=(?![=~>])\s*"
    r"(?!\s*(?:'[^']*'|\"[^\"]*\"|-?\d+(?:\.\d+)?|true|false|null|True|False|None)\s*;?\s*$).+",
    re.DOTALL,
)
_SIGNS: tuple[tuple[str, str], ...] = (
    ("~=", "!="),
    ("/=", "!="),
    ("^=", "!="),
    (":=", "=="),
    ("=!", "!="),
    ("≠", "!="),
    ("<>", "!="),
    ("≤", "<="),
    ("≥", ">="),
    ("=<", "<="),
    ("=>", ">="),
    ("->", "."),
    ("::", "."),
    (".[", "["),
    ("!.", "."),
    ("\\'", "'"),
    ('\\"', '"'),
    ("∧", "&&"),
    ("\N{LOGICAL OR}", "||"),
    ("¬", "!"),
    ("\N{MULTIPLICATION SIGN}", "*"),
    ("÷", "/"),
    ("\N{MINUS SIGN}", "-"),
    ("\N{EN DASH}", "-"),
    ("^", "!"),
)


def is_assignment(text: str) -> bool:
    """Whether a text gives a plain name to what is no constant, rather than comparing it."""
    return "=" in text and _ASSIGNMENT.fullmatch(text) is not None


def rewrites(text: str) -> Iterator[str]:
    """Return the text in other writings, each one thing changed, then two."""
    if len(text) > MAX_LENGTH or _BLOCK.match(text) or _COMMENT.search(text):
        return
    seen = {text}
    level = [text]
    for _ in range(2):
        found: list[str] = []
        for one in level:
            for changed in _rewritten(one):
                if changed and changed not in seen and len(seen) < MAX_REWRITES:
                    seen.add(changed)
                    found.append(changed)
                    yield changed
        level = found


def _rewritten(text: str) -> Iterator[str]:
    plain = text.strip()
    yield plain.lstrip("&@= ").strip()
    yield plain.rstrip(";,. ").strip()
    if (trimmed := _TRIMMED.fullmatch(plain)) is not None:
        yield trimmed["inner"]
    if (braced := _BRACED.fullmatch(plain)) is not None:
        yield (braced["inner"] or braced["round"] or "").strip()
    if "{" in plain and "`" not in plain:
        yield _BRACED_PATHS.sub(r"\1", plain)
    yield _ARROW.sub("", plain)
    yield _DOLLAR.sub("", plain)
    yield _QUOTED_ROOT.sub(r"\1.", plain)
    yield from _of_lists(plain)
    for wrapper in (_WRAPPED, _LED):
        if (found := wrapper.fullmatch(plain)) is not None:
            yield found["inner"].strip()
    for wrong, right in _SIGNS:
        # `rows[::2]` is a part of a list.
        if wrong in plain and not (wrong == "::" and _STEPPED.search(plain)):
            yield _outside_quotes(plain, wrong, right)
    # `'a' .. b` of Lua joins texts.
    yield _POINT_TWICE.sub("+" if " .. " in plain else ".", plain)
    yield _QUOTED_KEY.sub(r"[\1]", plain)
    yield _HAS_TEXT.sub(r"has(\2)", plain)
    yield _MACRO.sub(r".\1(\2, \2.", plain)
    yield _MODULE.sub(r"\g<text>.matches(\g<pattern>)", plain)
    yield _TEST.sub(r"\g<text>.matches('\g<pattern>')", plain)
    yield _STEP.sub("", plain)
    yield _PREDICATE.sub(lambda match: f".{match[1]}" + (match["call"] or "()"), plain)
    yield _HAS_KEY.sub(_has_key, plain)
    yield _MOMENT.sub(r"timestamp('\1')", plain)
    yield _POINTS.sub(" + ", plain)
    yield _TWICE.sub(r"\1", plain)
    yield _UNITS.sub("", plain)
    if "?" not in plain:
        yield _COLONS.sub(".", plain)
    if plain.startswith("(") and _closing(plain) == len(plain) - 1:
        yield plain[1:-1].strip()
    yield from _balanced(plain)


def _of_lists(plain: str) -> Iterator[str]:
    """The text with lists, patterns and bounds as CEL writes them."""
    yield _LISTS.sub(r"[\1]", plain)
    yield _IN_CALL.sub(_membership, plain)
    yield _IN_ARRAY.sub(r"\g<item> in \g<list>", plain)
    yield _ARRAY_HAS.sub(r"\g<item> in \g<list>", plain)
    yield _NO_CASE.sub(_contained, plain)
    yield _RANGE.sub(r"\g<left> \g<first> && \g<left> \g<second>", plain)
    if not _BRACKETS.search(plain):
        yield _THOUSANDS.sub(lambda match: match[1].replace(",", ""), plain)
    yield _NO_COMMA.sub(r"\1, ", plain)
    yield _HALF.sub(r"\g<1> || \g<left> == ", plain)


def _membership(match: re.Match[str]) -> str:
    items = match["items"]
    return f" in {items}" if items.startswith("[") else f" in [{items}]"


def _contained(match: re.Match[str]) -> str:
    """What a pattern of SQL with `%` at its ends asks for, whatever the case of the letters."""
    method = {"%%": "contains", "%": "startsWith" if match["after"] else "endsWith"}
    text, part = f"{match['text']}.lowerAscii()", quoted(match["part"].lower())
    name = method.get(match["before"] + match["after"])
    return f"{text}.{name}({part})" if name else f"{text} == {part}"


def _has_key(match: re.Match[str]) -> str:
    owner, key = match[1], match[3]
    return f"has({owner}.{key})" if is_name(key) else f"{quoted(key)} in {owner}"


def with_quoted_keys(text: str) -> str | None:
    """`x['content-type']` for `x.content-type`, which is a difference; None without such a key."""
    changed = _HYPHENS.sub(lambda match: f"[{quoted(match[1])}]", text)
    return changed if changed != text else None


def _compared_each(match: re.Match[str]) -> str:
    """`x == 'a' || x == 'b'` for `x == 'a' || 'b'`."""
    others = re.findall(r"'[^']*'|\"[^\"]*\"|\d+", match["rest"])
    return " || ".join(f"{match['left']} == {one}" for one in (match["first"], *others))


def _outside_quotes(text: str, wrong: str, right: str) -> str:
    parts = re.split(r"('[^']*'|\"[^\"]*\")", text) if wrong[0] != "\\" else [text]
    return "".join(one if at % 2 else one.replace(wrong, right) for at, one in enumerate(parts))


def _closing(text: str) -> int:
    """The place of the bracket that closes the first one; -1 if none does."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return at
    return -1


def _balanced(text: str) -> Iterator[str]:
    """The text without a bracket that nothing opens, or with one that is missing at the end."""
    for opening, closing in ("()", "[]"):
        missing = text.count(opening) - text.count(closing)
        if missing == 1:
            if opening == "[":
                yield _OPEN_INDEX.sub(r"[\1]", text, count=1)
            yield text + closing
        elif missing == -1:
            places = [at for at, sign in enumerate(text) if sign == closing]
            yield from (text[:at] + text[at + 1 :] for at in reversed(places))


def retyped(text: str) -> Iterator[str]:
    """Return an expression of wrong types as it may be meant: compared each, or contained."""
    yield _CHAIN.sub(_compared_each, text)
    yield _INDEX_OF.sub(r"\g<item> in \g<list>", text)
    yield _NO_INDEX_OF.sub(r"!(\g<item> in \g<list>)", text)
    yield _FIRST.sub("[0]", text)
    yield _LAST.sub(r"\g<list>[size(\g<list>) - 1]", text)
    if (keyed := with_quoted_keys(text)) is not None:
        yield keyed
    if "==" not in text and _JOINED.search(text):
        yield _outside_quotes(text, "||", "+")  # `'a' || b` of SQL; `b || 'a'` is a default
    yield _QUOTED_NUMBER.sub(r"\1", text)
    yield _QUOTED_TRUTH.sub(r"\1\3", text)
    yield _IN_TEXT.sub(lambda match: f"{match['whole']}.contains({match['part']})", text)


def with_quoted_words(text: str, words: set[str]) -> str | None:
    """Put words that are no names into quotes where a text is compared or listed; None if not."""
    if "type(" in text:
        return None  # `type(x) == str`
    found = list(tokens(text))
    changed = text
    for at in reversed(range(len(found))):
        word = found[at]
        if word.text not in words:
            continue
        before = found[at - 1].text if at else ""
        after = found[at + 1].text if at + 1 < len(found) else ""
        if after in {".", "(", "["} or before in {".", ".?"}:
            return None
        if not ({before, after} & {"==", "!=", ",", "["} or after == "]"):
            return None
        changed = f"{changed[: word.at]}'{word.text}'{changed[word.end :]}"
    return changed if changed != text else None
