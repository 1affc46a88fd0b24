/** All pages: address, title and content. A new page is one entry here. */

import type { ReactNode } from "react";
import { Suspense, lazy } from "react";
import { ChatPage } from "../features/chat/ChatPage";
import { InboxPage } from "../features/inbox/InboxPage";
import { ManagePage } from "../features/manage/ManagePage";
import { ComparePage } from "../features/runs/ComparePage";
import { RunsPage } from "../features/runs/RunsPage";
import { ServersPage } from "../features/servers/ServersPage";
import { TemplatesPage } from "../features/workflows/TemplatesPage";
import { WorkflowsPage } from "../features/workflows/WorkflowsPage";
import type { Route } from "../state/route";
import { EmptyState } from "../ui/EmptyState";
import type { IconName } from "../ui/Icon";
import { EditorPage } from "./EditorPage";
import { RunPage } from "./RunPage";

export interface Page {
  page: string;
  title: string;
  /** The title of the browser tab, if it is not the title of the page. */
  tab?(route: Route): string;
  /** Pages with an icon are in the navigation rail. */
  icon?: IconName;
  /** Other pages for which this one is marked as current. */
  related?: string[];
  show(route: Route): ReactNode;
}

const VersionsPage = lazy(() => import("./VersionsPage"));
const TriggersPage = lazy(() => import("../features/manage/TriggersPage"));
const AuthorizePage = lazy(() => import("../features/manage/AuthorizePage"));
const CredentialsPage = lazy(() => import("../features/manage/CredentialsPage"));

/** Sections of Manage that are pages of their own now; links to them still work. */
const MOVED: Readonly<Record<string, (() => ReactNode) | undefined>> = {
  triggers: () => <TriggersPage />,
  services: () => <CredentialsPage />,
};

export const PAGES: readonly Page[] = [
  {
    page: "",
    title: "Workflows",
    icon: "list",
    related: ["w", "new", "versions"],
    show: () => <WorkflowsPage />,
  },
  { page: "templates", title: "Templates", icon: "template", show: () => <TemplatesPage /> },
  {
    page: "w",
    title: "Editor",
    tab: ({ rest }) => rest[0] ?? "Editor",
    show: ({ rest, query }) => <EditorPage name={rest[0] ?? ""} runsAtOnce={query.has("run")} />,
  },
  {
    page: "versions",
    title: "Versions",
    tab: ({ rest }) => `Versions of ${rest[0] ?? ""}`,
    show: ({ rest }) => <VersionsPage key={rest[0] ?? ""} name={rest[0] ?? ""} />,
  },
  {
    page: "new",
    title: "New workflow",
    show: ({ rest }) => <EditorPage name={null} draftId={rest[0] ?? null} />,
  },
  {
    page: "runs",
    title: "Runs",
    icon: "clock",
    related: ["compare"],
    tab: ({ rest }) => (rest[0] ? `Run ${rest[0].slice(0, 8)}` : "Runs"),
    show: ({ rest }) => (rest[0] ? <RunPage id={rest[0]} /> : <RunsPage />),
  },
  {
    page: "compare",
    title: "Compare runs",
    show: ({ rest }) => <ComparePage first={rest[0] ?? ""} second={rest[1] ?? ""} />,
  },
  {
    page: "inbox",
    title: "Inbox",
    icon: "inbox",
    show: ({ rest }) => <InboxPage key={rest[0] ?? ""} chosen={rest[0] ?? null} />,
  },
  {
    page: "chat",
    title: "Chat",
    icon: "chat",
    show: ({ query }) => <ChatPage document={query.get("document") ?? ""} />,
  },
  {
    page: "servers",
    title: "Servers",
    icon: "server",
    show: ({ rest, query }) => (
      <ServersPage key={rest[0] ?? ""} chosen={rest[0] ?? null} isImporting={query.has("import")} />
    ),
  },
  {
    page: "authorize",
    title: "Allow access",
    show: ({ query }) => <AuthorizePage query={query.toString()} />,
  },
  { page: "triggers", title: "Triggers", icon: "bolt", show: () => <TriggersPage /> },
  { page: "credentials", title: "Credentials", icon: "key", show: () => <CredentialsPage /> },
  {
    page: "manage",
    title: "Manage",
    icon: "cog",
    show: ({ rest }) => MOVED[rest[0] ?? ""]?.() ?? <ManagePage section={rest[0] ?? null} />,
  },
];

export function pageTitle(route: Route): string {
  const entry = PAGES.find((page) => page.page === route.page);
  return entry?.tab?.(route) ?? entry?.title ?? NOT_FOUND;
}

const NOT_FOUND = "Page not found";

export function PageContent({ route }: { route: Route }) {
  const entry = PAGES.find((page) => page.page === route.page);
  if (entry)
    return <Suspense fallback={<EmptyState title="Opening…" isPage />}>{entry.show(route)}</Suspense>;
  return (
    <EmptyState title={NOT_FOUND} isPage>
      <a href="#/">Back to workflows</a>
    </EmptyState>
  );
}
