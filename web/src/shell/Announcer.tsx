import { useStore } from "zustand";
import { announcementStore } from "../state/announcements";

/** The live region for announcements; it is in the DOM before the first one, as screen readers require. */
export function Announcer() {
  const { message, number } = useStore(announcementStore);
  return (
    <div className="visually-hidden" role="status" aria-live="polite" aria-label="Announcements">
      <span key={number}>{message}</span>
    </div>
  );
}
