import type { ReactNode } from "react";
import { Button } from "./Button";
import { Dialog } from "./Dialog";

interface Props {
  title: string;
  yes: string;
  onYes(): void;
  onClose(): void;
  children: ReactNode;
}

/** Asks for confirmation before something that cannot be undone. */
export function ConfirmDialog({ title, yes, onYes, onClose, children }: Props) {
  const foot = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button look="danger" onClick={onYes}>
        {yes}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} foot={foot}>
      {typeof children === "string" ? <p>{children}</p> : children}
    </Dialog>
  );
}
