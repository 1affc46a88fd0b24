/** The way from the outermost workflow to the open sub-workflow. */

import { safeText } from "../model/text/untrusted";
import { crumbsOf } from "../state/subworkflows";
import { useRoute } from "./useRoute";

export function Breadcrumb() {
  const crumbs = crumbsOf(useRoute().query);
  if (crumbs.length === 0) return null;
  return (
    <nav className="crumbs" aria-label="Breadcrumb">
      {crumbs.map(({ title, href }) => (
        <span key={href} className="crumbs__item">
          <a href={href}>{safeText(title).text}</a>
          <span aria-hidden="true">›</span>
        </span>
      ))}
    </nav>
  );
}
