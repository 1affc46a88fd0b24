/** Lays out in a thread of its own: two thousand nodes take seconds, and the page goes on. */

import type { LayoutRequest } from "./autoLayout";
import { computeLayout } from "./autoLayout";

self.onmessage = (message: MessageEvent<LayoutRequest>) => {
  self.postMessage(computeLayout(message.data));
};
