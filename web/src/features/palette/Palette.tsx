/** Everything that can be added, by family; search, then drag an entry or press Enter to add it. */

import type { DragEvent, KeyboardEvent } from "react";
import { useMemo, useRef, useState } from "react";
import type { CatalogEntry, Specs } from "../../model/workflow/catalog";
import { ENTRY_DRAG_TYPE, BUILT_IN_STEPS, entryText, searchEntries } from "../../model/workflow/catalog";
import { FAMILIES, FAMILY_TITLES, familyOf } from "../../model/workflow/families";
import { insertEntry } from "../../queries/insertion";
import { useEditor } from "../../state/editorContext";
import { FamilyIcon } from "../../ui/FamilyIcon";
import { TextWarning } from "../../ui/TextWarning";
import "./palette.css";

const MAX_PER_FAMILY = 60;

export function Palette({ entries, specs }: { entries: CatalogEntry[]; specs: Specs }) {
  const [typed, setTyped] = useState("");
  // Not deferred, because Enter right after a key applies to what was typed.
  const search = typed;
  const list = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => groupByFamily([...BUILT_IN_STEPS, ...entries], search), [entries, search]);
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
        Arrow down goes through what fits, Enter adds it.
      </p>
      <div className="palette__list" ref={list}>
        {groups.map(({ family, matching }) => (
          <section key={family} aria-label={FAMILY_TITLES[family]}>
            <h2 className="palette__family">{FAMILY_TITLES[family]}</h2>
            {matching.slice(0, MAX_PER_FAMILY).map((entry) => (
              <Item key={entry.ref} entry={entry} specs={specs} isStop={entry === first} />
            ))}
            {matching.length > MAX_PER_FAMILY && (
              <p className="palette__more">{matching.length - MAX_PER_FAMILY} more; type to find them.</p>
            )}
          </section>
        ))}
        {groups.length === 0 && (
          <p className="palette__more">
            Nothing is called that. Tools of a server appear here once it is approved.
          </p>
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
      <FamilyIcon family={familyOf(entry.type)} />
      <span className="palette__names">
        <span className="palette__title">
          <TextWarning warnings={warnings} /> {title}
        </span>
        <span className="palette__summary">{summary}</span>
      </span>
    </button>
  );
}

function groupByFamily(entries: CatalogEntry[], typed: string) {
  const matching = typed.trim() ? searchEntries(entries, typed, 120) : entries;
  // Tools of connected servers come before generic nodes.
  const sorted = [...matching.filter((entry) => entry.server), ...matching.filter((entry) => !entry.server)];
  return FAMILIES.map((family) => ({
    family,
    matching: sorted.filter((entry) => familyOf(entry.type) === family),
  })).filter((group) => group.matching.length > 0);
}
