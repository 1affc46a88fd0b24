/** How the palette is divided: favorites and recent nodes first, then the families, with one group for each server. */

import { safeText } from "../text/untrusted";
import type { CatalogEntry } from "./catalog";
import { FAMILIES, FAMILY_TITLES, familyOf } from "./families";

export interface PaletteGroup {
  /** Identifies the group while it is open or closed. */
  id: string;
  title: string;
  entries: CatalogEntry[];
  isInitiallyOpen: boolean;
}

const MAX_RECENT = 4;
/** A server with more tools than this is closed at first: it would hide everything below it. */
const MAX_OPEN_TOOLS = 8;

export function paletteGroups(
  entries: readonly CatalogEntry[],
  recent: readonly string[],
  favorites: readonly string[] = [],
): PaletteGroup[] {
  const byRef = new Map(entries.map((entry) => [entry.ref, entry]));
  const known = (refs: readonly string[]) => refs.flatMap((ref) => byRef.get(ref) ?? []);
  const lastUsed = known(recent.filter((ref) => !favorites.includes(ref)));
  const groups = [
    { id: "favorites", title: "Favorites", entries: known(favorites), isInitiallyOpen: true },
    { id: "recent", title: "Recent", entries: lastUsed.slice(0, MAX_RECENT), isInitiallyOpen: true },
    ...FAMILIES.flatMap((family) => {
      const members = entries.filter((entry) => familyOf(entry.type) === family);
      const own = members.filter(({ server }) => server === null);
      const group = { id: family, title: FAMILY_TITLES[family], entries: own, isInitiallyOpen: true };
      return [...serverGroups(members), group];
    }),
  ];
  return groups.filter((group) => group.entries.length > 0);
}

function serverGroups(members: readonly CatalogEntry[]): PaletteGroup[] {
  const servers = [...new Set(members.flatMap(({ server }) => server ?? []))];
  return servers.map((name) => {
    const tools = members.filter(({ server }) => server === name);
    return {
      id: `server ${name}`,
      title: `${safeText(name).text} (MCP)`,
      entries: tools,
      isInitiallyOpen: tools.length <= MAX_OPEN_TOOLS,
    };
  });
}
