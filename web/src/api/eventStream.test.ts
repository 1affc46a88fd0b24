import { afterEach, expect, test, vi } from "vitest";
import { followStream } from "./eventStream";

// The API client reads the address of the page when it is loaded.
vi.hoisted(() => vi.stubGlobal("window", { location: { origin: "http://localhost" } }));

afterEach(() => vi.unstubAllGlobals());

test("a stream resumes after a bad gateway and ends with a forbidden response", async () => {
  vi.stubGlobal("window", { setTimeout, location: { origin: "" } });
  const answers = [
    new Response("<h1>", { status: 502 }),
    new Response("id: 1\nevent: a\ndata: {}\n\nid: 2\nev"),
    new Response(null, { status: 204 }),
  ];
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", (_: string, { headers }: { headers: Record<string, string> }) => {
    asked.push(headers["Last-Event-ID"] ?? null);
    return Promise.resolve(answers.shift());
  });
  const seen: string[] = [];
  const following = {
    signal: new AbortController().signal,
    onEvent: ({ id }: { id: string }) => seen.push(id),
  };
  await followStream("/x", following);
  expect([asked, seen]).toEqual([[null, null, "1"], ["1"]]);
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}", { status: 403 })));
  await expect(followStream("/x", following)).rejects.toMatchObject({ status: 403 });
});
