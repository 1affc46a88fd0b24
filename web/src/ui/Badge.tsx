import type { ReactNode } from "react";

export type Tone = "plain" | "good" | "bad" | "warn" | "busy";

export function Badge({
  tone = "plain",
  hasDot = false,
  children,
  title,
}: {
  tone?: Tone;
  /** A dot in the color of the tone, for the status in a table. */
  hasDot?: boolean;
  children: ReactNode;
  title?: string;
}) {
  return (
    <span className={`badge badge--${tone}${hasDot ? " badge--dot" : ""}`} title={title}>
      {children}
    </span>
  );
}
