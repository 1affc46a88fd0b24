/** The result of a run, or why it failed. */

import type { ReactNode } from "react";
import { useState } from "react";
import { ValueViews } from "../features/runs/ValueViews";
import type { ValueLook } from "../model/data/valueLooks";
import { valueAt } from "../model/form/values";
import type { AppRun } from "../model/run/appRun";
import { imagePointers } from "../model/run/images";
import { formatValue } from "../model/text/formatValue";
import { safeText } from "../model/text/untrusted";
import type { Json, JsonObject } from "../model/workflow/workflow";

export function RunResult({ run }: { run: AppRun }) {
  const [look, setLook] = useState<ValueLook | null>(null);
  if (run.error) return <Failure error={run.error} />;
  if (run.status !== "success") return null;
  const { isAll } = run.result_text === undefined ? formatValue(run.result) : { isAll: false };
  const images = imagesOf(run.result);
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
      {images.length > 0 ? (
        <>
          {images}
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

const PICTURE_TYPE = /^image\/(png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

function imagesOf(value: Json | undefined): ReactNode[] {
  return imagePointers(value).flatMap((pointer) => {
    const path = pointer
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const image = pictureAt(value, path);
    return image ? (
      <img key={pointer} className="run-app__picture" src={image} alt={`Image ${pointer} of the result`} />
    ) : (
      []
    );
  });
}

function pictureAt(value: Json | undefined, path: readonly string[]): string | null {
  let found = value;
  for (const part of path) found = valueAt(found, [Array.isArray(found) ? Number(part) : part]);
  const { mimeType, data } = (found ?? {}) as { mimeType?: unknown; data?: unknown };
  const isImage = typeof mimeType === "string" && PICTURE_TYPE.test(mimeType);
  return isImage && typeof data === "string" && BASE64.test(data) ? `data:${mimeType};base64,${data}` : null;
}
