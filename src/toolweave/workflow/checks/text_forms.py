"""Forms of texts that services and files expect, and the one that another notation means. Pure.

Not a check: `text_values` looks up the form of a field.
"""

import mimetypes
import re
from datetime import datetime
from typing import NamedTuple
from urllib.parse import unquote

from toolweave.catalog.address_texts import is_mailbox, is_url
from toolweave.catalog.spoken_times import meant_date
from toolweave.patterns import pattern


class UnusualForm(NamedTuple):
    """What is expected in place of a text, and the only one that it can mean."""

    expected: str
    fix: str | None = None
    hint: str | None = None


_ENCODED = pattern(r"%7B%7B.+?%7D%7D", re.IGNORECASE)
_SCHEMES = pattern(r"(?:https?:/{1,2})+(?=https?://)", re.IGNORECASE)
_WITH_NAME = pattern(
    r"\"?([^\"<>()@,;]*[^\"<>()@,;\s])\"?\s+[(\[]?([^\s@()\[\]<>]+@[^\s@()\[\]<>]+)[)\]]?"
)
# Addresses as people hide them from programs.
_AT_WORD = pattern(r"\s*[\[({<]\s*(?:at|@)\s*[\])}>]\s*", re.IGNORECASE)
_DOT_WORD = pattern(r"\s*[\[({<]\s*(?:dot|\.)\s*[\])}>]\s*", re.IGNORECASE)
_MENTION = pattern(r"<[@#!]([A-Z][A-Z0-9]{5,20})(?:\|[^<>]*)?>")
_SLACK_ID = pattern(r"[CDGUWS][A-Z0-9]{5,20}")
_GLOB = pattern(r"\^?(?:\.[*+])?(?:\\\.|\[\.\]|\.)([A-Za-z0-9]{1,8})\$?")
_REGEX_SIGNS = pattern(r"\\[.dws]|\.[*+]|\[\.\]|^\^|\$$|\([^)]*\|")
_DATE = pattern(
    r"%[YmdHMSyjFT](?![0-9A-Fa-f])|[{<\[](?:YYYY|yyyy|YY|MM|DD|dd|HH)[^{}<>\[\]]*[}>\]]|\$\(|`[^`]+`"
)
_PARAMETER = pattern(r"/(?::([a-z_]\w*)|<(\w+)>|\{(\w+)\})(?=/|$)", re.IGNORECASE)
_QUERY_PARAMETER = pattern(r"[?&][\w.-]+=(?::([a-z_]\w*)|<(\w+)>|\{(\w+)\})(?=&|$)", re.I)
_WORDS = pattern(r"[\s.-]+|(?<=[a-z])(?=[A-Z])")
_RULE_PARTS = frozenset(
    {"FREQ", "UNTIL", "COUNT", "INTERVAL", "BYSECOND", "BYMINUTE", "BYHOUR", "BYDAY"}
    | {"BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYMONTH", "BYSETPOS", "WKST"}
)
_FREQUENCIES = frozenset({"SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
_RULE_DAY = pattern(r"[+-]?\d{0,2}(?:MO|TU|WE|TH|FR|SA|SU)")
_RULE = pattern(r"(?:(?:RRULE|EXRULE):(?=(?:.*;)?FREQ=[A-Z]+)\S+|(?:RDATE|EXDATE)[:;]\S+)")
_FOLDER = "paths begin in the folder that nodes may use"
_EMOJI = {
    **dict.fromkeys(("thumbsup", "+1", "thumbs_up"), "\N{THUMBS UP SIGN}"),
    **dict.fromkeys(("thumbsdown", "-1", "thumbs_down"), "\N{THUMBS DOWN SIGN}"),
    **dict.fromkeys(("white_check_mark", "check"), "\N{WHITE HEAVY CHECK MARK}"),
    "x": "\N{CROSS MARK}",
    "heart": "\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}",
    "eyes": "\N{EYES}",
    "tada": "\N{PARTY POPPER}",
    "rocket": "\N{ROCKET}",
    "fire": "\N{FIRE}",
    "warning": "\N{WARNING SIGN}\N{VARIATION SELECTOR-16}",
    "smile": "\N{SMILING FACE WITH OPEN MOUTH AND SMILING EYES}",
}
# Words for no value, which a field of text takes as they are.
NOTHING = frozenset({"None", "null", "undefined", "nil", "NULL", "NaN", "Null", "N/A"})
# `2026-3-2T9:00:00Z`; what follows the hour is kept.
_UNPADDED = pattern(r"(\d{4})-(\d{1,2})-(\d{1,2})([T ])(\d{1,2})(:\d{2}.*)")
_DISCORD_MARK = pattern(r"<(#|@!?|@&)(\d{5,20})>")
_DISCORD_LINK = pattern(
    r"https?://(?:\w+\.)?discord(?:app)?\.com/channels/(\d{5,20})(?:/(\d{5,20})(?:/(\d{5,20}))?)?/?"
)
_DISCORD_PARTS = {"server_id": 1, "channel_id": 2, "message_id": 3}
_MENTIONED = {"channel_id": ("#",), "target_user_id": ("@", "@!")}


def padded_moment(text: str) -> str | None:
    """A moment with two digits for the month, the day and the hour."""
    found = _UNPADDED.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, between, hour, rest = found.groups()
    plain = f"{year}-{month:0>2}-{day:0>2}{between}{hour:0>2}{rest}"
    try:
        datetime.fromisoformat(plain)
    except ValueError:
        return None
    return plain if plain != text else None


def discord_id(text: str, name: str) -> str | None:
    """The id in a mention or in the address of a message, for a field of this name."""
    if (mark := _DISCORD_MARK.fullmatch(text.strip())) is not None:
        return mark[2] if mark[1] in _MENTIONED.get(name, ()) else None
    link = _DISCORD_LINK.fullmatch(text.strip())
    return link[_DISCORD_PARTS[name]] if link and name in _DISCORD_PARTS else None


def address(text: str) -> UnusualForm | None:
    """A web address with two schemes, two queries, or a query that nothing begins."""
    expected = "one address such as https://…"
    if _ENCODED.search(text):
        plain = _ENCODED.sub(lambda match: unquote(match[0]), text)
        return UnusualForm("a template that is not encoded", plain)
    if _SCHEMES.match(text):
        plain = _SCHEMES.sub("", text, count=1)
        # `http://https://`: the inner one is part of the address that was pasted.
        return UnusualForm(expected, plain)
    if "{{" in text or "${" in text or not is_url(text):
        return None
    before, mark, query = text.partition("#")[0].partition("?")
    rest = text[len(text.partition("#")[0]) :]
    if mark and re.search(r"\?\w+=", query):
        return UnusualForm("one '?' before the query", f"{before}?{query.replace('?', '&')}{rest}")
    if not mark and re.search(r"/[^/&]*&\w+=", before):
        return UnusualForm("a '?' before the query", before.replace("&", "?", 1) + rest)
    return None


def path_parameter(text: str) -> UnusualForm | None:
    """A part of an address that is left for its caller to fill in, in the notation of others."""
    expected = "{{ … }} for what a run fills in"
    if re.search(r"%7B%7B|%7b%7b", text):
        plain = re.sub(
            r"%7B%7B(.*?)%7D%7D", lambda one: f"{{{{{unquote(one[1])}}}}}", text, flags=re.I
        )
        return UnusualForm(expected, plain)
    path = text.partition("://")[2].partition("?")[0].partition("/")[2]
    found = _PARAMETER.search(f"/{path}") or _QUERY_PARAMETER.search(text)
    if found is None:
        return None
    name = found[1] or found[2] or found[3]
    return UnusualForm(expected, hint=f"write {{{{ {name} }}}}, and give {name} in url_variables")


def mailbox(text: str) -> UnusualForm | None:
    """A mail address with the scheme of a link, or with a name that has no brackets."""
    expected = "ada@example.com or Ada <ada@example.com>"
    plain = text.strip().removeprefix("mailto:").partition("?")[0]
    if plain != text.strip() and is_mailbox(plain):
        return UnusualForm(expected, plain)
    if text.endswith(".") and is_mailbox(text.rstrip(".")):
        return UnusualForm(expected, text.rstrip("."))
    found = _WITH_NAME.fullmatch(text.strip())
    if found and is_mailbox(found[2]):
        return UnusualForm(expected, f"{found[1]} <{found[2]}>")
    name, sign, host = _AT_WORD.sub("@", text.strip().rstrip(".")).partition("@")
    host = _DOT_WORD.sub(".", host)
    plain = f"{name}{sign}{host.replace(',', '.')}"
    if sign and plain != text.strip() and " " not in plain and is_mailbox(plain):
        return UnusualForm(expected, plain)
    return None


def mention(text: str) -> UnusualForm | None:
    """A person or channel of Slack as a message writes it, or by a name that Slack ignores."""
    found = _MENTION.fullmatch(text.strip())
    if found:
        return UnusualForm("an id without signs around it", found[1])
    if _SLACK_ID.fullmatch(text):
        return None
    return UnusualForm("the id of a person, such as U024BE7LH", hint="a message mentions ids only")


def channel(text: str) -> UnusualForm | None:
    """A channel of Slack as a message writes it."""
    found = _MENTION.fullmatch(text.strip())
    return UnusualForm("a channel's id or name", found[1]) if found else None


def branch(text: str) -> UnusualForm | None:
    """A branch with what git writes before it."""
    plain = re.sub(r"^(?:refs/heads/|(?:refs/)?(?:remotes/)?(?:origin|upstream)/)", "", text)
    return None if plain == text or not plain else UnusualForm("the name of a branch", plain)


def workflow_file(text: str) -> UnusualForm | None:
    """A workflow of GitHub with its folder."""
    plain = text.lstrip("./").removeprefix("github/workflows/")
    is_path = "workflows/" in text and "/" not in plain
    return UnusualForm("the file's name alone", plain) if is_path else None


def glob(text: str) -> UnusualForm | None:
    """A regular expression or an ending where a file pattern is expected."""
    found = _GLOB.fullmatch(text)
    if found:
        return UnusualForm("a pattern such as *.txt", f"*.{found[1]}")
    if "%" in text and "*" not in text:
        return UnusualForm("a pattern such as *.txt", text.replace("%", "*"))
    if _REGEX_SIGNS.search(text):
        return UnusualForm("a pattern such as *.txt", hint="* stands for any characters, ? for one")
    return None


def ending(text: str) -> UnusualForm | None:
    """A type of content or a pattern where the ending of a file's name is expected."""
    plain = text.strip().removeprefix("*").removeprefix(".")
    if "/" in plain:
        known = mimetypes.guess_extension(plain.partition(";")[0])
        return UnusualForm("an ending such as pdf", known.removeprefix(".") if known else None)
    return None if plain == text else UnusualForm("an ending such as pdf", plain)


def media_type(text: str) -> UnusualForm | None:
    """A word where a type of content is expected."""
    if re.fullmatch(r"[\w.+-]+/[\w.+*-]+(?:\s*;.*)?", text):
        return None
    known = mimetypes.guess_type(f"a.{text.strip().removeprefix('.').lower()}")[0]
    return UnusualForm("a type such as text/plain", known)


def instant(text: str) -> UnusualForm | None:
    """A moment without its zone, which Google refuses."""
    expected = "a time such as 2026-03-02T18:00:00Z"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return UnusualForm(expected)
    if moment.tzinfo is None or "T" not in text.upper():
        return UnusualForm(expected, hint="write the T and the zone too: Z, or +01:00")
    return None


def error_code(text: str) -> UnusualForm | None:
    """A text that is not written as codes of errors are."""
    if re.fullmatch(r"[A-Z][A-Z0-9_]+", text):
        return None
    plain = _WORDS.sub("_", text.strip()).strip("_").upper()
    return UnusualForm("a code such as STEP_TIMEOUT", plain)


def emoji(text: str) -> UnusualForm | None:
    """The name of an emoji between colons."""
    name = text.strip().removeprefix(":").removesuffix(":")
    if len(name) != len(text.strip()) - 2:
        return None
    return UnusualForm("the emoji itself, or name:id of the server's own", _EMOJI.get(name.lower()))


def file_path(text: str) -> UnusualForm | None:
    """A path of this machine, or one with a date that nothing fills in."""
    expected = "a path such as reports/today.csv"
    if re.match(r"~|[A-Za-z]:[\\/]|\$[A-Z{]|%[A-Z]+%", text) and "${vault:" not in text:
        return UnusualForm(expected, hint=_FOLDER)
    if text.startswith("/"):
        return UnusualForm(expected, hint=f"{_FOLDER}; another folder must be allowed there")
    if found := re.match(r"file:/{0,2}", text, re.IGNORECASE):
        plain = text[found.end() :]
        return UnusualForm(expected, plain if plain and not plain.startswith("/") else None)
    if re.match(r"[a-z][a-z0-9+.-]+://", text, re.IGNORECASE):
        return UnusualForm(expected, hint="a file of another machine is read with HTTP_REQUEST")
    if _DATE.search(text):
        hint = "the text is used as it is; write a moment with a template: {{ run.started_at }}"
        return UnusualForm("a path without such signs", hint=hint)
    return None


def recurrence(text: str) -> UnusualForm | None:
    """A rule that Google Calendar cannot read."""
    expected = "a rule such as RRULE:FREQ=WEEKLY;BYDAY=TU"
    if not _RULE.fullmatch(text):
        plain = re.sub(r"\s+", "", text).upper().replace("FREQUENCY=", "FREQ=")
        is_led = plain.startswith(("RRULE", "EXRULE", "RDATE", "EXDATE"))
        plain = re.sub(
            r"^(RRULE|EXRULE)[=;]?(?=FREQ)", r"\1:", plain if is_led else f"RRULE:{plain}"
        )
        return UnusualForm(expected, plain if _RULE.fullmatch(plain) else None)
    kind, _, rest = text.partition(":")
    listed = rest.split(";") if "RULE" in kind else []
    parts = {one.partition("=")[0]: one.partition("=")[2] for one in listed}
    days = parts.get("BYDAY", "MO").split(",")
    is_rule = (
        parts.keys() <= _RULE_PARTS
        and parts.get("FREQ", "DAILY") in _FREQUENCIES
        and all(_RULE_DAY.fullmatch(one) for one in days)
    )
    return None if is_rule else UnusualForm(expected)


def sender(text: str) -> UnusualForm | None:
    """Several senders in one text, or one with a star."""
    expected = "an address or a domain such as @example.com"
    if re.fullmatch(r"@?[\w.-]+|[^\s@;,*]+@[\w.-]+", text):
        return None
    plain = text.strip().removeprefix("*")
    return UnusualForm(expected, plain if re.fullmatch(r"@[\w.-]+", plain) else None)


def field_path(text: str) -> UnusualForm | None:
    """A path with a step that has no name."""
    if (of_item := item_field(text)) is not None:
        return of_item
    if text.startswith("data."):
        hint = f"a path begins in the item: {text.partition('.')[2]}"
        return UnusualForm("a path such as user.name", hint=hint)
    if ".." not in text and text.strip(".") == text:
        return None
    return UnusualForm("a path such as user.name", re.sub(r"\.{2,}", ".", text).strip("."))


def schedule(text: str) -> UnusualForm | None:
    """A step that is longer than what it divides, so that it is taken once."""
    fields = text.split()
    for field, most in zip(fields, (59, 23, 31, 12, 7), strict=False):
        found = re.fullmatch(r"(?:\*|0)/(\d+)", field)
        if len(fields) == 5 and found and int(found[1]) > most:
            hint = "a schedule cannot count across hours or days; write each time"
            return UnusualForm(f"a step of at most {most}", hint=hint)
    return None


def thread(text: str) -> UnusualForm | None:
    """A message of Slack by its link, where its time is expected."""
    if re.fullmatch(r"\d{9,11}\.\d{3,6}", text):
        return None
    found = re.search(r"(?:^|/)p(\d{10})(\d{6})(?:\?|$)", text)
    meant = f"{found[1]}.{found[2]}" if found else None
    return UnusualForm("the time of a message, such as 1722441600.000200", meant)


def user_name(text: str) -> UnusualForm | None:
    """A user of GitHub as a comment mentions one."""
    plain = text.removeprefix("@")
    return None if plain == text else UnusualForm("a user's name without @", plain)


def number_id(text: str) -> UnusualForm | None:
    """A name where Telegram expects the number of a user or a message."""
    return None if re.fullmatch(r"-?\d+", text) else UnusualForm("a number")


def invited(text: str) -> UnusualForm | None:
    """A person without the mail address that an invitation goes to."""
    if "@" in text:
        return mailbox(text) or (None if is_mailbox(text) else UnusualForm("a mail address"))
    return UnusualForm("a mail address")


def day(text: str) -> UnusualForm | None:
    """A date in another order."""
    found = meant_date(text)
    return UnusualForm("a date such as 2026-03-02", found) if found and found != text else None


def repository(text: str) -> UnusualForm | None:
    """The name of a repository with the ending of its address."""
    plain = text.removesuffix("/").removesuffix(".git")
    is_name = plain != text and plain.count("/") < 2 and bool(plain) and ":" not in plain
    return UnusualForm("the name of a repository", plain) if is_name else None


def item_field(text: str) -> UnusualForm | None:
    """A field with the item before it, which is what the names belong to."""
    found = re.fullmatch(r"(?:item|row|record|it|\$)\.([A-Za-z_][\w.]*)", text)
    return UnusualForm("the name of a field", found[1]) if found else None


def sort_field(text: str) -> UnusualForm | None:
    """A path with a point of jq before it, or with the item."""
    if re.fullmatch(r"\.\w+(?:\.\w+)*", text):
        return UnusualForm("the name of a field", text[1:])
    return item_field(text)
