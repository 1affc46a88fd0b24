import { useStore } from "zustand";
import { hintParts } from "../model/text/hints";
import { safeText } from "../model/text/untrusted";
import { dismiss, noticeStore } from "../state/notices";
import { Button, IconButton } from "../ui/Button";
import { Hint } from "../ui/Hint";

export function Notices() {
  const notices = useStore(noticeStore, (state) => state.notices);
  return (
    <div
      className="notices"
      role="status"
      aria-live="polite"
      aria-label="Notices"
      data-panel
      data-stop="notices"
    >
      {notices.map(({ id, tone, message, hint, action }) => (
        <div key={id} className={`notice notice--${tone}`}>
          <div className="notice__words">
            {safeText(message).text}
            {hint && (
              <div className="notice__hint">
                <Hint parts={hintParts(hint)} />
              </div>
            )}
          </div>
          {action && (
            <Button
              look="quiet"
              onClick={() => {
                action.run();
                dismiss(id);
              }}
            >
              {action.title}
            </Button>
          )}
          <IconButton label="Dismiss" icon="close" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
