import { useState } from "react";
import { Badge } from "./Badge";

/** What is read at a glance; the rest of a text is one press away. */
const MOST = 700;

/** Text of others, as text and nothing else; a mark says what is odd about it. */
export function Untrusted({ text, marks }: { text: string; marks: string[] }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > MOST + 100;
  return (
    <span className="untrusted">
      {marks.length > 0 && (
        <>
          <Badge tone="warn" title="It is shown as text only">
            contains {marks.join(", ")}
          </Badge>{" "}
        </>
      )}
      <bdi>{isLong && !isWhole ? `${text.slice(0, MOST)}…` : text}</bdi>
      {isLong && (
        <>
          {" "}
          <button type="button" className="untrusted__more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
          </button>
        </>
      )}
    </span>
  );
}
