"""Two hands on a keyboard, for journeys without a mouse."""

from dataclasses import dataclass

from playwright.async_api import Page, expect

MOST_STOPS = 80
# What has the focus, in the words a reader would say, and whether it can be seen.
FOCUSED = """() => {
  let one = document.activeElement;
  // The editor for expressions is in a shadow root.
  while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
  const labelled = one.getAttribute("aria-labelledby")?.split(" ")
    .map(id => document.getElementById(id)?.textContent).join(" ");
  const name = one.getAttribute("aria-label") || labelled || [...(one.labels ?? [])]
    .map(label => label.textContent).join(" ") || one.textContent;
  const box = one.getBoundingClientRect();
  const isSeen = one !== document.body && box.right > 0 && box.bottom > 0
    && box.left < innerWidth && box.top < innerHeight && one.matches(":focus-visible");
  return [name.trim(), one.tagName.toLowerCase(), isSeen];
}"""

AT_NODE = "() => document.activeElement.matches('.react-flow__node:has(> .is-selected)')"

IN_PANEL = """stop => document.activeElement.closest("[data-stop]")?.dataset.stop === stop"""


@dataclass
class Hands:
    """Two hands on a keyboard; after each press the focus must be where it can be seen."""

    page: Page

    async def focus(self) -> tuple[str, str]:
        name, tag, is_seen = await self.page.evaluate(FOCUSED)
        assert is_seen, f"the focus is lost, or hidden: {tag} {name[:80]!r}"
        return name, tag

    async def press(self, *keys: str) -> str:
        for key in keys:
            await self.page.keyboard.press(key)
        return (await self.focus())[0]

    async def type(self, text: str, then: str) -> None:
        await self.page.keyboard.type(text)
        await self.page.keyboard.press(then)

    async def until(self, key: str, name: str, *, whole: bool = False) -> None:
        """Press a key until what is called `name`, or begins with it, has the focus."""
        seen: list[str] = []
        for _ in range(MOST_STOPS):
            seen.append(await self.press(key))
            if seen[-1] == name or (seen[-1].startswith(name) and not whole):
                return
        raise AssertionError(f"{name!r} is not reached by {key}, only {seen}")

    async def to_panel(self, stop: str) -> str:
        """Press F6 until the focus is in a panel: `bar`, `palette`, `canvas`, `side`, `run` …"""
        for _ in range(MOST_STOPS):
            name = await self.press("F6")
            if await self.page.evaluate(IN_PANEL, stop):
                return name
        raise AssertionError(f"the panel {stop} is not reached")

    async def walk(self, arrow: str, name: str) -> None:
        """Walk the graph until the node `name`; one out of view has the focus once it is drawn."""
        for _ in range(MOST_STOPS):
            await self.page.keyboard.press(arrow)
            await self.page.wait_for_function(AT_NODE)
            if (await self.focus())[0].startswith(name):
                return
        raise AssertionError(f"{name!r} is not reached by {arrow}")

    async def reach(self, name: str) -> None:
        """Press Tab until what is called `name` has the focus, unless it has it already."""
        if not (await self.focus())[0].startswith(name):
            await self.until("Tab", name)

    async def open_node(self, name: str) -> None:
        """Go to a node and into its settings."""
        await self.find(name)
        await self.page.keyboard.press("Enter")
        await self.lands("Name")

    async def find(self, name: str) -> None:
        """Go to a node by its name, wherever it is."""
        await self.page.keyboard.press("Control+f")
        await self.lands("Find a node in this workflow")
        await self.type(name, then="Enter")
        await self.lands(f"{name}, ")

    async def lands(self, name: str) -> None:
        """Wait until what is called `name` has the focus."""
        await self.page.wait_for_function(
            f"name => (({FOCUSED})())[0].startsWith(name)", arg=name, polling=50
        )
        await self.focus()

    async def to_page(self, title: str) -> None:
        """From anywhere to a page, by the links at the left edge."""
        mark = "Toolweave, start page"
        await self.until("F6", mark)
        if title != "Workflows":
            await self.until("Tab", title)
        await self.page.keyboard.press("Enter")
        await expect(self.page.locator("h1:focus")).to_have_text(title)

    async def open(self, link: str, heading: str) -> None:
        """Follow a link of the page."""
        await self.until("Tab", link)
        await self.page.keyboard.press("Enter")
        await expect(self.page.locator("h1:focus")).to_have_text(heading)
