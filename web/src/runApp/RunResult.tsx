/** The result of a run, or why it failed. */

import type { ReactNode } from "react";
import { useState } from "react";
import { ValueViews } from "../features/runs/ValueViews";
import type { ValueLook } from "../model/data/valueLooks";
import { valueAt } from "../model/form/values";
import type { AppRun } from "../model/run/appRun";
import type { MediaPart } from "../model/run/media";
import { mediaIn } from "../model/run/media";
import { formatValue } from "../model/text/formatValue";
import { safeText } from "../model/text/untrusted";
import type { Json, JsonObject } from "../model/workflow/workflow";

export function RunResult({ run }: { run: AppRun }) {
  const [look, setLook] = useState<ValueLook | null>(null);
  if (run.error) return <Failure error={run.error} />;
  if (run.status !== "success") return null;
  const { isAll } = run.result_text === undefined ? formatValue(run.result) : { isAll: false };
  const media = mediaOf(run.result);
  const views = (
    <ValueViews
      name="Value"
      value={run.result}
      beginning={run.result_text}
      chosen={look}
      onChoose={setLook}
    />
  );
  return (
    <section className="run-app__result" aria-label="Result">
      <h2>Result</h2>
      {media.length > 0 ? (
        <>
          {media}
          <details>
            <summary>Data</summary>
            {views}
          </details>
        </>
      ) : (
        views
      )}
      {!isAll && <p className="faint">Only the beginning is shown.</p>}
    </section>
  );
}

function Failure({ error }: { error: JsonObject }) {
  const text = (name: string) => (typeof error[name] === "string" ? safeText(error[name]).text : "");
  return (
    <section className="run-app__failure" aria-label="Error">
      <h2>Why it failed</h2>
      <p>{text("message")}</p>
      {text("hint") && <p className="faint">{text("hint")}</p>}
      {text("code") && <code>{text("code")}</code>}
    </section>
  );
}

const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

function mediaOf(value: Json | undefined): ReactNode[] {
  return mediaIn(value).map((part) => {
    const { at, kind } = part;
    const address = dataAddress(value, part);
    if (address && kind === "image")
      return <img key={at} className="run-app__picture" src={address} alt={`Image ${at} of the result`} />;
    if (address && kind === "audio")
      return <audio key={at} controls src={address} aria-label={`Sound ${at} of the result`} />;
    return <p key={at}>{safeText(described(part)).text}</p>;
  });
}

/** What the host's page cannot show: a file, a link, or what is too large for the result. */
function described({ name, uri, mimeType, bytes }: MediaPart): string {
  const size = bytes === null ? null : `${bytes?.toLocaleString("en")} bytes`;
  return [name, uri, mimeType, size].filter(Boolean).join(", ");
}

function dataAddress(value: Json | undefined, { at, kind, mimeType }: MediaPart): string | null {
  let found = value;
  for (const part of at.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = valueAt(found, [Array.isArray(found) ? Number(name) : name]);
  }
  const { data } = (found ?? {}) as { data?: unknown };
  const isShown = (kind === "image" || kind === "audio") && typeof data === "string" && BASE64.test(data);
  return isShown ? `data:${mimeType};base64,${data}` : null;
}
