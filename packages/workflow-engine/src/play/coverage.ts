import type { WorkflowCoverage, WorkflowPayload } from "@uncaged/workflow-protocol";
import type { Decided } from "./types.js";

/** Which transitions some decisions took, and what the conditions were. */
export function coverageOf(workflow: WorkflowPayload, decided: readonly Decided[]): WorkflowCoverage {
  const taken = new Map<string, number>();
  const values = new Map<string, number>();
  for (const { from, tried } of decided) {
    count(taken, `${from} ${tried.length - 1}`);
    for (const { condition, value } of tried) if (condition !== null) count(values, `${condition} ${value}`);
  }
  return {
    transitions: Object.entries(workflow.graph).flatMap(([from, transitions]) =>
      transitions.map(({ role, condition }, index) => {
        return { from, role, condition, taken: taken.get(`${from} ${index}`) ?? 0 };
      }),
    ),
    conditions: Object.keys(workflow.conditions).map((condition) => {
      const seen = (value: boolean): number => values.get(`${condition} ${value}`) ?? 0;
      return { condition, true: seen(true), false: seen(false) };
    }),
  };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
