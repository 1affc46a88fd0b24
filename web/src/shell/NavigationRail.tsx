/** The links to all pages, on the left edge. */

import { useStore } from "zustand";
import { useWaitingCount } from "../queries/inbox";
import { hrefTo } from "../state/route";
import { themeStore, toggleTheme } from "../state/theme";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { PAGES } from "./pages";

export function NavigationRail({ page }: { page: string }) {
  const theme = useStore(themeStore, (state) => state.theme);
  const waiting = useWaitingCount();
  return (
    <nav className="rail" aria-label="Pages" data-panel data-stop="rail">
      <a className="rail__mark" href="#/" aria-label="Toolweave, start page">
        <img src="/favicon.svg" alt="" width="28" height="28" />
      </a>
      {PAGES.filter((entry) => entry.icon).map((entry) => {
        const isHere = entry.page === page || entry.related?.includes(page);
        return (
          <a
            key={entry.page}
            className="rail__link"
            href={hrefTo(entry.page)}
            aria-current={isHere ? "page" : undefined}
          >
            <Icon name={entry.icon!} size={18} />
            <span>{entry.title}</span>
            {entry.page === "inbox" && waiting > 0 && (
              <span className="rail__count">
                {waiting}
                <span className="visually-hidden"> unanswered</span>
              </span>
            )}
          </a>
        );
      })}
      <span className="rail__space" />
      <IconButton
        label={theme === "dark" ? "Light colours" : "Dark colours"}
        icon={theme === "dark" ? "sun" : "moon"}
        onClick={toggleTheme}
      />
    </nav>
  );
}
