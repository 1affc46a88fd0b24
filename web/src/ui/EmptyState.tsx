import type { ReactNode } from "react";

/** Nothing is here yet: what would be, and what to do next; `isPage` where that is the whole page. */
export function EmptyState({
  title,
  isPage = false,
  children,
}: {
  title: string;
  isPage?: boolean;
  children?: ReactNode;
}) {
  return (
    <div className="empty">
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}
