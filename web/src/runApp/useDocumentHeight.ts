import { useEffect } from "react";
import type { HostBridge } from "./hostBridge";

/** Reports the height of the content to the host, which gives the frame that height. */
export function useDocumentHeight(bridge: HostBridge, isReady: boolean): void {
  useEffect(() => {
    if (!isReady) return;
    const content = document.getElementById("root")!;
    let last = 0;
    const report = () => {
      const height = Math.ceil(content.getBoundingClientRect().height);
      if (height === last) return;
      last = height;
      bridge.notify("ui/notifications/size-changed", { height });
    };
    const observer = new ResizeObserver(report);
    observer.observe(content);
    report();
    return () => observer.disconnect();
  }, [bridge, isReady]);
}
