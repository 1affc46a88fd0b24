/** Computes the layout in a worker: two thousand nodes take seconds, and the page must stay responsive. */

import type { LayoutRequest } from "./autoLayout";
import { computeLayout } from "./autoLayout";

self.onmessage = (message: MessageEvent<LayoutRequest>) => {
  self.postMessage(computeLayout(message.data));
};
