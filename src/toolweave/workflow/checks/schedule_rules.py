"""The rule of n8n's schedule as a cron expression: `{"interval": [{"field": "hours"}]}`. Pure."""

from toolweave.json_text import Json, JsonObject

# What n8n takes where a rule does not say it.
_MINUTES_INTERVAL = 5
# How often an interval divides the next larger unit.
_DIVIDES = {"minutes": 60, "hours": 24}


def cron_of_rule(rule: Json) -> str | None:
    """The expression of the only interval of a rule; None where cron has no form for it."""
    intervals = rule.get("interval") if isinstance(rule, dict) else None
    given = intervals[0] if isinstance(intervals, list) and len(intervals) == 1 else None
    if not isinstance(given, dict):
        return None
    if given.get("field") == "cronExpression":
        expression = given.get("expression")
        return expression if isinstance(expression, str) else None
    minute, hour = _number(given, "triggerAtMinute", 0, 59), _number(given, "triggerAtHour", 0, 23)
    field = given.get("field", "days")
    if minute is None or hour is None or not isinstance(field, str):
        return None
    if field in _DIVIDES:
        default = _MINUTES_INTERVAL if field == "minutes" else 1
        count = _number(given, f"{field}Interval", default, _DIVIDES[field])
        if not count or _DIVIDES[field] % count != 0 or count == _DIVIDES[field]:
            return None
        step = "*" if count == 1 else f"*/{count}"
        return f"{step} * * * *" if field == "minutes" else f"{minute} {step} * * *"
    if given.get(f"{field}Interval", 1) != 1:
        return None
    match field:
        case "days":
            return f"{minute} {hour} * * *"
        case "weeks" if (days := _days(given.get("triggerAtDay", [0]))) is not None:
            return f"{minute} {hour} * * {days}"
        case "months" if day := _number(given, "triggerAtDayOfMonth", 1, 31):
            return f"{minute} {hour} {day} * *"
        case _:
            return None


def _number(given: JsonObject, name: str, default: int, most: int) -> int | None:
    found = given.get(name, default)
    return found if type(found) is int and 0 <= found <= most else None


def _days(given: Json) -> str | None:
    days = given if isinstance(given, list) else [given]
    named = [str(one) for one in days if type(one) is int and 0 <= one < 7]
    return ",".join(named) if named and len(named) == len(days) else None
