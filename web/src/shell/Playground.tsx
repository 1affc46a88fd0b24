/** The playground over the current page while a tool is tried. */

import { Suspense, lazy, useEffect } from "react";
import { useStore } from "zustand";
import { StepDecision } from "../features/inbox/StepDecision";
import { ToolForm } from "../features/inspector/ToolForm";
import { playgroundStore, tryTool } from "../state/playground";
import { useRoute } from "./useRoute";

const PlaygroundDialog = lazy(() => import("../features/playground/PlaygroundDialog"));

export function Playground() {
  const tried = useStore(playgroundStore, (state) => state.tried);
  const route = useRoute();
  // A link in it leads to another page, which it would cover.
  useEffect(() => () => tryTool(null), [route]);
  if (!tried) return null;
  return (
    <Suspense>
      <PlaygroundDialog
        key={`${tried.server.id} ${tried.tool.name}`}
        {...tried}
        form={(node, parameters) => <ToolForm node={node} parameters={parameters} />}
        decision={(run, step) => <StepDecision run={run} step={step} />}
        onClose={() => tryTool(null)}
      />
    </Suspense>
  );
}
