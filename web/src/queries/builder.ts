/** Asks a model for a change of the open workflow; it proposes, the user decides. */

import { postStream } from "../api/eventStream";
import { ApiError } from "../api/client";
import type { ChatEvent, Turn } from "../model/chat/conversation";
import type { Editor } from "../state/editor";

const MAX_EARLIER = 10;

export async function askBuilder(
  { builder, document }: Editor,
  message: string,
  model: string | null,
  signal: AbortSignal,
): Promise<void> {
  const base = document.workflow;
  const earlier = builder.store.getState().conversation.turns.filter(isAnswered).map(exchangeOf);
  builder.begin(message);
  const onEvent = (event: ChatEvent) => builder.hear(base, event);
  try {
    const body = {
      document: base,
      request: message,
      earlier: earlier.slice(-MAX_EARLIER),
      ...(model ? { model } : {}),
    };
    await postStream(
      "/api/v1/edit/build",
      signal,
      (event) => onEvent(JSON.parse(event.data) as ChatEvent),
      body,
    );
  } catch (error) {
    if (signal.aborted) onEvent({ type: "stopped" });
    else onEvent({ type: "error", message: (error as Error).message, hint: hintOf(error) });
  }
  onEvent({ type: "end" });
}

function hintOf(error: unknown): string | null {
  return error instanceof ApiError ? (error.hint ?? null) : null;
}

function isAnswered({ isOver, fault }: Turn): boolean {
  return isOver && fault === null;
}

function exchangeOf({ message, answer }: Turn): { request: string; answer: string } {
  return { request: message, answer };
}
