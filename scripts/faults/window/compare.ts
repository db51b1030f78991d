import { explain, stepsNeeded } from "@uncaged/workflow-moderator";
import type { ModeratorContext, WorkflowPayload } from "@uncaged/workflow-protocol";

/** A difference between the window and the whole history; `null` when there is none. */
export type Compared = {
  /** Whether the expression has a window smaller than this history. */
  readonly windowed: boolean;
  readonly difference: string | null;
};

type Needed = (workflow: WorkflowPayload, key: string) => Promise<number | null>;

/** Decides over the last steps that are needed, and over all of them. `needed` is the analysis under test. */
export async function compare(
  expression: string,
  history: ModeratorContext,
  needed: Needed = stepsNeeded,
): Promise<Compared> {
  const workflow = workflowOf(expression);
  const window = await needed(workflow, history.steps.at(-1)?.role ?? "");
  if (window === null || window >= history.steps.length) return { windowed: false, difference: null };
  const short = { ...history, steps: history.steps.slice(-window) };
  const [whole, part] = [await explain(workflow, history), await explain(workflow, short)];
  const [all, some] = [JSON.stringify(whole), JSON.stringify(part)];
  const difference =
    all === some
      ? null
      : `${expression} over ${JSON.stringify(history)}: last ${window} give ${some}, all ${all}`;
  return { windowed: true, difference };
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
