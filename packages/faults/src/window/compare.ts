import { explain, stepsNeeded } from "@uncaged/workflow-moderator";
import type { ModeratorContext, WorkflowPayload } from "@uncaged/workflow-protocol";

/** How a decision differs from the one over the whole history; `null` when it does not. */
export type Compared = {
  /** Whether the expression has a window smaller than this history. */
  readonly windowed: boolean;
  readonly difference: string | null;
};

type Needed = (workflow: WorkflowPayload, key: string) => Promise<number | null>;

/**
 * Decides over the whole history as its nodes give it, over the last steps that are needed, and over the whole history
 * as the cache gives it. `needed` is the analysis under test.
 */
export async function compare(
  expression: string,
  history: ModeratorContext,
  cached: ModeratorContext = history,
  needed: Needed = stepsNeeded,
): Promise<Compared> {
  const workflow = workflowOf(expression);
  const window = await needed(workflow, history.steps.at(-1)?.role ?? "");
  const windowed = window !== null && window < history.steps.length;
  const seen = windowed ? { ...cached, steps: cached.steps.slice(-window) } : cached;
  if (!windowed && cached === history) return { windowed, difference: null };
  const [all, some] = [await told(workflow, history), await told(workflow, seen)];
  const part = windowed ? `last ${window}` : "all of the cache";
  const difference =
    all === some ? null : `${expression} over ${JSON.stringify(history)}: ${part} give ${some}, all ${all}`;
  return { windowed, difference };
}

async function told(workflow: WorkflowPayload, history: ModeratorContext): Promise<string> {
  return JSON.stringify(await explain(workflow, history));
}

function workflowOf(expression: string): WorkflowPayload {
  const transitions = [
    { role: "a", condition: "random" },
    { role: "b", condition: null },
  ];
  const conditions = { random: { description: "", expression } };
  const graph = { $START: transitions, a: transitions, b: transitions };
  const roles = { a: {}, b: {} };
  return { name: "random", description: "", roles, conditions, graph } as unknown as WorkflowPayload;
}
