import { useState } from "react";
import { Badge } from "./Badge";

/** What is read at a glance; the rest of a text is one press away. */
const PREVIEW_CHARS = 700;

/** Text of others, as text and nothing else; a mark says what is odd about it. */
export function Untrusted({ text, warnings }: { text: string; warnings: string[] }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > PREVIEW_CHARS + 100;
  return (
    <span className="untrusted">
      {warnings.length > 0 && (
        <>
          <Badge tone="warn" title="It is shown as text only">
            contains {warnings.join(", ")}
          </Badge>{" "}
        </>
      )}
      <bdi>{isLong && !isWhole ? `${text.slice(0, PREVIEW_CHARS)}…` : text}</bdi>
      {isLong && (
        <>
          {" "}
          <button
            type="button"
            className="untrusted__more"
            aria-expanded={isWhole}
            onClick={() => setWhole(!isWhole)}
          >
            {isWhole ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
          </button>
        </>
      )}
    </span>
  );
}
