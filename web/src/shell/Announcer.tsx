import { useStore } from "zustand";
import { announceStore } from "../state/announcements";

/** Says what is announced; there before the first words, as readers want it. */
export function Announcer() {
  const { words, number } = useStore(announceStore);
  return (
    <div className="visually-hidden" role="status" aria-live="polite" aria-label="Announcements">
      <span key={number}>{words}</span>
    </div>
  );
}
