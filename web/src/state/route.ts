/** The current page, from the fragment of the address: `#/w/trip`, `#/runs/7c1e`. */

export interface Route {
  page: string;
  rest: string[];
  query: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page = "", ...rest] = path.split("/").filter(Boolean).map(decoded);
  return { page, rest, query: new URLSearchParams(query) };
}

/** Decodes a part of the path; returns it unchanged if it is malformed. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function hrefTo(page: string, ...rest: string[]): string {
  return `#/${[page, ...rest].map(encodeURIComponent).join("/")}`;
}

export function navigate(page: string, ...rest: string[]): void {
  window.location.hash = hrefTo(page, ...rest);
}

/** The runs of a workflow. */
export function hrefToRunsOf(workflow: string): string {
  return `${hrefTo("runs")}?${new URLSearchParams({ workflow }).toString()}`;
}
