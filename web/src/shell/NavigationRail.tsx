/** The pages, at the left edge. */

import { useStore } from "zustand";
import { pathTo } from "../state/route";
import { themeStore, toggleTheme } from "../state/theme";
import { useWaiting } from "../queries/inbox";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { PAGES } from "./pages";

export function Rail({ page }: { page: string }) {
  const theme = useStore(themeStore, (state) => state.theme);
  const waiting = useWaiting();
  return (
    <nav className="rail" aria-label="Pages" data-panel data-stop="rail">
      <a className="rail__mark" href="#/" aria-label="Toolweave, start page">
        <img src="/favicon.svg" alt="" width="28" height="28" />
      </a>
      {PAGES.filter((one) => one.icon).map((one) => {
        const isHere = one.page === page || one.also?.includes(page);
        return (
          <a key={one.page} className="rail__link" href={pathTo(one.page)} aria-current={isHere ? "page" : undefined}>
            <Icon name={one.icon!} size={18} />
            <span>{one.title}</span>
            {one.page === "inbox" && waiting > 0 && (
              <span className="rail__count">
                {waiting}
                <span className="visually-hidden"> waiting for you</span>
              </span>
            )}
          </a>
        );
      })}
      <span className="rail__space" />
      <IconButton label={theme === "dark" ? "Light colours" : "Dark colours"} icon={theme === "dark" ? "sun" : "moon"} onClick={toggleTheme} />
    </nav>
  );
}
