import { useState } from "react";
import { Badge } from "./Badge";

/** Longer texts are collapsed to this length. */
const PREVIEW_CHARS = 700;

/** Untrusted text, shown as plain text, with a badge for suspicious characters. */
export function Untrusted({ text, warnings }: { text: string; warnings: string[] }) {
  const [isExpanded, setExpanded] = useState(false);
  const isLong = text.length > PREVIEW_CHARS + 100;
  return (
    <span className="untrusted">
      {warnings.length > 0 && (
        <>
          <Badge tone="warn" title="Shown as plain text">
            contains {warnings.join(", ")}
          </Badge>{" "}
        </>
      )}
      <bdi>{isLong && !isExpanded ? `${text.slice(0, PREVIEW_CHARS)}…` : text}</bdi>
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
