"""Fields of forms, found by the names that files and schemas give them."""

import re

from playwright.async_api import Locator, Page


def box(form: Locator | Page, name: str) -> Locator:
    """The field of a value that is typed; one with expressions to choose from is a combobox.

    Its label is the name in words: `base_url` is "Base URL".
    """
    label = re.compile(f"^{re.escape(name).replace('_', ' ')}$", re.IGNORECASE)
    plain = form.get_by_role("textbox", name=label)
    return plain.or_(form.get_by_role("combobox", name=label))


async def code_text(editor: Locator) -> str:
    """The whole text of a code editor, which draws only the lines in view."""
    return await editor.evaluate("one => one.cmTile.root.view.state.doc.toString()")


async def paste_code(editor: Locator, text: str) -> None:
    """Replace the text of a code editor as a person does who pastes another one."""
    await editor.focus()
    await editor.press("Control+a")
    await editor.evaluate(
        """(one, text) => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          const how = {clipboardData: data, bubbles: true, cancelable: true, composed: true};
          one.dispatchEvent(new ClipboardEvent("paste", how));
        }""",
        text,
    )
