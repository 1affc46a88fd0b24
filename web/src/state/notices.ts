/** Short messages to the user: what was done, what failed, and an action such as undo. */

import { createStore } from "zustand/vanilla";
import { ApiError } from "../api/client";
import { problemText } from "../model/form/problems";

export interface Notice {
  id: number;
  tone: "plain" | "good" | "bad";
  message: string;
  hint?: string | null;
  action?: { title: string; run(): void };
  /** It can be read again elsewhere, so it leaves by itself even if it reports a failure. */
  isStoredElsewhere?: boolean;
  /** It is about the page it was shown on, and ends when that is left. */
  isOfPage?: boolean;
  shownAt: number;
}

export const noticeStore = createStore<{ notices: Notice[] }>(() => ({ notices: [] }));

const VISIBLE_MS = 4_000;
const VISIBLE_FAILURE_MS = 10_000;
const MAX_NOTICES = 3;
const JUST_MS = 1_000;
let nextId = 1;

/** Shows a notice and returns its id. It replaces an equal one, and a success ends earlier failures. */
export function notify(message: string, more: Partial<Omit<Notice, "id" | "shownAt">> = {}): number {
  const notice: Notice = { id: nextId++, tone: "plain", message, shownAt: Date.now(), ...more };
  const isOutdated = (old: Notice) =>
    old.message === message || (notice.tone === "good" && old.tone === "bad");
  noticeStore.setState(({ notices }) => ({
    notices: [...notices.filter((old) => !isOutdated(old)), notice].slice(-MAX_NOTICES),
  }));
  // Notices with an action stay: some users need longer to reach a button.
  const isLasting = notice.action || (notice.tone === "bad" && !notice.isStoredElsewhere);
  if (!isLasting)
    setTimeout(() => dismiss(notice.id), notice.tone === "bad" ? VISIBLE_FAILURE_MS : VISIBLE_MS);
  return notice.id;
}

/**
 * Errors of the page that was left, and what is about it: they would cover another one.
 * One that was just reported may be about leaving.
 */
export function leavePage(): void {
  const hasEnded = ({ tone, isOfPage, shownAt }: Notice) =>
    (tone === "bad" || isOfPage) && Date.now() - shownAt > JUST_MS;
  noticeStore.setState(({ notices }) => ({ notices: notices.filter((notice) => !hasEnded(notice)) }));
}

export function dismiss(id: number): void {
  noticeStore.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
}

/** Reports why a request failed, and returns the id of the notice. */
export function notifyError(error: unknown, action: string, button?: Notice["action"]): number {
  if (!(error instanceof ApiError))
    return notify(`${action}: ${error instanceof Error ? error.message : String(error)}`, { tone: "bad" });
  if (error.isUnreachable)
    return notify(`${action}: the service is not responding`, {
      tone: "bad",
      hint: "your changes stay here; try again when it is back",
    });
  return notify(`${action}: ${error.message}`, {
    tone: "bad",
    hint: error.problems[0] ? problemText(error.problems[0]) : error.hint,
    ...(button && error.problems.length > 0 ? { action: button } : {}),
  });
}
