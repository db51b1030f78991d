import type { RoleDefinition } from "@uncaged/workflow-protocol";
import type { FailedSession, StepNode } from "@uncaged/workflow-store";
import { buildResumePrompt, renderAttempt, withinLimit } from "../prompt/index.js";
import { type OpenThread, promptSteps } from "../thread/index.js";

type Acting = {
  readonly role: string;
  readonly roleDefinition: RoleDefinition;
  readonly outputFormatInstruction: string;
};

/** What a session is sent on a later visit; `since` newest first. Throws `FaultError`: damage, or TOO_LARGE. */
export function promptSince(open: OpenThread, acting: Acting, since: readonly StepNode[]): string {
  const prompt = buildResumePrompt({
    thread: open.thread,
    workflow: open.workflow.payload.name,
    role: acting.role,
    definition: acting.roleDefinition,
    outputFormatInstruction: acting.outputFormatInstruction,
    task: open.start.payload.prompt,
    steps: promptSteps(open, since),
    historyBudget: null,
  });
  return withinLimit(prompt);
}

/** The prompt of a step whose last run has failed in the session that it is sent into. Throws `FaultError` TOO_LARGE. */
export function promptAfter(prompt: string, attempt: FailedSession): string {
  return withinLimit(`${prompt}\n${renderAttempt(attempt)}\n`);
}
