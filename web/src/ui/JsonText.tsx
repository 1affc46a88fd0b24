/** JSON with syntax colours, to read. */

import { useMemo } from "react";
import { jsonTokens } from "./jsonTokens";
import "./jsonText.css";

export function JsonText({ text }: { text: string }) {
  const tokens = useMemo(() => jsonTokens(text), [text]);
  return tokens.map((token, at) =>
    token.kind === "other" ? (
      token.text
    ) : (
      <span key={at} className={`json-${token.kind}`}>
        {token.text}
      </span>
    ),
  );
}
