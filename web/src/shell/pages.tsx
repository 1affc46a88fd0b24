/** Every page: where it is, what it is called, what it shows. A new page is one line here. */

import type { ReactNode } from "react";
import type { Route } from "../model/route";
import { Empty } from "../ui/Empty";
import type { IconName } from "../ui/Icon";
import { WorkflowsPage } from "../features/files/WorkflowsPage";
import { EditorPage } from "./EditorPage";

export interface Page {
  page: string;
  title: string;
  /** In the rail when it has one. */
  icon?: IconName;
  /** Other pages that belong to it. */
  also?: string[];
  show(route: Route): ReactNode;
}

export const PAGES: readonly Page[] = [
  { page: "", title: "Workflows", icon: "list", also: ["w", "new"], show: () => <WorkflowsPage /> },
  { page: "w", title: "Editor", show: ({ rest }) => <EditorPage name={rest[0] ?? ""} /> },
  { page: "new", title: "New workflow", show: () => <EditorPage name={null} /> },
];

export function PageOf({ route }: { route: Route }) {
  const found = PAGES.find((one) => one.page === route.page);
  if (found) return <>{found.show(route)}</>;
  return (
    <Empty title="There is no such page">
      <a href="#/">To the workflows</a>
    </Empty>
  );
}
