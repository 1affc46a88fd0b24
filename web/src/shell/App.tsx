/** The whole page: authentication, the current page, and the frame around it. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { ApiError } from "../api/client";
import { currentToken, shareTokenWithTabs, takeTokenFromAddress } from "../api/token";
import { useChangeFeed } from "../queries/changeFeed";
import { connectionStore, watchConnection } from "../state/connection";
import { leavePage } from "../state/notices";
import { Announcer } from "./Announcer";
import { ErrorBoundary } from "./ErrorBoundary";
import { KeyboardShortcuts } from "./KeyboardShortcuts";
import { NavigationRail } from "./NavigationRail";
import { Notices } from "./Notices";
import { PageContent } from "./pages";
import { Playground } from "./Playground";
import { TokenPage } from "./TokenPage";
import { useFileDrop } from "./useFileDrop";
import { useHomeNoticeAlerts } from "./useHomeNoticeAlerts";
import { usePageFocus, useFocusRecovery } from "./useFocus";
import { useRoute } from "./useRoute";
import "./shell.css";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // An error response is final; a service that does not answer is retried.
      retry: (count, error) => count < 2 && (error as ApiError).isUnreachable,
      refetchOnWindowFocus: true,
    },
  },
});

export function App() {
  const [hasToken, setHasToken] = useState(currentToken() !== null);
  const link = useStore(connectionStore, (state) => state.link);
  useEffect(() => watchConnection(() => void queries.invalidateQueries()), []);
  const authenticate = () => {
    // The page is not reloaded, so that unsaved edits stay.
    queries.clear();
    connectionStore.setState({ link: "up" });
    setHasToken(true);
  };
  useEffect(() => {
    // Changing only the fragment of the address does not reload the page.
    const onHashChange = () => {
      if (!window.location.hash.startsWith("#token=") || !takeTokenFromAddress()) return;
      authenticate();
      // The key is no page.
      window.dispatchEvent(new Event("hashchange"));
    };
    window.addEventListener("hashchange", onHashChange);
    return () => window.removeEventListener("hashchange", onHashChange);
  }, []);
  useEffect(() => shareTokenWithTabs(authenticate), []);
  const isAsking = useOtherTabsAsked(hasToken);
  if (isAsking) return null;
  if (!hasToken || link === "refused") return <TokenPage isWrong={hasToken} onToken={authenticate} />;
  return (
    <QueryClientProvider client={queries}>
      <Studio isDown={link === "down"} />
    </QueryClientProvider>
  );
}

const OTHER_TABS_MS = 250;

/** For a moment, in which another tab may answer with its key. */
function useOtherTabsAsked(hasToken: boolean): boolean {
  const [isOver, setOver] = useState(hasToken);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), OTHER_TABS_MS);
    return () => clearTimeout(timer);
  }, []);
  return !hasToken && !isOver;
}

function Studio({ isDown }: { isDown: boolean }) {
  const route = useRoute();
  useEffect(leavePage, [route.page, route.rest[0]]);
  useChangeFeed();
  useHomeNoticeAlerts();
  usePageFocus(route);
  useFocusRecovery();
  const dropHint = useFileDrop();
  return (
    <div className="studio">
      <a
        className="visually-hidden studio__skip"
        href="#main"
        onClick={(event) => (event.preventDefault(), document.getElementById("main")?.focus())}
      >
        Skip to the page
      </a>
      <NavigationRail page={route.page} />
      <main id="main" className="studio__main" tabIndex={-1} data-stop="page">
        {isDown && (
          <div className="studio__down" role="status">
            The service is not responding. Your changes are kept here; the page reconnects automatically.
          </div>
        )}
        <ErrorBoundary where={window.location.hash}>
          <PageContent route={route} />
        </ErrorBoundary>
      </main>
      {dropHint && <div className="studio__drop">{dropHint}</div>}
      <Playground />
      <Notices />
      <Announcer />
      <KeyboardShortcuts />
    </div>
  );
}
