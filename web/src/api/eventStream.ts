/** Server-sent events over `fetch`, as `EventSource` cannot send a header: numbered, resumable. */

import { reportResponse, toApiError, emitConnectionSignal } from "./client";
import { currentToken } from "./token";

export interface StreamEvent {
  id: string;
  kind: string;
  data: string;
}

interface StreamOptions {
  signal: AbortSignal;
  after?: string;
  onEvent(event: StreamEvent): void;
  /** Connected, or not for now. */
  onState?(isOpen: boolean): void;
}

const MIN_RETRY_MS = 300;
const MAX_RETRY_MS = 5_000;
/** The service says every 15 s that it is there; silence for longer is a connection that is gone. */
const MAX_SILENCE_MS = 45_000;
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([401, 408, 425, 429]);

/** Follows a stream to its end; a lost connection is taken up after the last event seen. */
export async function followStream(
  path: string,
  { signal, after, onEvent, onState }: StreamOptions,
): Promise<void> {
  let lastId = after ?? "";
  let retryMs = MIN_RETRY_MS;
  while (!signal.aborted) {
    try {
      const response = await open(path, lastId, signal);
      if (response.status === 204) return;
      onState?.(true);
      retryMs = MIN_RETRY_MS;
      for await (const event of events(response)) {
        lastId = event.id || lastId;
        onEvent(event);
      }
      // The service closes a stream when all is told; asked once more it says so with 204.
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TypeError) && !isRetryable(error)) throw error;
      if ((error as { status?: number }).status === undefined) emitConnectionSignal("silent");
    }
    onState?.(false);
    await pause(retryMs, signal);
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }
}

/** Whether it may be otherwise soon: nobody answered, a proxy gave up, or another key will be typed. */
function isRetryable(error: unknown): boolean {
  if (error instanceof DOMException) return true;
  const { status = 0 } = error as { status?: number };
  return status >= 500 || RETRYABLE_STATUSES.has(status);
}

/** Posts, and hears what comes of it to the end; nothing is taken up again. */
export async function postStream(
  path: string,
  signal: AbortSignal,
  onEvent: (event: StreamEvent) => void,
): Promise<void> {
  const response = await open(path, "", signal, "POST");
  for await (const event of events(response)) onEvent(event);
}

async function open(path: string, last: string, signal: AbortSignal, method = "GET"): Promise<Response> {
  const key = currentToken() ?? "";
  const headers: Record<string, string> = { "X-API-Key": key, Accept: "text/event-stream" };
  if (last) headers["Last-Event-ID"] = last;
  const response = await fetch(path, { method, headers, signal, cache: "no-store" });
  reportResponse(response, key);
  if (response.ok) return response;
  throw toApiError(response.status, await response.json().catch(() => undefined));
}

async function* events(response: Response): AsyncGenerator<StreamEvent> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const parse = createParser();
  for (;;) {
    const { done, value } = await readWithTimeout(MAX_SILENCE_MS, reader);
    if (done) return;
    yield* parse(value);
  }
}

/** The next piece; a reader that hears nothing for long is given up. */
async function readWithTimeout(
  ms: number,
  reader: ReadableStreamDefaultReader<string>,
): Promise<ReadableStreamReadResult<string>> {
  let timer = 0;
  const silence = new Promise<never>((_, reject) => {
    timer = window.setTimeout(() => reject(new DOMException("nothing was heard", "TimeoutError")), ms);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (error) {
    void reader.cancel().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Cuts what arrives into events, however the pieces fall. */
export function createParser(): (chunk: string) => StreamEvent[] {
  let rest = "";
  return (chunk) => {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    return blocks.map(parseBlock).filter((event) => event.data !== "");
  };
}

function parseBlock(block: string): StreamEvent {
  const event: StreamEvent = { id: "", kind: "message", data: "" };
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) event.id = line.slice(4);
    else if (line.startsWith("event: ")) event.kind = line.slice(7);
    else if (line.startsWith("data: ")) event.data += line.slice(6);
  }
  return event;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
