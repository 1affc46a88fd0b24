/** A modal dialog, based on the native element, which traps the focus and closes on Escape. */

import type { KeyboardEvent, ReactNode } from "react";
import { useId, useRef } from "react";
import { IconButton } from "./Button";
import { useModal } from "./useModal";

interface Props {
  title: string;
  onClose(): void;
  children: ReactNode;
  foot?: ReactNode;
  wide?: boolean;
  onKeyDown?(event: KeyboardEvent): void;
}

export function Dialog({ title, onClose, children, foot, wide, onKeyDown }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useModal(dialog);
  return (
    <dialog
      ref={dialog}
      className={wide ? "dialog dialog--wide" : "dialog"}
      aria-labelledby={id}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === dialog.current && onClose()}
    >
      <div className="dialog__frame">
        <div className="dialog__head">
          <h2 id={id}>{title}</h2>
          <IconButton label="Close" icon="close" onClick={onClose} />
        </div>
        <div className="dialog__body">{children}</div>
        {foot && <div className="dialog__foot">{foot}</div>}
      </div>
    </dialog>
  );
}
