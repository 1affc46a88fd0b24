import { Badge } from "./Badge";

/** Text of others, as text and nothing else; a mark says what is odd about it. */
export function Untrusted({ text, marks }: { text: string; marks: string[] }) {
  return (
    <span className="untrusted">
      {marks.length > 0 && (
        <>
          <Badge tone="warn" title="It is shown as text only">
            contains {marks.join(", ")}
          </Badge>{" "}
        </>
      )}
      <bdi>{text}</bdi>
    </span>
  );
}
