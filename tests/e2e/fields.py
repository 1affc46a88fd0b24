"""Fields of forms, found by the names that files and schemas give them."""

import re

from playwright.async_api import Locator


def box(form: Locator, name: str) -> Locator:
    """The field of a value that is typed; one with expressions to choose from is a combobox.

    Its label is the name in words: `base_url` is "Base URL".
    """
    label = re.compile(f"^{re.escape(name).replace('_', ' ')}$", re.IGNORECASE)
    plain = form.get_by_role("textbox", name=label)
    return plain.or_(form.get_by_role("combobox", name=label))
