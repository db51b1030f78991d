import type { ThreadStepsOutput } from "@uncaged/workflow-protocol";
import { contextOf } from "@uncaged/workflow-store";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { readHistory } from "./history.js";

export async function threadSteps(
  context: CommandContext,
  request: { readonly thread: string },
): CommandResult {
  const history = await readHistory(context, request.thread);
  if (!history.ok) return history;
  const { storage, state, chain } = history.value;
  const expanded = contextOf(storage.cas, chain);
  if (!expanded.ok) return expanded;
  const { hash, payload, timestamp } = chain.start;
  const start = { hash, workflow: payload.workflow, prompt: payload.prompt, timestamp };
  const steps = chain.steps.map((step, index) => ({
    hash: step.hash,
    role: step.payload.role,
    output: expanded.value.steps[index]?.output ?? null,
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
