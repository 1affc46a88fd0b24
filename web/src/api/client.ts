/** The typed API client. Every error response becomes an `ApiError` with its hint and problems. */

import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "../../types/api";
import { updateClock } from "./clock";
import { currentToken } from "./token";

export type Schemas = components["schemas"];

export interface Problem {
  code: string;
  severity: "error" | "warning";
  pointer: string;
  message: string;
  hint?: string | null;
  patch?: Record<string, unknown>[] | null;
}

/** Why a request failed; `status` 0 means that the service did not answer. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string | null = null,
    readonly problems: Problem[] = [],
    readonly facts: Record<string, unknown> = {},
  ) {
    super(message);
  }

  get isUnreachable(): boolean {
    return this.status === 0;
  }
}

export type ConnectionSignal = "answered" | "silent" | "refused";
type SignalListener = (signal: ConnectionSignal) => void;
const listeners = new Set<SignalListener>();

/** Reports after every request whether the service answers. */
export function onConnectionSignal(listener: SignalListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function emitConnectionSignal(signal: ConnectionSignal): void {
  for (const listener of listeners) listener(signal);
}

/** Reports what a response means; a 401 counts only while its key is still the one in use. */
export function reportResponse(response: Response, key: string): void {
  updateClock(response.headers.get("Date"));
  if (response.status !== 401) emitConnectionSignal("answered");
  else if (key === (currentToken() ?? "")) emitConnectionSignal("refused");
}

const authentication: Middleware = {
  onRequest({ request }) {
    request.headers.set("X-API-Key", currentToken() ?? "");
    return request;
  },
  onResponse({ request, response }) {
    reportResponse(response, request.headers.get("X-API-Key") ?? "");
  },
  onError() {
    emitConnectionSignal("silent");
    return new ApiError(0, "UNREACHABLE", "the service is not responding");
  },
};

export const client = createClient<paths>({ baseUrl: window.location.origin });
client.use(authentication);

interface ClientResponse<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** The data of a response; throws an `ApiError` for an error response. */
export async function unwrap<Data>(request: Promise<ClientResponse<Data>>): Promise<Data> {
  const { data: body, error, response } = await request;
  if (response.ok) return body as Data;
  throw toApiError(response.status, error);
}

/** Reads `{"error": {…}}`; responses of a proxy in between are not JSON. */
export function toApiError(status: number, body: unknown): ApiError {
  const details = (body as { error?: Partial<Schemas["ErrorBody"]> } | undefined)?.error;
  if (!details?.code) return new ApiError(status, "UNREADABLE", `the service answered ${status}`);
  return new ApiError(
    status,
    details.code,
    details.message ?? details.code,
    details.hint ?? null,
    (details.problems as Problem[] | null | undefined) ?? [],
    details.facts ?? {},
  );
}
