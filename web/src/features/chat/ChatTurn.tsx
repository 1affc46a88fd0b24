import type { ReactNode } from "react";
import { Fragment } from "react";
import type { Turn } from "../../model/chat/conversation";
import { mediaIn, mediaViews } from "../../model/run/media";
import { mediaData } from "../../model/run/mediaData";
import { hintParts } from "../../model/text/hints";
import { parseMarkdown } from "../../model/text/markdown";
import { safeText } from "../../model/text/untrusted";
import { Hint } from "../../ui/Hint";
import { MarkdownText } from "../../ui/MarkdownBlocks";
import { MediaParts } from "../../ui/MediaParts";

/** A message, the tool calls for it, and the answer. */
export function ChatTurn({ turn, children }: { turn: Turn; children?: ReactNode }) {
  return (
    <li className="chat__turn">
      <p className="chat__message">{turn.message}</p>
      {turn.calls.map((call, index) => (
        <Fragment key={index}>
          <details className="chat__call">
            <summary>
              <span className="mono">{safeText(call.tool).text}</span>{" "}
              {call.result === null ? "is running" : call.isError ? "failed" : "done"}
            </summary>
            <pre className="schema" tabIndex={0}>
              {safeText(call.arguments).text}
            </pre>
            {call.result !== null && (
              <pre className="schema" tabIndex={0} aria-label="Result">
                {safeText(call.result).text}
              </pre>
            )}
          </details>
          {call.content && (
            <MediaParts
              name={safeText(call.tool).text}
              parts={mediaViews(mediaIn(call.content))}
              load={(at) => Promise.resolve(mediaData(call.content, at))}
            />
          )}
        </Fragment>
      ))}
      {turn.answer && (
        <div className="chat__answer">
          <Answer text={turn.answer} />
        </div>
      )}
      {turn.fault && (
        <p className="field__fault" role="alert">
          <Hint parts={hintParts(turn.fault)} />
        </p>
      )}
      {!turn.isOver && <p className="faint">The model is answering…</p>}
      {children}
    </li>
  );
}

/** What the model wrote: its Markdown is rendered, and its links are not followed. */
function Answer({ text }: { text: string }) {
  const { text: safe, warnings } = safeText(text);
  return <MarkdownText blocks={parseMarkdown(safe)} warnings={warnings} />;
}
