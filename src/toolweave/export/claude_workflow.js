const given = typeof args === "string" ? { request: args } : (args ?? {});
const { answers = {}, ...inputs } = given;
const results = {};
const reached = new Set(Object.keys(STEPS).filter((id) => STEPS[id].after.length === 0));

function instructions(step) {
  const before = step.after.filter((id) => id in results).map((id) => [STEPS[id].title, results[id]]);
  const parts = [step.task, `Inputs of the workflow as JSON: ${JSON.stringify(inputs)}`];
  if (before.length > 0)
    parts.push(`Results of the steps before as JSON: ${JSON.stringify(Object.fromEntries(before))}`);
  if (step.choices.length > 0) parts.push(`Choose exactly one of ${JSON.stringify(step.choices)}.`);
  else parts.push("Reply with the result of this step only.");
  return parts.join("\n\n");
}

async function runStep(id) {
  const step = STEPS[id];
  const options = { label: step.title, phase: step.title };
  if (step.agentType) options.agentType = step.agentType;
  if (step.choices.length > 0) {
    options.schema = {
      type: "object",
      properties: { choice: { type: "string", enum: step.choices }, reason: { type: "string" } },
      required: ["choice"],
    };
  }
  try {
    const value = await agent(instructions(step), options);
    if (value === null || value === undefined) return { failure: "the agent returned no result" };
    return step.choices.length > 0 ? { value, choice: value.choice } : { value };
  } catch (error) {
    return { failure: String(error?.message ?? error) };
  }
}

function passedOn(step) {
  const values = step.after.filter((id) => id in results).map((id) => results[id]);
  return values.length === 1 ? values[0] : values.length === 0 ? inputs : values;
}

function follow(id, outcome) {
  const step = STEPS[id];
  if (outcome.failure !== undefined && !step.next.some((edge) => edge.onError))
    throw new Error(`Step ${JSON.stringify(step.title)} failed: ${outcome.failure}`);
  results[id] = outcome.failure === undefined ? outcome.value : { error: outcome.failure };
  for (const edge of step.next) {
    const holds = edge.choice === null || edge.choice === outcome.choice;
    if (edge.onError ? outcome.failure !== undefined : outcome.failure === undefined && holds)
      reached.add(edge.to);
  }
}

let waiting = Object.keys(STEPS);
while (waiting.length > 0) {
  const ready = waiting.filter((id) => STEPS[id].after.every((one) => !waiting.includes(one)));
  // Within a loop no step is ready: its first one is run, and each of them once.
  const batch = ready.length > 0 ? ready : waiting.slice(0, 1);
  waiting = waiting.filter((id) => !batch.includes(id));
  const running = [];
  for (const id of batch.filter((one) => reached.has(one))) {
    const step = STEPS[id];
    if (step.kind === "pass") follow(id, { value: passedOn(step) });
    else if (step.kind !== "ask") running.push(id);
    else if (id in answers && (step.choices.length === 0 || step.choices.includes(answers[id])))
      follow(id, { value: answers[id], choice: answers[id] });
    else
      return {
        status: "needs_answer",
        step: id,
        question: step.task,
        options: step.choices.length > 0 ? step.choices : step.options,
        next: `Ask the user, then run this workflow again with args.answers[${JSON.stringify(id)}].`,
      };
  }
  const outcomes =
    running.length > 1
      ? await parallel(running.map((id) => () => runStep(id)))
      : running.length === 1
        ? [await runStep(running[0])]
        : [];
  running.forEach((id, at) => follow(id, outcomes[at] ?? { failure: "the agent did not run" }));
}

const last = Object.keys(results).filter((id) => !STEPS[id].next.some((edge) => edge.to in results));
return last.length === 1
  ? results[last[0]]
  : Object.fromEntries(last.map((id) => [STEPS[id].title, results[id]]));
