/** Everything that can be added, by family; a search lists the best match first, and Enter adds it. */

import type { DragEvent, KeyboardEvent } from "react";
import { useMemo, useRef, useState } from "react";
import type { CatalogEntry, Specs } from "../../model/workflow/catalog";
import {
  ENTRY_DRAG_TYPE,
  BUILT_IN_STEPS,
  entryIcon,
  entryText,
  searchEntries,
} from "../../model/workflow/catalog";
import { FAMILIES, FAMILY_TITLES, familyOf } from "../../model/workflow/families";
import { insertEntry } from "../../queries/insertion";
import { useEditor } from "../../state/editorContext";
import { recentNodes } from "../../state/recentNodes";
import { NodeIcon } from "../../ui/NodeIcon";
import { TextWarning } from "../../ui/TextWarning";
import "./palette.css";

const MAX_PER_FAMILY = 60;

export function Palette({ entries, specs }: { entries: CatalogEntry[]; specs: Specs }) {
  const [typed, setTyped] = useState("");
  // Not deferred, because Enter right after a key applies to what was typed.
  const search = typed;
  const list = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => groupsOf([...BUILT_IN_STEPS, ...entries], search), [entries, search]);
  // The list is one tab stop; arrow keys move within it.
  const first = groups[0]?.matching[0];
  const moveFocus = (event: KeyboardEvent) => {
    const items = [...(list.current?.querySelectorAll<HTMLButtonElement>(".palette__item") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === "ArrowDown") items[Math.min(at + 1, items.length - 1)]?.focus();
    else if (event.key === "ArrowUp" && at > 0) items[at - 1]?.focus();
    else if (event.key === "Enter" && at < 0 && typed) items[0]?.click();
    else return;
    event.preventDefault();
  };
  return (
    <div className="palette" onKeyDown={moveFocus}>
      <input
        className="input"
        type="search"
        placeholder="Search nodes and tools"
        aria-label="Search nodes and tools"
        aria-describedby="palette-help"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <p id="palette-help" className="visually-hidden">
        Use the arrow keys to go through the results and Enter to add one.
      </p>
      <div className="palette__list" ref={list}>
        {groups.map(({ title, matching }) => (
          <section key={title} aria-label={title}>
            <h2 className="palette__family">{title}</h2>
            {matching.slice(0, MAX_PER_FAMILY).map((entry) => (
              <Item key={entry.ref} entry={entry} specs={specs} isStop={entry === first} />
            ))}
            {matching.length > MAX_PER_FAMILY && (
              <p className="palette__more">{matching.length - MAX_PER_FAMILY} more; type to find them.</p>
            )}
          </section>
        ))}
        {groups.length === 0 && (
          <p className="palette__more">No results. Tools of a server appear here once it is approved.</p>
        )}
      </div>
    </div>
  );
}

function Item({ entry, specs, isStop }: { entry: CatalogEntry; specs: Specs; isStop: boolean }) {
  const editor = useEditor();
  const drag = (event: DragEvent) => {
    event.dataTransfer.setData(ENTRY_DRAG_TYPE, entry.ref);
    event.dataTransfer.effectAllowed = "copy";
  };
  const { title, summary, warnings } = entryText(entry);
  return (
    <button
      type="button"
      className="palette__item"
      tabIndex={isStop ? 0 : -1}
      draggable
      onDragStart={drag}
      onClick={() => insertEntry(editor, entry, specs)}
      title={summary}
    >
      <NodeIcon {...entryIcon(entry)} />
      <span className="palette__names">
        <span className="palette__title">
          <TextWarning warnings={warnings} /> {title}
        </span>
        <span className="palette__summary">{summary}</span>
      </span>
    </button>
  );
}

/** By family; a search gives one ranked list, so that Enter adds the best match. */
function groupsOf(entries: CatalogEntry[], typed: string): { title: string; matching: CatalogEntry[] }[] {
  if (typed.trim()) {
    const matching = searchEntries(entries, typed, MAX_PER_FAMILY, recentNodes());
    return matching.length > 0 ? [{ title: "Results", matching }] : [];
  }
  return FAMILIES.map((family) => ({
    title: FAMILY_TITLES[family],
    matching: entries.filter((entry) => familyOf(entry.type) === family),
  })).filter((group) => group.matching.length > 0);
}
