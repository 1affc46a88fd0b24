"""The fields of a GitHub action, out of its settings and inputs. Pure."""

import base64
import binascii
import re

from toolweave.catalog.node import NodeInput
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._operation import invalid, missing

BRANCH = "main"
_LISTED = (
    *("owner", "repo", "title", "body", "labels", "assignees", "issue_number", "pr_number"),
    *("head", "base", "path", "content", "branch", "commit_message", "tag_name"),
    *("workflow_file", "ref", "comment"),
)
_ON_BRANCH = frozenset(
    {"create_file", "update_file", "delete_file", "get_file_content", "protect_branch"}
)
_FROM_REF = frozenset({"create_branch", "create_release", "trigger_workflow"})
# A protection needs these four; null switches one off.
_PROTECTION: JsonObject = {
    "required_status_checks": None,
    "enforce_admins": True,
    "required_pull_request_reviews": None,
    "restrictions": None,
}


def values_of(given: NodeInput, name: str) -> JsonObject:
    """Return the fields of an action: the configuration, overridden by inputs."""
    config = given.record("repository_config")
    values: JsonObject = {**_named(config.get("full_name")), **config}
    values |= {one: given.inputs[one] for one in _LISTED if given.inputs.get(one) is not None}
    values |= _named(values.get("repo"))
    if name in _ON_BRANCH:
        values.setdefault("branch", BRANCH)
    if name in _FROM_REF:
        values.setdefault("ref", BRANCH)
    return values | _made(name, values)


def people(values: JsonObject, name: str) -> list[str]:
    """Whom an action is about. Raises `Invalid`: `SERVICE_FIELD_MISSING`."""
    found = values.get("assignees")
    if not isinstance(found, list) or not found:
        raise missing("assignees", name)
    return [str(one) for one in found]


def protection(values: JsonObject) -> JsonObject:
    """The rules of a protected branch."""
    given = values.get("protection")
    more = given if isinstance(given, dict) else {}
    return _PROTECTION | more | {key: values[key] for key in _PROTECTION if key in values}


def uploads_at(address: str) -> str:
    """Where GitHub takes files, given where its API is."""
    if address.rstrip("/") == "https://api.github.com":
        return "https://uploads.github.com"
    return re.sub(r"/api/v3/?$", "/api/uploads", address)


def _made(name: str, values: JsonObject) -> JsonObject:
    match name:
        case "add_issue_comment" | "add_pr_comment":
            return {"comment": values.get("comment") or values.get("body")}
        case "list_issues":
            return _filters(values)
        case "create_file" | "update_file":
            encoded = _encoded(values.get("content"), values.get("encoding"))
            if encoded is None:
                raise missing("content", name)
            return {"encoded": encoded}
        case "get_file_content":
            return {"ref": values.get("ref") or values.get("branch")}
        case "create_branch":
            branch = values.get("branch")
            return {"new_ref": f"refs/heads/{branch}" if branch else None}
        case "create_webhook" | "update_webhook":
            return _hook(name, values)
        case "create_team":
            return {"title": values.get("title") or values.get("team")}
        case _:
            return {}


def _filters(values: JsonObject) -> JsonObject:
    labels, names = values.get("labels"), values.get("assignees")
    return {
        "label_names": ",".join(map(str, labels)) if isinstance(labels, list) and labels else None,
        "assignee": values.get("assignee") or (names[0] if isinstance(names, list) and names else
                                               None),
    }  # fmt: skip


def _hook(name: str, values: JsonObject) -> JsonObject:
    config: JsonObject = {
        "url": values.get("hook_url"),
        "content_type": values.get("content_type") or ("json" if name == "create_webhook" else
                                                       None),
        "secret": values.get("hook_secret"),
        "insecure_ssl": values.get("insecure_ssl"),
    }  # fmt: skip
    if "${vault:" in str(config["secret"]):
        raise invalid("hook_secret", "names the vault, which is not filled in here")
    if name == "create_webhook" and not config["url"]:
        raise missing("hook_url", name)
    return {"config": {key: one for key, one in config.items() if one is not None} or None}


def _named(full_name: Json) -> JsonObject:
    if not isinstance(full_name, str) or "/" not in full_name:
        return {}
    owner, _, repo = full_name.partition("/")
    return {"owner": owner, "repo": repo}


def _encoded(content: Json, encoding: Json) -> str | None:
    """A file's text as base64, which is how GitHub takes it; what is said to be base64 stays."""
    if not isinstance(content, str):
        return None
    if encoding != "base64":
        return base64.b64encode(content.encode()).decode()
    try:
        base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise invalid("content", "is no base64, which repository_config.encoding says") from None
    return content
