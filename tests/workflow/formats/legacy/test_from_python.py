"""Conversion functions in Python: read as plain mappings where they are, and never run."""

import pytest

from toolweave.cel.language import compile_text
from toolweave.workflow.formats.legacy.translate import translate_mapping


@pytest.mark.parametrize(
    ("source", "cel"),
    [
        ("lambda data: data", "data"),
        ("convert = lambda d: {'a': d['x']}", "{'a': data.x}"),
        (
            "def convert(input_data):\n    return input_data['user']['first-name']",
            "data.user['first-name']",
        ),
        (
            'def convert(d: dict) -> dict:\n    """Doc."""\n'
            '    return {"a": d.get("x"), "b": d.get("y", 5)}',
            "{'a': data[?'x'].orValue(null), 'b': data[?'y'].orValue(5)}",
        ),
        (
            "def f(x): return {'l': [x['a'][0], 1, 2.5, None, True, 'it\\'s'], 't': (x['b'],)}",
            "{'l': [data.a[0], 1, 2.5, null, true, 'it\\'s'], 't': [data.b]}",
        ),
        (
            "def f(x): return x.get('a', {}).get('b', [])",
            "data[?'a'].orValue({})[?'b'].orValue([])",
        ),
    ],
)
def test_a_plain_field_mapping_in_python_becomes_an_expression(source: str, cel: str) -> None:
    found = translate_mapping(source)
    assert (found.text, found.faults) == (cel, ())
    assert compile_text(cel).is_usable


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("def f(x):\n    import os\n    return os.system('rm -rf /')", 14),
        ("def f(x):\n    return {'a': x['a'] + 1}", 27),
        ("  \ndef f(é):\n    return {'é': open('x')}", 30),
        ("def f(x): return {**x}", 17),
        ("def f(x): return {x['a']: 1}", 18),
        ("def f(x): return x.get('a', default=1)", 17),
        ("def f(x): return x.get(x['a'])", 17),
        ("def f(x): return y", 17),
        ("def f(x): return b'a'", 17),
        ("def f(x): return x[1:]", 17),
        ("def f(): return 1", 0),
        ("def f(x): return", 0),
        ("print('hello')", 0),
        ("def f(x): pass", 10),
        ("", 0),
        ("def f(:", 0),
        ("x\0", 0),
        ("(" * 5_000, 0),
        ("-" * 9_000 + "1", 0),
        ("x = '\\d'", 0),
        ("def f(x): return 1e999", 17),
        ("def f(x): return " + "9" * 30, 0),
        ("#" * 20_000, 0),
    ],
)
def test_python_that_does_more_is_never_run(source: str, place: int) -> None:
    found = translate_mapping(source)
    assert found.text is None
    [fault] = found.faults
    assert (fault.code, fault.severity) == ("CONVERSION_NOT_RUN", "warning")
    assert fault.offset == place
