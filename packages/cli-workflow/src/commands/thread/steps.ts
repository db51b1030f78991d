import type { ThreadStepsOutput } from "@uncaged/workflow-protocol";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { readExpandedHistory } from "./history.js";

export async function threadSteps(
  context: CommandContext,
  request: { readonly thread: string },
): CommandResult {
  const history = await readExpandedHistory(context, request.thread);
  if (!history.ok) return history;
  const { state, chain, expanded } = history.value;
  const { hash, payload, timestamp } = chain.start;
  const start = { hash, workflow: payload.workflow, prompt: payload.prompt, timestamp };
  const steps = chain.steps.map((step, index) => ({
    hash: step.hash,
    role: step.payload.role,
    output: expanded.steps[index]?.output ?? null,
    detail: step.payload.detail,
    agent: step.payload.agent,
    timestamp: step.timestamp,
  }));
  return document({
    thread: state.thread,
    workflow: chain.workflow.hash,
    steps: [start, ...steps],
  } satisfies ThreadStepsOutput);
}
