/** The tool that is open in the playground, if any. */

import { createStore } from "zustand/vanilla";
import type { Server, ServerTool } from "../model/servers/serverStatus";

export interface TriedTool {
  server: Server;
  tool: ServerTool;
  /** Called when the tool became a node. */
  onUsed?: (() => void) | undefined;
}

export const playgroundStore = createStore<{ tried: TriedTool | null }>(() => ({ tried: null }));

export function tryTool(tried: TriedTool | null): void {
  playgroundStore.setState({ tried });
}
