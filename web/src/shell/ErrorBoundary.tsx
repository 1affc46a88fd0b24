/** Shows an error page if a page fails to render, after saving unsaved edits as a draft. */

import type { ReactNode } from "react";
import { Component } from "react";
import { saveOpenDraft } from "../state/workspace";
import { Button } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";

interface Props {
  /** A new address clears the error. */
  where: string;
  children: ReactNode;
}

export class ErrorBoundary extends Component<Props, { fault: Error | null }> {
  override state: { fault: Error | null } = { fault: null };

  static getDerivedStateFromError(fault: unknown): { fault: Error } {
    return { fault: fault instanceof Error ? fault : new Error(String(fault)) };
  }

  override componentDidCatch(): void {
    saveOpenDraft();
  }

  override componentDidUpdate(before: Props): void {
    if (before.where !== this.props.where && this.state.fault) this.setState({ fault: null });
  }

  override render(): ReactNode {
    const { fault } = this.state;
    if (!fault) return this.props.children;
    return (
      <EmptyState title="This page cannot be shown" isPage>
        <p>This is a bug in Toolweave. Your changes are kept in this browser.</p>
        <p className="mono faint">{fault.message}</p>
        <div className="row">
          <Button look="primary" icon="again" onClick={() => this.setState({ fault: null })}>
            Try again
          </Button>
          <Button onClick={() => window.location.reload()}>Reload the page</Button>
          <a className="button button--quiet" href="#/">
            Back to workflows
          </a>
        </div>
      </EmptyState>
    );
  }
}
