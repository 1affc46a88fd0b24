/** The queue whose workers a step waits for. */

export interface QueueWait {
  name: string;
  /** Whether a worker served it when the step came to it. */
  isServed: boolean;
}

export function queueOf(event: { [field: string]: unknown }): QueueWait {
  return { name: String(event["queue"]), isServed: event["is_served"] !== false };
}

interface WaitingRun {
  finishedAt: string | null;
  order: readonly string[];
  steps: Readonly<Record<string, { queue?: QueueWait | undefined }>>;
}

/** What an unfinished run waits for, if no worker served the queue of its next step. */
export function unservedQueue(run: WaitingRun): string | null {
  const last = run.finishedAt ? undefined : run.order.findLast((key) => run.steps[key]!.queue);
  const queue = last === undefined ? undefined : run.steps[last]!.queue;
  return queue && !queue.isServed ? queue.name : null;
}
