/** Shows a notice on the open page when something happens in this home, such as a disabled server. */

import { useEffect, useRef } from "react";
import { useHomeNotices } from "../queries/inbox";
import { notify } from "../state/notices";

export function useHomeNoticeAlerts(): void {
  const { data: notices } = useHomeNotices();
  const seen = useRef<Set<string> | null>(null);
  useEffect(() => {
    if (!notices) return;
    const known = seen.current;
    seen.current = new Set(notices.map(({ at, message }) => at + message));
    // What was there when the page was opened stands in the inbox.
    if (known === null) return;
    for (const { at, message } of notices)
      if (!known.has(at + message))
        notify(message, { tone: "bad", hint: "all notices are in the inbox", isStoredElsewhere: true });
  }, [notices]);
}
