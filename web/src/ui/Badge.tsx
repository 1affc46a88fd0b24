import type { ReactNode } from "react";

export type Tone = "plain" | "good" | "bad" | "warn" | "busy";

export function Badge({
  tone = "plain",
  children,
  title,
}: {
  tone?: Tone;
  children: ReactNode;
  title?: string;
}) {
  return (
    <span className={`badge badge--${tone}`} title={title}>
      {children}
    </span>
  );
}
