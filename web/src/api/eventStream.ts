/** Server-sent events over `fetch`, because `EventSource` cannot send headers. Events are numbered and resumable. */

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
  /** Called with false while the stream reconnects. */
  onState?(isOpen: boolean): void;
}

const MIN_RETRY_MS = 300;
const MAX_RETRY_MS = 5_000;
/** The service sends a heartbeat every 15 s; after a longer silence the connection is considered lost. */
const MAX_SILENCE_MS = 45_000;
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([401, 408, 425, 429]);

/** Follows a stream to its end; after a lost connection it resumes after the last event. */
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
      // The service closes a stream after the last event and answers 204 to the next request.
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

/** Whether a retry may succeed: no answer, a proxy error, or a key that will be replaced. */
function isRetryable(error: unknown): boolean {
  if (error instanceof DOMException) return true;
  const { status = 0 } = error as { status?: number };
  return status >= 500 || RETRYABLE_STATUSES.has(status);
}

/** Sends a POST request and reads its event stream to the end, without resuming. */
export async function postStream(
  path: string,
  signal: AbortSignal,
  onEvent: (event: StreamEvent) => void,
  body?: object,
): Promise<void> {
  const response = await open(path, "", signal, "POST", body);
  for await (const event of events(response)) onEvent(event);
}

async function open(
  path: string,
  last: string,
  signal: AbortSignal,
  method = "GET",
  body?: object,
): Promise<Response> {
  const key = currentToken() ?? "";
  const headers: Record<string, string> = { "X-API-Key": key, Accept: "text/event-stream" };
  if (last) headers["Last-Event-ID"] = last;
  if (body) headers["Content-Type"] = "application/json";
  const init: RequestInit = { method, headers, signal, cache: "no-store" };
  const response = await fetch(path, body ? { ...init, body: JSON.stringify(body) } : init);
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

/** Reads the next chunk; cancels the reader after a long silence. */
async function readWithTimeout(
  ms: number,
  reader: ReadableStreamDefaultReader<string>,
): Promise<ReadableStreamReadResult<string>> {
  let timer = 0;
  const silence = new Promise<never>((_, reject) => {
    timer = window.setTimeout(() => reject(new DOMException("no event arrived", "TimeoutError")), ms);
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

/** Splits the incoming text into events, wherever the chunks are cut. */
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
