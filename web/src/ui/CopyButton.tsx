import { useState } from "react";
import { Button } from "./Button";

const LABELS = { ready: "Copy", done: "Copied", failed: "Copy failed; select the text and copy it" } as const;

/** Copies a text to the clipboard; `what` names the text for screen readers. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [state, setState] = useState<keyof typeof LABELS>("ready");
  const copy = async () => {
    try {
      // Browsers allow this only in secure contexts.
      await navigator.clipboard.writeText(text);
      setState("done");
    } catch {
      setState("failed");
    }
  };
  return (
    <>
      <Button
        icon={state === "done" ? "check" : "copy"}
        aria-label={`Copy ${what}`}
        onClick={() => void copy()}
      >
        {LABELS[state]}
      </Button>
      <span className="visually-hidden" role="status">
        {state === "ready" ? "" : `${LABELS[state]}: ${what}`}
      </span>
    </>
  );
}
