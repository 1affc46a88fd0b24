/** Everything that can be added, in groups that fold; a search lists the best match first, and Enter adds it. */

import type { DragEvent, KeyboardEvent } from "react";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useStore } from "zustand";
import type { CatalogEntry, Specs } from "../../model/workflow/catalog";
import { ENTRY_DRAG_TYPE, BUILT_IN_STEPS, entryIcon, entryText } from "../../model/workflow/catalog";
import { isSecondTrigger, searchEntries } from "../../model/workflow/entrySearch";
import type { PaletteGroup } from "../../model/workflow/paletteGroups";
import { paletteGroups } from "../../model/workflow/paletteGroups";
import type { Workflow } from "../../model/workflow/workflow";
import { insertEntry } from "../../queries/insertion";
import { useEditor } from "../../state/editorContext";
import { favoriteStore, toggleFavorite } from "../../state/favorites";
import { recentNodes } from "../../state/recentNodes";
import { Icon } from "../../ui/Icon";
import { NodeIcon } from "../../ui/NodeIcon";
import { TextWarning } from "../../ui/TextWarning";
import "./palette.css";

const MAX_PER_FAMILY = 60;
const RESULTS = "results";

interface Props {
  entries: CatalogEntry[];
  specs: Specs;
  isLoading: boolean;
}

export function Palette({ entries, specs, isLoading }: Props) {
  const editor = useEditor();
  const [typed, setTyped] = useState("");
  // Not deferred, because Enter right after a key applies to what was typed.
  const search = typed;
  const list = useRef<HTMLDivElement>(null);
  // Recent nodes change with the search only: a list that moves under the pointer is clicked in the wrong place.
  const favorites = useStore(favoriteStore, (state) => state.nodes);
  const groups = useMemo(
    () => groupsOf([...BUILT_IN_STEPS, ...entries], search, favorites, editor.document.workflow),
    [entries, search, favorites, editor],
  );
  const onAdded = () => setTyped("");
  const [isEnterPending, setEnterPending] = useState(false);
  useEffect(() => {
    if (isLoading || !isEnterPending) return;
    setEnterPending(false);
    list.current?.querySelector<HTMLButtonElement>(".palette__item")?.click();
  }, [isLoading, isEnterPending]);
  // The list is one tab stop; arrow keys move within it.
  const first = groups[0]?.entries[0];
  const moveFocus = (event: KeyboardEvent) => {
    const items = [
      ...(list.current?.querySelectorAll<HTMLButtonElement>("button:not(.palette__star)") ?? []),
    ];
    const focused = document.activeElement as HTMLButtonElement;
    const row = focused.closest<HTMLElement>(".palette__row");
    const current = row?.querySelector<HTMLButtonElement>(".palette__item") ?? focused;
    const at = items.indexOf(current);
    if (event.key === "ArrowRight" && row) row.querySelector<HTMLButtonElement>(".palette__star")?.focus();
    else if (event.key === "ArrowLeft" && row) current.focus();
    else if (event.key === "ArrowDown") items[Math.min(at + 1, items.length - 1)]?.focus();
    else if (event.key === "ArrowUp" && at > 0) items[at - 1]?.focus();
    // While the nodes load, the best match may be missing.
    else if (event.key === "Enter" && at < 0 && typed && isLoading) setEnterPending(true);
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
        onChange={(event) => (setTyped(event.target.value), setEnterPending(false))}
      />
      <p id="palette-help" className="visually-hidden">
        Use the arrow keys to go through the results and Enter to add one. The right arrow leads to its star.
      </p>
      <div className="palette__list" ref={list}>
        {groups.map((group) => (
          <Group key={group.id} group={group} specs={specs} first={first} onAdded={onAdded} />
        ))}
        {isLoading && (
          <p className="palette__more" role="status">
            Loading nodes…
          </p>
        )}
        {groups.length === 0 && !isLoading && (
          <p className="palette__more">No results. Tools of a server appear here once it is approved.</p>
        )}
      </div>
    </div>
  );
}

