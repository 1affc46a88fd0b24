"""Template files in all their forms, and how they are filled."""

import pytest

from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json
from toolweave.library.templates import again, fill, read_templates, template_named

LISTED: Json = {
    "metadata": {"version": "1"},
    "templates": [
        {
            "id": "t-1",
            "title": "Greeting",
            "template": "Hello {name}, {wish}",
            "variables": ["name"],
            "version": "1.0.0",
            "variableValueSets": [{"id": "s", "name": "Ada", "values": {"name": "Ada", "n": 1}}],
        },
        {"id": "t-2", "template": "Bye {name}"},
        {"id": "no text"},
    ],
}
OLDER: Json = {
    "metadata": {"name": "Brief", "version": "2.0.0", "description": "A brief"},
    "variables": [
        {"name": "topic", "type": "string", "required": True, "description": "What about"},
        {"name": "tone", "required": False, "default": "calm"},
    ],
    "results": [
        {"section": "Task", "content": "Write of {{topic}}.", "format": "text"},
        {"section": "Tone", "content": "Be {{ tone }}.", "format": "text"},
    ],
}


def test_a_list_of_templates_gives_each_with_its_variables_and_sets() -> None:
    greeting, bye = read_templates(LISTED, "all")
    assert (greeting.name, greeting.id, greeting.version) == ("Greeting", "t-1", "1.0.0")
    assert [one.name for one in greeting.variables] == ["name", "wish"]
    assert greeting.sets[0].values == {"name": "Ada", "n": "1"}
    assert (bye.name, bye.text) == ("t-2", "Bye {name}")


def test_the_older_form_gives_one_text_of_its_sections() -> None:
    (brief,) = read_templates(OLDER, "Brief_File")
    assert (brief.name, brief.title) == ("Brief_File", "Brief")
    assert brief.text == "## Task\n\nWrite of {topic}.\n\n## Tone\n\nBe {tone}."
    assert fill(brief, {"topic": "tea"}).endswith("Be calm.")
    assert [one.is_required for one in brief.variables] == [True, False]


def test_a_file_of_one_template_is_called_as_the_file() -> None:
    (one,) = read_templates({"title": "T", "template": "x {a}", "variables": [{"key": "a"}]}, "F")
    assert (one.name, one.title, one.variables[0].name) == ("F", "T", "a")


@pytest.mark.parametrize("document", [None, [], "x", {}, {"template": 1}])
def test_other_files_are_no_templates(document: Json) -> None:
    with pytest.raises(Invalid) as refused:
        list(read_templates(document, "x"))
    assert refused.value.code == "PARSE_ERROR"


def test_what_was_shown_can_be_read_again() -> None:
    for template in (*read_templates(LISTED, "all"), *read_templates(OLDER, "b")):
        assert again(template.as_json()).as_json() == template.as_json()


def test_every_missing_variable_is_named_at_once() -> None:
    greeting = next(read_templates(LISTED, "all"))
    with pytest.raises(Invalid) as refused:
        fill(greeting, {})
    assert refused.value.code == "MISSING_VARIABLES"
    assert refused.value.message == "Missing required variables: name, wish"


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    greeting = next(read_templates(LISTED, "all"))
    assert fill(greeting, {"name": "{wish}", "wish": "{name}"}) == "Hello {wish}, {name}"


def test_a_template_is_found_by_name_title_or_id_and_an_unknown_one_is_named() -> None:
    templates = [*read_templates(LISTED, "all"), *read_templates(OLDER, "b")]
    assert template_named(templates, "t-1").name == "Greeting"
    assert template_named(templates, "Brief").name == "b"
    with pytest.raises(NotFound) as missing:
        template_named(templates, "Greetin")
    assert missing.value.code == "TEMPLATE_NOT_FOUND"
    assert missing.value.message == "Template not found: Greetin"
    assert "Greeting" in (missing.value.hint or "")
