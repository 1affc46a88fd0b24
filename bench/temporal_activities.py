"""A chain of steps as a Temporal workflow with an activity for each: `python -m … HOST:PORT`."""

import sys
from datetime import timedelta

import anyio
from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

CHAIN = "chain"
ACTIVITY_QUEUE = "activities"


@activity.defn
async def step(number: int) -> int:
    """Do nothing."""
    return number


@workflow.defn(name=CHAIN)
class ChainWorkflow:
    """So many steps, one after the other."""

    @workflow.run
    async def run(self, steps: int) -> int:
        """Execute them."""
        done = 0
        for number in range(steps):
            done = await workflow.execute_activity(
                step, number, start_to_close_timeout=timedelta(minutes=1)
            )
        return done


async def work(target: str) -> None:
    """Serve the queue until killed."""
    client = await Client.connect(target)
    async with Worker(
        client,
        task_queue=ACTIVITY_QUEUE,
        workflows=[ChainWorkflow],
        activities=[step],
        workflow_runner=UnsandboxedWorkflowRunner(),
    ):
        sys.stdout.write("working\n")
        sys.stdout.flush()
        await anyio.sleep_forever()


if __name__ == "__main__":
    anyio.run(work, sys.argv[1])
