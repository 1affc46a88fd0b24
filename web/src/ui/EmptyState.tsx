import type { ReactNode } from "react";
import type { IconName } from "./Icon";
import { Icon } from "./Icon";

/** A placeholder for empty content, with a hint what to do; `isPage` if it is the whole page. */
export function EmptyState({
  title,
  icon,
  isPage = false,
  children,
}: {
  title: string;
  icon?: IconName;
  isPage?: boolean;
  children?: ReactNode;
}) {
  return (
    <div className="empty">
      {icon && (
        <span className="empty__icon">
          <Icon name={icon} />
        </span>
      )}
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}
