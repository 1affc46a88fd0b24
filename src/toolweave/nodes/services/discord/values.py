"""Fields of Discord's actions, out of what a workflow says in words. Pure."""

from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._operation import invalid, missing
from toolweave.nodes.services._overrides import objects

MAX_CHARACTERS = 2000
CHANNEL_TYPES = {"text": 0, "voice": 2, "category": 4, "announcement": 5, "stage": 13, "forum": 15}
THREAD_TYPES = {"announcement": 10, "public": 11, "private": 12}
_HOLDERS = {"role": 0, "member": 1, "user": 1}


def message_of(values: JsonObject, name: str) -> JsonObject:
    """Return the body of a message. Raises `SERVICE_FIELD_MISSING`, `SERVICE_FIELD_INVALID`."""
    content = values.get("message_content") or None
    embeds: list[Json] = [one for one in objects(values.get("embed_config")) if one]
    if content is None and not embeds and name != "send_file":
        raise missing("message_content", name)
    if isinstance(content, str) and len(content) > MAX_CHARACTERS:
        raise invalid("message_content", f"has more than {MAX_CHARACTERS} characters")
    replied: JsonObject | None = None
    if name == "send_message" and values.get("message_id"):
        replied = {"message_id": values["message_id"]}
    return {**values, "content": content, "embeds": embeds or None, "message_reference": replied}


def overwrite(one: JsonObject) -> JsonObject:
    """Rights of a role or a member in a channel; Discord takes the bits as text."""
    bits = {key: str(one[key]) for key in ("allow", "deny") if one.get(key) is not None}
    kind = number(_HOLDERS, one.get("type", "role"), "permissions.type")
    return {"id": one.get("id"), "type": kind, **bits}


def number(names: dict[str, int], given: Json, field: str) -> int | None:
    """Discord's number for a word; a number stays."""
    if given is None or (isinstance(given, int) and not isinstance(given, bool)):
        return given
    found = names.get(given) if isinstance(given, str) else None
    if found is None:
        raise invalid(field, f"is {given!r:.60}; expected one of {', '.join(names)}")
    return found
