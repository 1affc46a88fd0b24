"""`toolweave models`: added, listed, tried, removed; keys go in and never come out."""

from collections.abc import Generator

import pytest
from tests.cli.driving import Commands, Ran

from toolweave.testing.model import KEY, ScriptedModel, fails, says

NO_OTHERS = {
    "ANTHROPIC_API_KEY": "",
    "OPENAI_API_KEY": "",
    "GEMINI_API_KEY": "",
    "TOOLWEAVE_MODEL_URL": "",
}


@pytest.fixture
def model() -> Generator[ScriptedModel]:
    with ScriptedModel(says("ready")).running() as running:
        yield running


def add(tw: Commands, model: ScriptedModel, name: str = "mine", *more: str) -> Ran:
    url = model.base_url("anthropic")
    args = ("models", "add", name, "--provider", "anthropic", "--base-url", url, *more)
    return tw(*args, input=KEY + "\n", **NO_OTHERS)


def test_an_added_model_is_the_default_and_its_key_is_nowhere(
    tw: Commands, model: ScriptedModel
) -> None:
    assert "It is the default model." in add(tw, model).out
    assert add(tw, model, "other").code == 0
    listed = tw.ok("models", "list", "--json", **NO_OTHERS)
    assert [(one["name"], one["isDefault"], one["hasKey"]) for one in listed.json] == [
        ("mine", True, True),
        ("other", False, True),
    ]
    assert KEY not in listed.out + tw.ok("models", "list", **NO_OTHERS).out
    stored = b"".join(path.read_bytes() for path in tw.state.iterdir() if path.is_file())
    assert KEY.encode() not in stored


def test_a_model_is_tried_with_its_key(tw: Commands, model: ScriptedModel) -> None:
    add(tw, model)
    tried = tw.ok("models", "test", "mine", "--json", **NO_OTHERS).json
    assert (tried["text"], tried["outputTokens"]) == ("ready", 5)
    assert model.heard[0].headers["x-api-key"] == KEY
    assert "answers 'ready'" in tw.ok("models", "test", **NO_OTHERS).out
    model.answers(fails(401, f"bad key {KEY}"))
    refused = tw("models", "test", **NO_OTHERS)
    assert (refused.code, "[MODEL_REFUSED]" in refused.err, KEY in refused.err) == (1, True, False)


def test_the_default_can_be_another_and_a_removed_one_is_gone(
    tw: Commands, model: ScriptedModel
) -> None:
    add(tw, model)
    add(tw, model, "other")
    tw.ok("models", "default", "other", **NO_OTHERS)
    listed = tw.ok("models", "list", "--json", **NO_OTHERS).json
    assert [one["name"] for one in listed if one["isDefault"]] == ["other"]
    assert tw.ok("models", "remove", "other", "--json").json == {"removed": "other"}
    assert "model/other" not in tw.ok("secrets", "list").out
    gone = tw("models", "remove", "other", "--json", **NO_OTHERS)
    assert gone.json["error"]["code"] == "MODEL_UNKNOWN"


def test_the_environment_s_models_are_seen_and_not_kept(tw: Commands) -> None:
    assert "toolweave models add" in tw.ok("models", "list", **NO_OTHERS).out
    seen = {**NO_OTHERS, "OPENAI_API_KEY": "k1-k1-k1", "TOOLWEAVE_MODEL_URL": "http://localhost:1"}
    listed = tw.ok("models", "list", "--json", **seen)
    assert [(one["name"], one["foundIn"]) for one in listed.json] == [
        ("environment", "environment"),
        ("openai", "environment"),
    ]
    assert "k1-k1-k1" not in listed.out
    assert tw("models", "remove", "openai", **seen).code == 1
    found = {one["what"]: one for one in tw.ok("doctor", "--json", **seen).json}
    assert found["models"]["details"].startswith("environment (default, default)")


def test_a_key_can_come_from_a_variable_and_compatible_ones_need_none(tw: Commands) -> None:
    from_variable = ("models", "add", "a", "--provider", "gemini", "--key-env", "MY_KEY")
    assert tw(*from_variable, **NO_OTHERS).code == 2
    assert tw(*from_variable, **NO_OTHERS, MY_KEY="xyz-xyz-xyz").code == 0
    address = ("--base-url", "http://localhost:11434/v1", "--model", "llama3.2")
    local = tw("models", "add", "b", "--provider", "compatible", *address, "--json", **NO_OTHERS)
    assert (local.code, local.json["hasKey"]) == (0, False)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("x", "--provider", "compatible"), "MODEL_CONFIG_INVALID"),
        (("x", "--provider", "compatible", "--base-url", "http://localhost"), None),
        (("x", "--provider", "anthropic"), None),
        (("a b", "--provider", "anthropic", "--key-env", "K"), None),
        (("x", "--provider", "openai", "--key-env", "K", "--base-url", "ftp://x"), None),
        (("x", "--provider", "openai", "--key-env", "K", "--base-url", "http://a.example"), None),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_not_added(
    tw: Commands, args: tuple[str, ...], code: str | None
) -> None:
    ran = tw("models", "add", *args, "--json", K="some-key", **NO_OTHERS)
    assert ran.json["error"]["code"] == (code or "MODEL_CONFIG_INVALID")


def test_a_name_is_taken_once(tw: Commands, model: ScriptedModel) -> None:
    add(tw, model)
    assert add(tw, model, "mine", "--json").json["error"]["code"] == "MODEL_NAME_TAKEN"


def test_models_on_this_machine_are_found_and_none_is_added(
    tw: Commands, model: ScriptedModel
) -> None:
    base_url = model.base_url("compatible")
    port = base_url.removesuffix("/v1").rpartition(":")[2]
    found = tw.ok("models", "discover", "--port", port, "--json", **NO_OTHERS).json
    expected = {"server": "Ollama", "model": "scripted", "baseUrl": base_url}
    assert [one for one in found if one["baseUrl"] == base_url] == [expected]
    shown = tw.ok("models", "discover", "--port", port, **NO_OTHERS).out
    assert "toolweave models add NAME --provider compatible" in shown
    assert tw.ok("models", "list", "--json", **NO_OTHERS).json == []
