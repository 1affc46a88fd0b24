import type { ReactNode } from "react";

/** A placeholder for empty content, with a hint what to do; `isPage` if it is the whole page. */
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
