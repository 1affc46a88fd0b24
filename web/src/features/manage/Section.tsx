/** A table of items with their actions, a text if there are none, and a button that opens the form to add one. */

import type { ReactNode } from "react";
import { useState } from "react";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { EmptyState } from "../../ui/EmptyState";
import type { IconName } from "../../ui/Icon";
import type { NewItem } from "./AddForm";
import { AddForm } from "./AddForm";

interface Props<Row> {
  title: string;
  error: Error | null;
  rows: readonly Row[] | undefined;
  columns: readonly { title: string; show(row: Row): ReactNode }[];
  actions(row: Row): ReactNode;
  nothing: string;
  /** Shown if there are no items. */
  icon?: IconName;
  /** How an item is added: the title of the button, and the form that it opens or its fields. */
  add?: { isOpen?: boolean } & (NewItem | { title: string; form(close: () => void): ReactNode });
  /** Shown below the button if there are no items. */
  emptyAction?: ReactNode;
  children?: ReactNode;
}

export function Section<Row>(props: Props<Row>) {
  const { title, error, rows, columns, actions, nothing, icon, add, emptyAction, children } = props;
  const [isAdding, setAdding] = useState(add?.isOpen ?? false);
  const close = () => setAdding(false);
  const openButton = add && (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {add.title}
    </Button>
  );
  return (
    <section className="manage" aria-label={title}>
      {error && <p role="alert">{error.message}</p>}
      {rows?.length === 0 && !isAdding && (
        <EmptyState {...(icon ? { icon } : {})} title={`No ${title.toLowerCase()} yet`}>
          <p>{nothing}</p>
          {openButton}
          {emptyAction}
        </EmptyState>
      )}
      {rows && rows.length > 0 && !isAdding && openButton && <div className="row">{openButton}</div>}
      {isAdding && add && ("form" in add ? add.form(close) : <AddForm {...add} onClose={close} />)}
      {rows && rows.length > 0 && (
        <div className="card">
          <table className="table" aria-label={title}>
            <thead>
              <tr>
                {columns.map((column, at) => (
                  <th key={column.title} className={at > 1 ? "table__extra" : undefined}>
                    {column.title}
                  </th>
                ))}
                <th>
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                <tr key={at}>
                  {columns.map((column, index) => (
                    <td key={column.title} className={index > 1 ? "table__extra" : undefined}>
                      {column.show(row)}
                    </td>
                  ))}
                  <td>
                    <div className="row manage__actions">{actions(row)}</div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {children}
    </section>
  );
}

interface RemoveProps {
  name: string;
  title?: string;
  words: ReactNode;
  isDisabled: boolean;
  onRemove(): void;
}

/** Removes an item after a confirmation. */
export function RemoveButton({ name, title = "Remove", words, isDisabled, onRemove }: RemoveProps) {
  const [isAsked, ask] = useState(false);
  const yes = () => {
    ask(false);
    onRemove();
  };
  return (
    <>
      <Button look="danger" disabled={isDisabled} aria-label={`${title} ${name}`} onClick={() => ask(true)}>
        {title}
      </Button>
      {isAsked && (
        <ConfirmDialog title={`${title} ${name}?`} yes={title} onYes={yes} onClose={() => ask(false)}>
          {words}
        </ConfirmDialog>
      )}
    </>
  );
}
