import { useStore } from "zustand";
import { announcementStore } from "../state/announcements";

/** Says what is announced; there before the first words, as readers want it. */
export function Announcer() {
  const { message, number } = useStore(announcementStore);
  return (
    <div className="visually-hidden" role="status" aria-live="polite" aria-label="Announcements">
      <span key={number}>{message}</span>
    </div>
  );
}