interface GroupProps {
  group: PaletteGroup;
  specs: Specs;
  first: CatalogEntry | undefined;
  onAdded(): void;
}

function Group({ group: { id, title, entries, isInitiallyOpen }, specs, first, onAdded }: GroupProps) {
  const canFold = id !== RESULTS;
  const [isOpen, setOpen] = useState(() => openGroups.get(id) ?? isInitiallyOpen);
  const toggle = () => {
    openGroups.set(id, !isOpen);
    setOpen(!isOpen);
  };
  return (
    <section aria-label={title}>
      <h2 className="palette__family">
        {canFold ? (
          // Reached with the arrow keys, as the items are.
          <button type="button" tabIndex={-1} aria-expanded={isOpen} onClick={toggle}>
            <Icon name="right" size={12} />
            {title}
            <span className="palette__count">{entries.length}</span>
          </button>
        ) : (
          title
        )}
      </h2>
      {isOpen &&
        entries
          .slice(0, MAX_PER_FAMILY)
          .map((entry) => (
            <Item key={entry.ref} entry={entry} specs={specs} isStop={entry === first} onAdded={onAdded} />
          ))}
      {isOpen && entries.length > MAX_PER_FAMILY && (
        <p className="palette__more">{entries.length - MAX_PER_FAMILY} more; type to find them.</p>
      )}
    </section>
  );
}

/** Groups that were opened or closed, until the page is loaded again. */
const openGroups = new Map<string, boolean>();

interface ItemProps {
  entry: CatalogEntry;
  specs: Specs;
  isStop: boolean;
  onAdded(): void;
}

function Item({ entry, specs, isStop, onAdded }: ItemProps) {
  const editor = useEditor();
  const drag = (event: DragEvent) => {
    event.dataTransfer.setData(ENTRY_DRAG_TYPE, entry.ref);
    event.dataTransfer.effectAllowed = "copy";
  };
  const { title, summary, warnings } = entryText(entry);
  const isFavorite = useStore(favoriteStore, (state) => state.nodes.includes(entry.ref));
  const id = useId();
  return (
    <div className="palette__row">
      <button
        type="button"
        className="palette__item"
        tabIndex={isStop ? 0 : -1}
        draggable
        onDragStart={drag}
        onClick={() => (insertEntry(editor, entry, specs), onAdded())}
        title={summary}
      >
        <NodeIcon {...entryIcon(entry)} />
        <span className="palette__names">
          <span className="palette__title" id={id}>
            <TextWarning warnings={warnings} /> {title}
          </span>
          <span className="palette__summary">{summary}</span>
        </span>
      </button>
      <button
        type="button"
        className="palette__star"
        tabIndex={-1}
        aria-label="Favorite"
        aria-describedby={id}
        aria-pressed={isFavorite}
        title={isFavorite ? "Remove from favorites" : "Add to favorites"}
        onClick={(event) => toggleInPlace(entry.ref, event.currentTarget)}
      >
        <Icon name="star" size={14} />
      </button>
    </div>
  );
}

/** The group of favorites grows or shrinks above the star, which stays under the pointer. */
function toggleInPlace(ref: string, star: HTMLElement): void {
  const list = star.closest(".palette__list")!;
  const before = star.getBoundingClientRect().top;
  flushSync(() => toggleFavorite("nodes", ref));
  if (star.isConnected) list.scrollTop += star.getBoundingClientRect().top - before;
}

/** In groups; a search gives one ranked list, so that Enter adds the best match. */
function groupsOf(
  entries: CatalogEntry[],
  typed: string,
  favorites: readonly string[],
  workflow: Workflow,
): PaletteGroup[] {
  if (!typed.trim()) return paletteGroups(entries, recentNodes(), favorites);
  const matching = searchEntries(entries, typed, {
    most: MAX_PER_FAMILY,
    recent: [...favorites, ...recentNodes()],
    isUnlikely: (entry) => isSecondTrigger(workflow, entry),
  });
  const results = { id: RESULTS, title: "Results", entries: matching, isInitiallyOpen: true };
  return matching.length > 0 ? [results] : [];
}
