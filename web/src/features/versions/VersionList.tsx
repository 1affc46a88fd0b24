/** The saved versions of a workflow, newest first; arrow keys move between them. */

import type { KeyboardEvent } from "react";
import { safeText } from "../../model/text/untrusted";
import type { Version } from "../../queries/versions";
import { Badge } from "../../ui/Badge";
import "./versions.css";

interface Props {
  versions: readonly Version[];
  chosen: number;
  onChoose(number: number): void;
}

export function VersionList({ versions, chosen, onChoose }: Props) {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const at = versions.findIndex(({ number }) => number === chosen);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: versions.length - 1 }[event.key];
    const next = to === undefined ? undefined : versions[to];
    if (!next) return;
    event.preventDefault();
    onChoose(next.number);
    const options = event.currentTarget.querySelectorAll<HTMLElement>("[role=option]");
    options[versions.indexOf(next)]?.focus();
  };
  return (
    <ul className="versions" role="listbox" aria-label="Versions" onKeyDown={onKeyDown}>
      {versions.map((version) => (
        <li
          key={version.number}
          role="option"
          aria-selected={version.number === chosen}
          tabIndex={version.number === chosen ? 0 : -1}
          className="versions__item"
          onClick={() => onChoose(version.number)}
        >
          <span className="versions__title">
            {version.label ? safeText(version.label).text : `Version ${version.number}`}
          </span>
          <span className="versions__marks">
            {version.isCurrent && <Badge>current</Badge>}
            {version.isPublished && <Badge tone="good">published</Badge>}
          </span>
          <span className="faint versions__facts">
            {new Date(version.savedAt).toLocaleString()} · {authorOf(version)}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function authorOf({ author }: Version): string {
  return author === null ? "another program" : safeText(author).text;
}
