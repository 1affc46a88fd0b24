import type { ReactNode } from "react";
import { useState } from "react";
import { Badge } from "./Badge";

/** Longer texts are collapsed to this length. */
const PREVIEW_CHARS = 700;

interface Props {
  text: string;
  warnings: string[];
  /** Parts between backticks are code. */
  hasCode?: boolean;
}

/** Untrusted text, shown as plain text, with a badge for suspicious characters. */
export function Untrusted({ text, warnings, hasCode = false }: Props) {
  const [isExpanded, setExpanded] = useState(false);
  const isLong = text.length > PREVIEW_CHARS + 100;
  const shown = isLong && !isExpanded ? `${text.slice(0, PREVIEW_CHARS)}…` : text;
  return (
    <span className="untrusted">
      {warnings.length > 0 && (
        <>
          <Badge tone="warn" title="Shown as plain text">
            contains {warnings.join(", ")}
          </Badge>{" "}
        </>
      )}
      <bdi>{hasCode ? withCode(shown) : shown}</bdi>
      {isLong && (
        <>
          {" "}
          <button
            type="button"
            className="untrusted__more"
            aria-expanded={isExpanded}
            onClick={() => setExpanded(!isExpanded)}
          >
            {isExpanded ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
          </button>
        </>
      )}
    </span>
  );
}

function withCode(text: string): ReactNode[] {
  return text.split(/`([^`\n]{1,200})`/).map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part));
}
