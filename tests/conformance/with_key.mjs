// The suites cannot be told of a header: every request of theirs gets our key on its way out.
import { subscribe } from "node:diagnostics_channel";

const key = process.env.API_KEY;
subscribe("undici:request:create", ({ request }) => request.addHeader("X-API-Key", key));
subscribe("http.client.request.created", ({ request }) => request.setHeader("X-API-Key", key));
