"""Random expressions of JavaScript, Python and Jinja, from the operations that authors use.

The forms have `{text}`, `{number}` and so on where another expression of that kind stands. They are
not only those that are translated: what has no exact equivalent must be refused.
"""

import re
from random import Random

from tests.workflow.formats.equivalence.comparison import LanguageName
from tests.workflow.formats.equivalence.javascript_forms import JAVASCRIPT

_Forms = dict[str, tuple[str, ...]]
_HOLE = re.compile(r"\{(text|number|bool|texts|numbers|items|any)\}")

_PLAIN: _Forms = {
    "text": (
        *("trigger.name", "trigger.email", "trigger.text", "trigger.nick", "trigger.maybe"),
        *("trigger.user.name", "trigger.user.address.city", "'vip'", "''", "'A b'"),
        *("trigger.tags[0]", "trigger.items[0].name", "trigger.meta.b"),
    ),
    "number": (
        *("trigger.n", "trigger.m", "trigger.price", "0", "1", "2", "10", "0.5", "-1", "-2.5"),
        *("trigger.nums[0]", "trigger.items[0].price", "trigger.items[0].qty"),
    ),
    "bool": ("trigger.active", "trigger.done", "trigger.items[0].active"),
    "texts": ("trigger.tags", "['a', 'vip']", "trigger.items[0].tags"),
    "numbers": ("trigger.nums", "trigger.prices", "[1, 2]"),
    "items": ("trigger.items",),
}
_COMMON: _Forms = {
    "number": (
        *("{number} + {number}", "{number} - {number}", "{number} * {number}"),
        *("{number} / {number}", "{number} % {number}", "-{number}", "({number} + {number})"),
        "({number} - {number}) / {number}",
    ),
    "bool": (
        *("{number} > {number}", "{number} <= {number}", "{number} == {number}"),
        *("{text} == {text}", "{text} != {text}", "{text} < {text}", "{bool} == {bool}"),
        *("{number} == {text}", "{text} == {bool}", "({bool})", "{number} != {number}"),
        *("{texts} == {texts}", "{number} % 2 == 0", "{number} >= 2"),
    ),
    "text": ("{text} + {text}", "({text} + {text})"),
    "any": ("{text}", "{number}", "{bool}", "{texts}", "{numbers}", "{any}"),
}
_PYTHON: _Forms = {
    "number": (
        *("len({text})", "len({texts})", "len({items})", "round({number})", "round({number}, 1)"),
        *("int({number})", "int({text})", "float({text})", "float({number})", "abs({number})"),
        *("max({number}, {number})", "min({number}, {number})", "max({numbers})", "sum({numbers})"),
        *("{number} // {number}", "{number} // 2", "{number} ** 2", "{number} or {number}"),
        *(
            "{number} if {bool} else {number}",
            "{numbers}[-1]",
            "{numbers}[0]",
            "{text}.find({text})",
        ),
        *("{text}.count('a')", "{texts}.count({text})", "sum(x.price for x in {items})"),
        *("sum(x.qty for x in {items} if x.active)", "len([x for x in {items} if x.active])"),
        *(
            "int({bool})",
            "{texts}.index({text})",
            "min({numbers}, default=0)",
            "{number} and {number}",
        ),
        *("next((x.price for x in {items} if x.active), 0)", "divmod({number}, 2)[0]"),
        *("trigger.get('n', 0)", "trigger.get('n') or {number}", "trigger['n']", "-{number} // 2"),
        *("math.floor({number})", "math.ceil({number})", "round({number} / 3, 2)"),
    ),
    "text": (
        *("{text}.lower()", "{text}.upper()", "{text}.strip()", "{text}[1:]", "{text}[:3]"),
        *(
            "{text}[-2:]",
            "{text}[1:-1]",
            "{text}[0]",
            "{text}[-1]",
            "{text}[::-1]",
            "{text}.title()",
        ),
        *("{text}.replace('a', 'b')", "{text}.replace('a', 'b', 1)", "{text}.split(',')[0]"),
        *("', '.join({texts})", "'-'.join(str(x) for x in {numbers})", "str({number})"),
        *(
            "str({bool})",
            "str({text})",
            'f"{{{text}}}-{{{number}}}"',
            'f"{{{number}:.2f}}"',
            "{text} * 2",
        ),
        *("{text} or {text}", "{text} and {text}", "{text} if {bool} else {text}"),
        *(
            "{text} if {text} else 'none'",
            "{text} + str({number})",
            "'{{}} {{}}'.format({text}, {number})",
        ),
        *(
            "'%s of %d' % ({text}, {number})",
            "{texts}[-1]",
            "{text}.capitalize()",
            "{text}.lstrip()",
        ),
        *(
            "trigger.get('nick', 'none')",
            "trigger.get('user', {{}}).get('name')",
            "trigger['name']",
        ),
        *(
            "trigger.get('nick') or {text}",
            "(trigger.get('maybe') or '').strip()",
            "{text}.zfill(5)",
        ),
        *("next((x.name for x in {items} if x.active), None)", "json.dumps({texts})"),
        *(
            "{text}.split()[0]",
            "{text}.split(' ', 1)[0]",
            'f"{{{bool}}}"',
            'f"{{{texts}}}"',
            "repr({text})",
        ),
        *("trigger.get('user', {{}}).get('address', {{}}).get('city', 'x')", "sorted({texts})[0]"),
        *(
            "{text}.format()",
            "{text} + {number}",
            "{text}.partition('@')[2]",
            "{text}.rsplit('@')[0]",
        ),
    ),
    "bool": (
        *("{bool} and {bool}", "{bool} or {bool}", "not {bool}", "not {text}", "not {number}"),
        *(
            "{text} and {bool}",
            "{number} and {bool}",
            "bool({text})",
            "bool({number})",
            "bool({texts})",
        ),
        *(
            "{text} in {texts}",
            "{text} not in {texts}",
            "{text} in {text}",
            "{number} in {numbers}",
        ),
        *(
            "{text}.startswith({text})",
            "{text}.endswith('x')",
            "{text} is None",
            "{text} is not None",
        ),
        *("{number} is None", "any(x == {text} for x in {texts})", "all(x for x in {texts})"),
        *(
            "any(x.price > {number} for x in {items})",
            "all(x.active for x in {items})",
            "any({texts})",
        ),
        *("0 < {number} < 10", "{number} <= {number} < {number}", "isinstance({text}, str)"),
        *("isinstance({number}, int)", "isinstance({number}, (int, float))", "len({texts}) > 0"),
        *(
            "re.search('a', {text}) is not None",
            "bool(re.match('\\\\d', {text}))",
            "'a' in trigger.meta",
        ),
        *("{text}.isdigit()", "{text}.lower() == 'ada'", "'d' in {text}.lower()", "{text} == None"),
        *("{bool} is True", "{bool} == True", "{number} == {bool}", "not ({bool} or {bool})"),
        *(
            "len({text}) > {number}",
            "{text} in ['a', 'vip']",
            "{text} in ('vip', 'b')",
            "{texts} == []",
        ),
        *(
            "trigger.get('active', False)",
            "not {texts}",
            "{number} % 2 == 1",
            "{number} in (1, 2, 3)",
        ),
        *("hasattr(trigger, 'nick')", "callable({text})", "{text} > {number}", "{text} >= {text}"),
    ),
    "texts": (
        *("[x for x in {texts} if x]", "[x.strip() for x in {texts}]", "[x.name for x in {items}]"),
        *("[x.upper() for x in {texts} if x != {text}]", "{text}.split(',')", "{text}.split()"),
        *(
            "[x.strip() for x in {text}.split(',')]",
            "sorted({texts})",
            "list({texts})",
            "{texts}[:2]",
        ),
        *(
            "{texts}[1:]",
            "{texts}[::-1]",
            "{texts} + [{text}]",
            "[*{texts}, {text}]",
            "list(set({texts}))",
        ),
        *("list(map(str, {numbers}))", "list(filter(None, {texts}))", "list(trigger.meta.keys())"),
        *(
            "list(map(lambda x: x.lower(), {texts}))",
            "[{text}, {text}]",
            "{texts} or []",
            "{texts} * 2",
        ),
        *("[x for x in trigger.meta]", "[x.name for x in {items} if x.price > {number}]"),
        *("sorted({texts}, key=len)", "list(reversed({texts}))", "[str(x) for x in {numbers}]"),
        "[x['name'] for x in {items}]",
    ),
    "numbers": (
        *("[x * {number} for x in {numbers}]", "[x for x in {numbers} if x > {number}]"),
        *("[x.price for x in {items}]", "[x.qty * x.price for x in {items}]", "sorted({numbers})"),
        *("sorted({numbers}, reverse=True)", "{numbers}[1:]", "[len(x) for x in {texts}]"),
        *("{numbers} + [{number}]", "list(range(3))", "[int(x) for x in {text}.split(',')]"),
    ),
    "items": (
        "[x for x in trigger.items if x.active]",
        "[i for i in trigger.items if i.qty >= {number}]",
    ),
    "any": (
        *("{{'name': {text}, 'n': {number}}}", "{items}", "{items}[0]", "trigger.meta.get('a')"),
        *(
            "trigger.get('meta', {{}})",
            "next(x for x in {items} if x.active)",
            "lambda trigger: {any}",
        ),
        *("{any} if {bool} else None", "{any} or None", "{{**trigger.meta, 'n': {number}}}"),
        *("trigger.get('nick')", "trigger.meta.get('a', {number})", "trigger.user.get('address')"),
    ),
}
_JINJA: _Forms = {
    "number": (
        *("{text} | length", "{texts} | length", "{items} | length", "{number} | round"),
        *(
            "{number} | round(1)",
            "{number} | int",
            "{text} | int",
            "{text} | float",
            "{number} | abs",
        ),
        *("{numbers} | sum", "{numbers} | max", "{numbers} | first", "{numbers} | last"),
        *("{number} // {number}", "{number} | default(0)", "{number} if {bool} else {number}"),
        *("{numbers}[-1]", "({number} + {number}) | abs", "{items} | sum(attribute='price')"),
        *(
            "{number} or {number}",
            "{items} | selectattr('active') | list | length",
            "{text} | count",
        ),
        *("{number} | default(1, true)", "{text} | int(0)", "{number} ** 2", "{text} | wordcount"),
    ),
    "text": (
        *(
            "{text} | upper",
            "{text} | lower",
            "{text} | trim",
            "{text} | title",
            "{text} | capitalize",
        ),
        *(
            "{text} | replace('a', 'b')",
            "{texts} | join(', ')",
            "{numbers} | join('-')",
            "{texts} | join",
        ),
        *(
            "{texts} | first",
            "{texts} | last",
            "{text} | default('none')",
            "{text} | default('x', true)",
        ),
        *(
            "{text} ~ {text}",
            "{text} ~ {number}",
            "{text} ~ {bool}",
            "{number} | string",
            "{bool} | string",
        ),
        *(
            "{text} if {bool} else {text}",
            "{text} if {text} else 'none'",
            "{text} or {text}",
            "{text}[:2]",
        ),
        *(
            "{text}[0]",
            "{text}.upper()",
            "{text}.split(',')[0]",
            "{text} | truncate(5)",
            "{text} | e",
        ),
        *(
            "{items} | map(attribute='name') | join(', ')",
            "{items}[0].name | upper",
            "{text} | reverse",
        ),
        *(
            "'%s!' | format({text})",
            "{texts} | tojson",
            "{text} | first",
            "{text} | last",
            "{text} | safe",
        ),
        *(
            "trigger.user.address.city | default('x')",
            "{text} | lower | trim",
            "{text} | d('none')",
        ),
    ),
    "bool": (
        *("{bool} and {bool}", "{bool} or {bool}", "not {bool}", "not {text}", "{text} in {texts}"),
        *("{text} in {text}", "{text} not in {texts}", "{text} is none", "{text} is not none"),
        *(
            "{text} is defined",
            "trigger.nick is defined",
            "trigger.nick is not defined",
            "{number} is odd",
        ),
        *("{number} is even", "{text} is string", "{number} is number", "{texts} | length > 0"),
        *(
            "{text} | length > {number}",
            "{text} | lower == 'ada'",
            "{text} is none or {number} > 1",
        ),
        *(
            "{number} is divisibleby 2",
            "{texts} is iterable",
            "{number} in [1, 2]",
            "{bool} is true",
        ),
        *("{text} and {bool}", "{text} == none", "trigger.meta is mapping", "{text} | trim == ''"),
        *("'a' in trigger.meta", "{text} is undefined", "0 < {number} < 10", "{number} | int > 2"),
    ),
    "texts": (
        *("{texts} | sort", "{texts} | reverse | list", "{texts} | unique | list", "{texts}[:2]"),
        *(
            "{items} | map(attribute='name') | list",
            "{texts} | map('upper') | list",
            "{texts} + [{text}]",
        ),
        *(
            "{texts} | select | list",
            "{texts} | reject('equalto', 'vip') | list",
            "{text}.split(',')",
        ),
        *("{texts} | list", "{texts} | default([])", "[{text}, {text}]", "trigger.meta | list"),
        *("{texts} | map('trim') | list", "{text} | list", "trigger.meta.keys() | list"),
    ),
    "numbers": (
        *("{numbers} | sort", "{items} | map(attribute='price') | list", "{numbers}[1:]"),
        *(
            "{numbers} | sort(reverse=true)",
            "{numbers} | map('int') | list",
            "{numbers} + [{number}]",
        ),
        *("{numbers} | select('gt', 1) | list", "{numbers} | list", "range(3) | list"),
    ),
    "items": ("trigger.items", "trigger.items | selectattr('active') | list"),
    "any": (
        *(
            "{{'name': {text}, 'n': {number}}}",
            "{items}",
            "{items}[0]",
            "{items} | first",
            "trigger.meta.a",
        ),
        *(
            "trigger.nick",
            "{any} if {bool} else none",
            "trigger.meta | tojson",
            "trigger.user.address",
        ),
        *(
            "{items} | selectattr('price', 'gt', 2) | list",
            "{any} | default(none)",
            "{any} or none",
        ),
    ),
}
_FORMS: dict[LanguageName, _Forms] = {
    "javascript": JAVASCRIPT,
    "python": _PYTHON,
    "jinja": _JINJA,
}
_SIMPLE = re.compile(r"[\w.]+(?:\(\))?|'[^']*'|\[[^\[\]]*\]")


def generated(language: LanguageName, count: int, seed: int = 0) -> tuple[str, ...]:
    """Different expressions of a language; the same ones for the same seed."""
    random = Random(f"{language} {seed}")
    found: dict[str, None] = {}
    while len(found) < count:
        found.setdefault(_written(random, language, "any", random.choice((2, 2, 3))))
    return tuple(found)


def _written(random: Random, language: LanguageName, kind: str, depth: int) -> str:
    forms = (*_FORMS[language].get(kind, ()), *_COMMON.get(kind, ()))
    is_plain = kind in _PLAIN and (depth <= 0 or random.random() < 0.25)
    form = random.choice(_PLAIN[kind] if is_plain or not forms else forms)

    def inner(found: re.Match[str]) -> str:
        if found[1] == "any" and depth <= 1:
            return "trigger.meta.a"
        text = _written(random, language, found[1], depth - (kind != "any" or form != found[0]))
        is_alone = found[0] == form or (found.start() > 0 and form[found.start() - 1] in "(`")
        return text if is_alone or _SIMPLE.fullmatch(text) else f"({text})"

    return _HOLE.sub(inner, form).replace("{{", "{").replace("}}", "}")
