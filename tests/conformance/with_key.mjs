// The suites cannot be told of a header: every request of theirs gets our key on its way out.
import { subscribe } from "node:diagnostics_channel";

const key = process.env.API_KEY;
subscribe("undici:request:create", ({ request }) => request.addHeader("X-API-Key", key));
subscribe("http.client.request.created", ({ request }) => request.setHeader("X-API-Key", key));

// They give the first frame of a stream 600 ms, too little beside other tests: it may take longer.
const { setTimeout: start } = globalThis;
const later = (run, delay, ...rest) => start(run, delay === 600 ? 6_000 : delay, ...rest);
globalThis.setTimeout = Object.defineProperties(later, Object.getOwnPropertyDescriptors(start));
